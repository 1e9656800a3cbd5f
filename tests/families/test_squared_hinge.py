import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.svm import LinearSVC

from labelferry.families.squared_hinge import (
    Machine,
    decisions,
    fit_machine,
    hessian_product,
    linear_model,
    no_graph,
    slacks,
    unit_scale,
    value_and_gradient,
)
from labelferry.linalg.knn import neighbor_graph
from labelferry.linalg.laplacian import graph, normalized_laplacian


def machine(seed=0, n=40, n_words=6, smooth=0.7):
    rng = np.random.default_rng(seed)
    X = rng.random((n, n_words))
    y = np.where(X[:, 0] + 0.3 * rng.standard_normal(n) > 0.5, 1.0, -1.0)
    L = normalized_laplacian(graph(neighbor_graph(X, n_neighbors=4), float)) * smooth
    return Machine(X, y, rng.choice([0.0, 0.3, 2.0], size=n), L)


def value(point, m):
    return value_and_gradient(point, decisions(m.X, point), m)[0]


def gradient(point, m):
    return value_and_gradient(point, decisions(m.X, point), m)[1]


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_gradient_and_hessian_are_those_of_the_value(seed):
    m = machine(seed)
    rng = np.random.default_rng(seed)
    point, direction = rng.standard_normal(7), rng.standard_normal(7)
    np.testing.assert_allclose(gradient(point, m), approx_fprime(point, value, 1e-7, m), rtol=1e-4, atol=1e-4)
    f, h = decisions(m.X, point), 1e-7
    if np.abs(1 - m.y * f).min() > 1e-4:  # no document enters or leaves the margin
        change = (gradient(point + h * direction, m) - gradient(point - h * direction, m)) / (2 * h)
        np.testing.assert_allclose(hessian_product(direction, f, m), change, rtol=1e-4, atol=1e-4)


def test_value_equals_its_definition():
    m = machine(1)
    point = np.random.default_rng(1).standard_normal(7)
    f = m.X @ point[:-1] + point[-1]
    loss = sum(c * max(0, 1 - y * fi) ** 2 for c, y, fi in zip(m.cost, m.y, f, strict=True))
    assert value(point, m) == pytest.approx(0.5 * point[:-1] @ point[:-1] + loss + 0.5 * f @ m.L.toarray() @ f)
    np.testing.assert_allclose(slacks(f, m.y), [max(0, 1 - y * fi) for y, fi in zip(m.y, f, strict=True)])


@pytest.mark.parametrize("smooth", [0.0, 0.7])
def test_the_minimum_does_not_depend_on_the_start(smooth):
    m = machine(2, smooth=smooth)
    optima = [fit_machine(m), fit_machine(m, np.full(7, 5.0)), fit_machine(m, -np.arange(7.0))]
    for optimum in optima:
        assert optimum.converged
        assert np.linalg.norm(gradient(optimum.point, m)) < 1e-3
        np.testing.assert_allclose(optimum.point, optima[0].point, atol=1e-3)
    rng = np.random.default_rng(0)
    assert all(value(optima[0].point + 0.1 * rng.standard_normal(7), m) > optima[0].value for _ in range(50))


def test_equals_liblinear_except_for_its_penalty_on_the_intercept():
    m = machine(3)._replace(L=no_graph(40), cost=np.full(40, 0.5))
    reference = LinearSVC(C=0.5, dual=False, intercept_scaling=1e3, tol=1e-10, max_iter=10_000).fit(m.X, m.y)
    point = fit_machine(m).point
    np.testing.assert_allclose(point[:-1], reference.coef_[0], atol=1e-3)
    assert point[-1] == pytest.approx(reference.intercept_[0], abs=1e-3)


@pytest.mark.parametrize("word", [0.0, 1.0])
def test_equal_documents_have_the_solution_zero(word):
    """Up to rounding, no direction lowers J from w = 0, b = 0."""
    m = Machine(np.full((30, 1), word), np.where(np.arange(30) < 15, 1.0, -1.0), np.full(30, 0.7), no_graph(30))
    optimum = fit_machine(m)
    assert optimum.converged
    np.testing.assert_allclose(optimum.point, 0, atol=1e-12)
    np.testing.assert_allclose(fit_machine(m, np.array([2.0, -1.0])).point, 0, atol=1e-5)


def test_a_start_near_the_minimum_needs_fewer_steps():
    m = machine(4, n=400)
    first = fit_machine(m)
    changed = m._replace(y=np.where(np.arange(400) < 3, -m.y, m.y))
    assert fit_machine(changed, first.point).n_iter <= fit_machine(changed).n_iter


def test_scale_is_removed_and_restored():
    X = sp.random_array((30, 8), density=0.5, rng=np.random.default_rng(0), dtype=np.float32).tocsr() * np.float32(50)
    Z, length = unit_scale(X)
    assert Z.dtype == np.float64
    assert (Z.multiply(Z)).sum() / 30 == pytest.approx(1)
    point = np.arange(9.0)
    model = linear_model([point], length, np.float64)
    np.testing.assert_allclose((X @ model.coef.T + model.intercept)[:, 0], decisions(Z, point), rtol=1e-5)


def test_single_precision_does_not_overflow():
    Z, length = unit_scale(np.full((2, 2), 1e25, dtype=np.float32))
    np.testing.assert_allclose(Z, 0.5**0.5, rtol=1e-6)
    assert length == pytest.approx(2**0.5 * 1e25)


def test_a_node_without_edges_is_not_smoothed():
    W = sp.csr_array(np.array([[0, 2.0, 0], [2, 0, 0], [0, 0, 0]]))
    L = normalized_laplacian(graph(W, float)).toarray()
    np.testing.assert_allclose(L, [[1, -1, 0], [-1, 1, 0], [0, 0, 0]])
