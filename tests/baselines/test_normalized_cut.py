import numpy as np
import pytest

from labelferry.baselines import NormalizedCut
from labelferry.linalg.laplacian import Similarity, cut_operator
from labelferry.linalg.normalize import normalize_rows_l2

from ..methods.test_cdsc import HARD, same_up_to_sign
from ..planted import two_sources, vocabulary_shift
from ..reference import spectral as slow


@pytest.mark.parametrize("tau", [0, 1])
def test_thin_equals_dense(tau):
    task = vocabulary_shift(n_docs=100)
    W = slow.regularized(slow.cosines(task.Xt.toarray()), tau)
    T = slow.cdsc_matrix(W, np.zeros((100, 1)), np.zeros(100, bool), 0, 0)
    np.testing.assert_allclose(cut_operator(Similarity(task.Xt, tau)) @ np.eye(100), T, atol=1e-10)
    est = NormalizedCut(degree_regularization=tau, random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt)
    values, X, Y = slow.cdsc_rows(W, T, 2)
    np.testing.assert_allclose(est.state_.extension.values, values, atol=1e-10)
    same_up_to_sign(est.state_.vectors, X, atol=1e-8)
    same_up_to_sign(normalize_rows_l2(est.state_.vectors), Y, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_solved(n_classes):
    task = vocabulary_shift(n_classes=n_classes)
    assert (NormalizedCut(random_state=0).transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95


def test_planted_with_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    assert (NormalizedCut(random_state=0).transfer(Xs, ys, Xt) == yt).mean() > 0.95


def test_the_source_names_clusters_and_does_not_change_them(monkeypatch):
    monkeypatch.setattr(
        NormalizedCut, "sorts", False
    )  # the order by content, and so the random start, depends on all documents
    task = vocabulary_shift(n_docs=100)
    one, other = NormalizedCut(random_state=0), NormalizedCut(random_state=0)
    one.transfer(task.Xs, task.ys, task.Xt)
    other.transfer(task.Xs[:20], 1 - task.ys[:20], task.Xt)
    np.testing.assert_array_equal(one.state_.vectors, other.state_.vectors)
    np.testing.assert_array_equal(one.transduction_, 1 - other.transduction_)


def test_new_documents_get_the_labels_of_a_new_fit():
    task = vocabulary_shift(n_classes=3, n_docs=240, common=0.2)
    est, refit = NormalizedCut(random_state=0), NormalizedCut(random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt[:200])
    labels = refit.transfer(task.Xs, task.ys, task.Xt)[200:]
    assert (est.predict(task.Xt[200:]) == labels).mean() >= 0.95


def test_more_clusters_than_classes_share_names():
    task = vocabulary_shift(n_docs=100)
    est = NormalizedCut(n_clusters=5, random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.9
    assert est.state_.names.shape == (5,)


@pytest.mark.parametrize("tau", [0.0, 1.0])
@pytest.mark.parametrize("k", [None, 1, 50])
@pytest.mark.parametrize("case", HARD)
def test_hard_input_has_a_defined_prediction(case, k, tau):
    Xs, Xt = HARD[case]
    est = NormalizedCut(k, degree_regularization=tau, random_state=0)
    est.transfer(Xs, [0, 0, 0, 1, 1, 1], Xt)
    assert np.isfinite(est.transduction_proba_).all()
    assert np.isfinite(est.predict_proba(np.vstack([Xt, np.zeros_like(Xt[:1])]))).all()
