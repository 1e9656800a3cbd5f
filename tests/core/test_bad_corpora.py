"""Corpora at the edge of making sense: an answer, finite, and no warning of a division by zero."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.baselines import (
    ITCC,
    SGT,
    CoCC,
    NormalizedCut,
    SpectralClassifier,
    SpectralCoclustering,
    SphericalKMeans,
)
from labelferry.demo import load_demo
from labelferry.methods import CDSC, RSP, HybridLabelPropagation, HybridSimilarityPropagation

from ..planted import vocabulary_shift

ESTIMATORS = [
    HybridLabelPropagation("similarity"),
    HybridLabelPropagation("logistic", degree_regularization=0),
    HybridSimilarityPropagation(),
    HybridSimilarityPropagation(reading="cut", degree_regularization=0),
    SphericalKMeans(random_state=0),
    SpectralCoclustering(random_state=0),
    SpectralCoclustering(degree_regularization=0, random_state=0),
    ITCC(n_init=2, random_state=0),
    CoCC(n_init=2, random_state=0),
    NormalizedCut(random_state=0),
    NormalizedCut(degree_regularization=0, random_state=0),
    RSP(random_state=0),
    RSP(risk=0.5, degree_regularization=0, random_state=0),
]
ROBUST = [
    CDSC(random_state=0),
    CDSC(4, degree_regularization=0, random_state=0),
    SpectralClassifier(random_state=0),
    NormalizedCut(random_state=0),
    SGT(n_neighbors=20, random_state=0),
    HybridLabelPropagation(),
    RSP(random_state=0),
]


def without_words(task):
    return task.Xs, task.ys, sp.csr_array(task.Xt.shape)


def sources_without_words(task):
    return sp.csr_array(task.Xs.shape), task.ys, task.Xt


def identical_documents(task):
    return task.Xs, task.ys, task.Xt[np.zeros(50, int)]


def identical_sources(task):
    return task.Xs[np.zeros(len(task.ys), int)], task.ys, task.Xt


def one_target_document(task):
    return task.Xs, task.ys, task.Xt[:1]


def one_document_of_a_class(task):
    rows = np.append(np.flatnonzero(task.ys == 0), np.flatnonzero(task.ys == 1)[:1])
    return task.Xs[rows], task.ys[rows], task.Xt


def two_source_documents(task):
    return task.Xs[:2], task.ys[:2], task.Xt


def constant_features(task):
    return np.ones((40, 5)), np.arange(40) % 2, np.ones((30, 5))


def one_feature(task):
    return np.ones((4, 1)), np.arange(4) % 2, np.array([[1.0], [3.0], [0.0]])


def no_word_in_common(task):
    nothing = sp.csr_array(task.Xt.shape)
    return sp.hstack([task.Xs, nothing]).tocsr(), task.ys, sp.hstack([nothing, task.Xt]).tocsr()


def islands(task):
    """Every document has a word of its own and no other."""
    return sp.eye_array(20, 40).tocsr(), np.arange(20) % 2, sp.eye_array(20, 40, k=20).tocsr()


def more_classes_than_target_documents(task):
    return task.Xs, np.arange(task.Xs.shape[0]) % 7, task.Xt[:3]


def huge_and_tiny(task):
    return task.Xs * 1e8, task.ys, task.Xt * 1e-8


CASES = [
    without_words,
    sources_without_words,
    identical_documents,
    identical_sources,
    one_target_document,
    one_document_of_a_class,
    two_source_documents,
    constant_features,
    one_feature,
    no_word_in_common,
    islands,
    more_classes_than_target_documents,
    huge_and_tiny,
]


@pytest.mark.parametrize("dtype", [np.float64, pytest.param(np.float32, marks=pytest.mark.system)])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.filterwarnings("error", "ignore:.*shares no words:UserWarning")
def test_there_is_always_an_answer(estimator, case, dtype):
    Xs, ys, Xt = case(vocabulary_shift(n_docs=60, n_words=8))
    Xs, Xt = Xs.astype(dtype), Xt.astype(dtype)
    if isinstance(estimator, RSP) and case in (without_words, sources_without_words):
        with pytest.raises(ValueError, match=r"no document of .* has words: there is nothing to"):
            estimator.transfer(Xs, ys, Xt)
        return
    labels = estimator.transfer(Xs, ys, Xt)
    assert labels.shape == (Xt.shape[0],)
    assert set(labels) <= set(ys)
    assert np.isfinite(estimator.transduction_proba_).all()
    assert np.isfinite(estimator.predict_proba(Xt)).all()
    assert np.isfinite(estimator.predict_proba(Xs, "source", allow_source=True)).all()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_the_same_documents_get_the_same_label(estimator):
    Xs, ys, Xt = identical_documents(vocabulary_shift(n_docs=60, n_words=8))
    assert len(set(estimator.transfer(Xs, ys, Xt))) == 1
    np.testing.assert_array_equal(estimator.predict(Xt), estimator.transduction_)


@pytest.mark.parametrize("estimator", ESTIMATORS[:4], ids=str)
def test_one_document_is_labelled_by_its_words(estimator):
    task = vocabulary_shift(n_docs=60, n_words=8)
    own = task.Xs[:6]
    assert [estimator.transfer(task.Xs, task.ys, own[i : i + 1])[0] for i in range(6)] == task.ys[:6].tolist()


@pytest.mark.parametrize(
    ("n_source", "n_target"),
    [(0, 300), (5, 0), *(pytest.param(*sizes, marks=pytest.mark.system) for sizes in [(0, 1), (1, 0)])],
)
@pytest.mark.parametrize("estimator", ROBUST, ids=str)
def test_documents_without_words_change_the_labels_of_no_others(estimator, n_source, n_target):
    demo = load_demo()
    plain = estimator.transfer(demo.X_source, demo.y_source, demo.X_target).copy()
    nothing = sp.csr_array((300, demo.X_source.shape[1]))
    Xs = sp.vstack([nothing[:n_source], demo.X_source], format="csr")
    Xt = sp.vstack([nothing[:n_target], demo.X_target], format="csr")
    labels = estimator.transfer(Xs, np.append(demo.y_source[:n_source], demo.y_source), Xt)
    assert (labels[n_target:] != plain).mean() <= 0.03
