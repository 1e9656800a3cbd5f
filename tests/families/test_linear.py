"""What the linear classifiers have in common: sources are pooled, and precision and kind of matrix do not matter."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.baselines import SelfTraining, SourceLR, SourceSVM

from ..baselines.test_self_training import CONFIDENT
from ..planted import two_sources, vocabulary_shift


@pytest.mark.parametrize("make", [SourceLR, SourceSVM, lambda: SelfTraining(**CONFIDENT)])
def test_sources_are_pooled(make):
    Xs, ys, Xt, _ = two_sources(seed=1)
    two, one = make(), make()
    two.transfer(Xs, ys, Xt)
    one.transfer(sp.vstack(Xs, format="csr"), np.concatenate(ys), Xt)
    np.testing.assert_allclose(two.transduction_proba_, one.transduction_proba_, rtol=1e-9)


@pytest.mark.parametrize(
    ("estimator", "rtol", "atol"),
    [(SourceLR(), 1e-6, 2e-3), (SourceSVM(), 1e-9, 1e-5), (SelfTraining(**CONFIDENT), 1e-6, None)],
    ids=["SourceLR", "SourceSVM", "SelfTraining"],
)
def test_sparse_equals_dense_and_precision_is_kept(estimator, rtol, atol):
    """`atol` is for single precision; with it, self-training may take other documents."""
    task = vocabulary_shift(n_classes=3, seed=6)
    proba = []
    for dtype in (np.float64, np.float32):
        for kind in (sp.csr_array, sp.csr_array.toarray):
            estimator.transfer(kind(task.Xs.astype(dtype)), task.ys, kind(task.Xt.astype(dtype)))
            assert estimator.state_.coef.dtype == estimator.transduction_proba_.dtype == dtype
            proba.append(estimator.transduction_proba_)
    np.testing.assert_allclose(proba[1], proba[0], rtol=rtol)
    for other in proba[2:] if atol is not None else ():
        np.testing.assert_allclose(other, proba[0], atol=atol)


@pytest.mark.parametrize("estimator", [SourceLR(), SelfTraining()], ids=["SourceLR", "SelfTraining"])
def test_negative_features_are_accepted(estimator):
    rng = np.random.default_rng(0)
    ys = np.arange(60) % 3
    Xs = rng.normal(size=(60, 5)) + 4 * np.eye(3, 5)[ys]
    np.testing.assert_array_equal(estimator.transfer(Xs, ys, 4 * np.eye(3, 5)), [0, 1, 2])
