import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from labelferry.baselines import SGT
from labelferry.baselines.sgt import labels_of_class, on_sphere, transduce
from labelferry.linalg import eigen, knn
from labelferry.linalg.laplacian import graph, laplacian_operator

from ..methods.test_cdsc import HARD
from ..planted import two_sources, vocabulary_shift
from ..reference import spectral as slow


def laplacian(n=60, seed=0):
    W = knn.neighbor_graph(np.random.default_rng(seed).random((n, 8)), n_neighbors=6)
    return W, graph(W, float)


def test_operator_equals_dense_without_the_trivial_eigenvector():
    W, g = laplacian()
    W = W.toarray()
    root = np.diag(1 / np.sqrt(W.sum(axis=1)))
    L = np.eye(60) - root @ W @ root
    values, vectors = np.linalg.eigh(L)
    eigenpairs = eigen.smallest(laplacian_operator(g), 5, rng=np.random.default_rng(0))
    np.testing.assert_allclose(eigenpairs.values, values[1:6], atol=1e-10)
    np.testing.assert_allclose(np.abs((eigenpairs.vectors * vectors[:, 1:6]).sum(axis=0)), 1, atol=1e-8)
    np.testing.assert_allclose(np.sqrt(W.sum(axis=1)) @ eigenpairs.vectors, 0, atol=1e-8)


@given(st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_secular_equation_equals_the_papers_eigenvalue(seed):
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(1, 8)), float(rng.integers(5, 100))
    root = rng.standard_normal((d, d))
    G, b = root @ root.T + np.diag(np.arange(1, d + 1) ** 2), rng.standard_normal(d) * rng.choice([0.1, 10, 1000])
    w = on_sphere(G, b, n)
    assert w @ w == pytest.approx(n, rel=1e-6)
    np.testing.assert_allclose(w, slow.joachims_w(G, b, n), rtol=1e-4, atol=1e-4)


def test_no_point_of_the_sphere_is_lower():
    rng = np.random.default_rng(3)
    root = rng.standard_normal((4, 4))
    G, b, n = root @ root.T, rng.standard_normal(4), 9.0

    def value(w):
        w = w * np.sqrt(n / (w @ w))
        return w @ G @ w - 2 * b @ w

    lowest = min(minimize(value, rng.standard_normal(4)).fun for _ in range(20))
    assert value(on_sphere(G, b, n)) == pytest.approx(lowest, abs=1e-6)


@pytest.mark.parametrize("b", [np.zeros(3), np.array([0.0, 1.0, 0.0]), np.array([0.0, 50.0, 1.0])])
def test_labels_without_a_component_in_the_first_direction(b):
    """The hard case: b has no component along the smallest eigenvector, which is then added to reach the length."""
    G = np.diag([1.0, 4.0, 9.0])
    w = on_sphere(G, b, 10.0)
    assert w @ w == pytest.approx(10)
    mu = (w @ G @ w - b @ w) / 10
    assert mu <= 1 + 1e-9
    np.testing.assert_allclose((G - mu * np.eye(3)) @ w, b, atol=1e-6)


def test_targets_of_the_labels_are_balanced():
    """gamma sums to zero over the labelled documents and C gives both sides the same weight."""
    known = np.arange(20) < 12
    gamma, cost, threshold = labels_of_class(np.arange(20) < 3, known)
    assert gamma[known].sum() == pytest.approx(0)
    assert gamma @ gamma == pytest.approx(12)
    assert cost[:3].sum() == pytest.approx(cost[3:12].sum())
    assert (gamma[~known] == 0).all()
    assert threshold == pytest.approx((np.sqrt(3) - np.sqrt(1 / 3)) / 2)


def test_two_classes_are_one_problem():
    _, g = laplacian()
    U = eigen.smallest(laplacian_operator(g), 10, rng=np.random.default_rng(0)).vectors
    codes = np.where(np.arange(60) < 15, np.arange(60) % 2, -1)
    F = transduce(U, codes, 2, 100.0)
    np.testing.assert_allclose(F[:, 0], -F[:, 1], atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_solved(n_classes):
    task = vocabulary_shift(n_classes=n_classes)
    assert (SGT(random_state=0).transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95


def test_planted_with_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    assert (SGT(random_state=0).transfer(Xs, ys, Xt) == yt).mean() > 0.95


def test_new_documents_get_the_labels_of_a_new_fit():
    task = vocabulary_shift(n_docs=240, common=0.2)
    est, refit = SGT(random_state=0), SGT(random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt[:200])
    labels = refit.transfer(task.Xs, task.ys, task.Xt)[200:]
    assert (est.predict(task.Xt[200:]) == labels).mean() >= 0.95


@pytest.mark.parametrize("n_neighbors", [1, 3, 50])
@pytest.mark.parametrize("case", HARD)
def test_hard_input_has_a_defined_prediction(case, n_neighbors):
    Xs, Xt = HARD[case]
    est = SGT(n_neighbors, random_state=0)
    est.transfer(Xs, [0, 0, 0, 1, 1, 1], Xt)
    assert np.isfinite(est.transduction_proba_).all()
    assert np.isfinite(est.predict_proba(np.vstack([Xt, np.zeros_like(Xt[:1])]))).all()
