import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.baselines import NMFClustering
from labelferry.baselines.nmf_clustering import factorize, memberships, objective, weigh
from labelferry.linalg.normalize import normalize_rows_l2

from ..planted import two_sources, vocabulary_shift
from ..reference import nmf_clustering as slow


def test_objective_equals_the_loops():
    rng = np.random.default_rng(0)
    X, U, V = rng.random((6, 5)), rng.random((5, 2)), rng.random((6, 2))
    assert objective(U, V, X) == pytest.approx(slow.objective(U, V, X))
    assert objective(U, V, sp.csr_array(X)) == pytest.approx(slow.objective(U, V, X))
    assert objective(*slow.normalized(U, V), X) == pytest.approx(objective(U, V, X))


def test_the_updates_of_the_paper_do_not_lower_the_final_objective():
    X = vocabulary_shift(n_docs=60, n_words=8).Xt
    solution = factorize(X, 2, max_iter=2000, tol=1e-10, rng=np.random.default_rng(0))
    U, V = solution.state, memberships(X, solution.state)
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1)
    assert objective(U, V, X) == pytest.approx(solution.history[-1], rel=1e-6)  # V of (2) is V of the fit
    dense = X.toarray()
    A, B = U + 1e-12, V + 1e-12
    for _ in range(20):
        A, B = slow.cycle(A, B, dense)
    assert objective(A, B, X) == pytest.approx(solution.history[-1], rel=1e-5)
    moved = slow.normalized(A, B)
    np.testing.assert_allclose(moved[0], U, atol=1e-3)
    np.testing.assert_array_equal(moved[1].argmax(axis=1), V.argmax(axis=1))


def test_memberships_are_the_best_for_given_clusters():
    rng = np.random.default_rng(0)
    U = np.asarray(normalize_rows_l2(rng.random((3, 9)))).T
    V = rng.random((20, 3)) * (rng.random((20, 3)) > 0.4)
    np.testing.assert_allclose(memberships(V @ U.T, U), V, atol=1e-3)
    np.testing.assert_allclose(memberships(5 * V @ U.T, U), 5 * V, atol=5e-3)  # V scales with the length of a document


def test_cut_weighting_is_that_of_the_normalized_cut():
    """The leading singular value is 1 and its vector the root of the degrees, the trivial eigenvector of the cut."""
    X = vocabulary_shift(n_docs=40, n_words=8).Xt
    Z = normalize_rows_l2(X).toarray()
    degree = (Z @ Z.T).sum(axis=1)
    np.testing.assert_allclose(weigh(X, "cut").toarray(), Z / np.sqrt(degree)[:, None])
    left, values, _ = np.linalg.svd(weigh(X, "cut").toarray())
    assert values[0] == pytest.approx(1)
    np.testing.assert_allclose(abs(left[:, 0]), np.sqrt(degree / degree.sum()))
    np.testing.assert_allclose(weigh(X, "none").toarray(), Z)


@pytest.mark.parametrize("weighting", ["none", "cut"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_bridged(n_classes, weighting):
    task = vocabulary_shift(n_classes=n_classes)
    est = NMFClustering(weighting=weighting, random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95


def test_the_source_names_clusters_and_does_not_change_them(monkeypatch):
    monkeypatch.setattr(
        NMFClustering, "sorts", False
    )  # the order by content, and so the random start, depends on all documents
    task = vocabulary_shift(n_docs=100)
    one, other = NMFClustering(random_state=0), NMFClustering(random_state=0)
    one.transfer(task.Xs, task.ys, task.Xt)
    other.transfer(task.Xs[:20], 1 - task.ys[:20], task.Xt)
    np.testing.assert_array_equal(one.state_.U[0], other.state_.U[0])
    np.testing.assert_array_equal(one.transduction_, 1 - other.transduction_)


def test_more_clusters_and_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = NMFClustering(n_clusters=5, random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.9
    assert est.state_.U[0].shape == (Xt.shape[1], 5)


def test_more_starts_do_not_raise_the_objective():
    task = vocabulary_shift(n_classes=4, n_docs=100)
    ends = []
    for n_init in (1, 5):
        est = NMFClustering(n_init=n_init, random_state=0)
        est.transfer(task.Xs, task.ys, task.Xt)
        ends.append(est.objective_history_[-1])
    assert ends[1] <= ends[0]


def test_too_few_iterations_are_reported():
    task = vocabulary_shift(n_docs=60)
    short, long = NMFClustering(max_iter=1, random_state=0), NMFClustering(max_iter=1000, random_state=0)
    short.transfer(task.Xs, task.ys, task.Xt)
    long.transfer(task.Xs, task.ys, task.Xt)
    assert (short.converged_, long.converged_) == (False, True)


@pytest.mark.parametrize("weighting", ["none", "cut"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("Xt", [np.zeros((3, 4)), np.ones((3, 4)), np.eye(4)[:1]], ids=["empty", "equal", "single"])
def test_degenerate_input_gives_finite_probabilities(Xt, kind, weighting):
    est = NMFClustering(weighting=weighting, random_state=0)
    est.transfer(kind(np.eye(4)), [0, 0, 1, 1], kind(Xt))
    assert np.isfinite(est.transduction_proba_).all()
    assert np.isfinite(est.predict_proba(np.eye(4))).all()
