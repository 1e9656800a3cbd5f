"""Labels that learn from answers: closed forms, the gradient, few answers, permutations, and held-out answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from labelferry.ensemble.labelled_pool import (
    RIDGES,
    Design,
    PoolInputs,
    Ridges,
    answer_weights,
    fit_pool,
    held_out,
    keep_inputs,
    kernel,
    loss,
    pool_labels,
)
from labelferry.ensemble.pool import rank_calibrate

EXAMPLES = settings(max_examples=20, deadline=None)
NO_KERNEL = float("inf")


def inputs_of(seed=0, n=120, n_classes=3, members=("a", "b", "c")):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 5))
    proba = {name: rng.dirichlet(np.full(n_classes, 0.7), size=n) for name in members}
    start = rng.dirichlet(np.full(n_classes, 0.7), size=n)
    return PoolInputs(start, proba, Z / np.linalg.norm(Z, axis=1, keepdims=True))


def learn(inputs, rows, codes, ridges=RIDGES):
    return pool_labels(inputs, fit_pool(inputs, rows, codes, ridges), rows, codes)


def planted(seed=0, n=600):
    """The start is almost flat and one member is noise; the other member has 90% correct labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    good = np.where(rng.random(n) < 0.9, y, 1 - y)
    noise = [rng.dirichlet([1, 1], size=n) for _ in range(2)]
    Z = rng.normal(size=(n, 4))
    members = {"good": np.eye(2)[good] * 0.8 + 0.1, "noise": noise[0]}
    return PoolInputs(0.4 + 0.2 * noise[1], members, Z / np.linalg.norm(Z, axis=1, keepdims=True)), y


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_gradient_is_that_of_the_loss(n_classes):
    rng = np.random.default_rng(0)
    codes = rng.integers(n_classes, size=9)
    d = Design(
        rng.normal(size=(9, n_classes)),
        rng.normal(size=(9, n_classes, 4)),
        0.7,
        rng.normal(size=(9, 9)),
        codes,
        answer_weights(codes),
    )
    theta = rng.normal(size=4 + n_classes + 9 * n_classes)
    numeric = approx_fprime(theta, lambda t: loss(t, d)[0], 1e-7)
    np.testing.assert_allclose(loss(theta, d)[1], numeric, atol=1e-4)


def test_one_member_without_ridge_is_logistic_calibration():
    rng = np.random.default_rng(0)
    n = 200
    P = rng.dirichlet([1, 1], size=n)
    inputs = PoolInputs(np.full((n, 2), 0.5), {"one": P}, np.ones((n, 1)))
    log_S = np.log(rank_calibrate(P))
    odds = (log_S[:, 1] - log_S[:, 0])[:, None]
    y = (rng.random(n) < 1 / (1 + np.exp(0.5 - 0.4 * odds[:, 0]))).astype(int)
    rows = np.arange(100)
    pool = fit_pool(inputs, rows, y[rows], Ridges(1e-8, 1e-8, NO_KERNEL))
    model = LogisticRegression(C=1e8, tol=1e-10, max_iter=1000)
    model.fit(odds[rows], y[rows], sample_weight=answer_weights(y[rows]))
    assert pool.weights[0] == pytest.approx(model.coef_[0, 0], rel=1e-3)
    assert pool.bias[1] - pool.bias[0] == pytest.approx(model.intercept_[0], abs=1e-3)


@EXAMPLES
@given(st.integers(0, 1000), st.integers(2, 5))
def test_infinite_ridges_keep_the_start(seed, n_classes):
    inputs = inputs_of(seed, n_classes=n_classes)
    rows = np.arange(30)
    codes = np.random.default_rng(seed).integers(n_classes, size=30)
    P = learn(inputs, rows, codes, Ridges(NO_KERNEL, NO_KERNEL, NO_KERNEL))
    assert np.array_equal(P[30:].argmax(axis=1), inputs.start[30:].argmax(axis=1))
    np.testing.assert_allclose(P[30:], inputs.start[30:], atol=1e-5)


def test_without_answers_the_labels_are_those_of_the_start():
    inputs, nothing = inputs_of(), np.zeros(0, dtype=int)
    assert np.array_equal(learn(inputs, nothing, nothing).argmax(axis=1), inputs.start.argmax(axis=1))
    assert held_out(inputs, nothing, nothing).shape == (0, 3)


def test_a_good_member_is_found_by_its_answers():
    inputs, y = planted()
    rows = np.arange(60)
    pool = fit_pool(inputs, rows, y[rows])
    assert pool.weights[0] > 4 * abs(pool.weights[1])
    P = pool_labels(inputs, pool, rows, y[rows])
    assert (P.argmax(axis=1) == y)[60:].mean() > 0.85
    assert (inputs.start.argmax(axis=1) == y)[60:].mean() < 0.6
    assert (held_out(inputs, rows, y[rows]).argmax(axis=1) == y[rows]).mean() > 0.75


def test_the_kernel_part_learns_what_no_member_knows():
    Z = np.repeat(np.eye(2), 50, axis=0)  # two groups of documents
    flat = np.tile([0.6, 0.4], (100, 1))
    inputs = PoolInputs(flat, {"flat": flat}, Z)
    rows, codes = np.array([0, 1, 2, 3, 50, 51, 52, 53]), np.array([1, 1, 1, 1, 0, 0, 0, 0])
    labels = learn(inputs, rows, codes).argmax(axis=1)
    assert (labels[:50] == 1).all()
    assert (labels[50:] == 0).all()


@pytest.mark.parametrize("code", [0, 2])
def test_one_answer_and_one_class(code):
    inputs = inputs_of()
    one = learn(inputs, np.array([7]), np.array([code]))
    assert one[7].tolist() == np.eye(3)[code].tolist()
    assert np.isfinite(one).all()
    many = learn(inputs, np.arange(20), np.full(20, code))
    counts = [(P.argmax(axis=1)[20:] == code).sum() for P in (inputs.start, one, many)]
    assert counts[0] <= counts[1] <= counts[2]
    assert np.allclose(many.sum(axis=1), 1)
    assert held_out(inputs, np.array([7]), np.array([code])).argmax() == inputs.start[7].argmax()


@EXAMPLES
@given(st.integers(0, 1000))
def test_the_order_of_classes_answers_and_documents_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    inputs, rows, codes = inputs_of(seed), rng.permutation(120)[:25], rng.integers(3, size=25)
    P = learn(inputs, rows, codes)
    order = rng.permutation(25)
    np.testing.assert_allclose(learn(inputs, rows[order], codes[order]), P, atol=2e-3)
    classes = rng.permutation(3)
    turned = PoolInputs(
        inputs.start[:, classes], {m: A[:, classes] for m, A in inputs.members.items()}, inputs.coordinates
    )
    np.testing.assert_allclose(learn(turned, rows, np.argsort(classes)[codes]), P[:, classes], atol=2e-3)
    documents = rng.permutation(120)
    moved = PoolInputs(
        inputs.start[documents], {m: A[documents] for m, A in inputs.members.items()}, inputs.coordinates[documents]
    )
    np.testing.assert_allclose(learn(moved, np.argsort(documents)[rows], codes), P[documents], atol=2e-3)


def test_none_of_these_and_unclear_are_ignored():
    inputs, rows, codes = inputs_of(), np.arange(20), np.arange(20) % 3
    more, other = np.append(rows, [30, 31]), np.append(codes, [3, -1])
    assert np.array_equal(learn(inputs, more, other), learn(inputs, rows, codes))
    assert held_out(inputs, more, other).shape == (22, 3)


@pytest.mark.parametrize("n", [4, 30])
def test_held_out_probabilities_do_not_depend_on_the_own_answer(n):
    inputs, rows, codes = inputs_of(), np.arange(n), np.arange(n) % 3
    P = held_out(inputs, rows, codes)
    for i in range(0, n, 3):
        for other in ((codes[i] + 1) % 3, 3, -1):
            changed = codes.copy()
            changed[i] = other
            assert np.array_equal(held_out(inputs, rows, changed)[i], P[i])
    twice = held_out(inputs, np.append(rows, 0), np.append(codes, 2))
    assert np.array_equal(twice[0], twice[-1])


def test_two_answers_to_one_document_are_no_error():
    P = learn(inputs_of(), np.array([3, 3, 5]), np.array([1, 1, 0]))
    assert P[3].argmax() == 1


def test_many_answers_are_all_kept(monkeypatch):
    monkeypatch.setattr("labelferry.ensemble.labelled_pool.MAX_INFLUENTIAL", 5)
    inputs, codes = inputs_of(), np.arange(60) % 3
    pool = fit_pool(inputs, np.arange(60), codes)
    assert pool.influence.shape == (5, 3)
    assert (pool_labels(inputs, pool, np.arange(60), codes)[:60].argmax(axis=1) == codes).all()


def test_documents_without_coordinates_get_no_kernel_part():
    assert np.array_equal(kernel(np.zeros((2, 3)), np.eye(3)), np.zeros((2, 3)))
    inputs = inputs_of()._replace(coordinates=np.zeros((120, 5)))
    assert np.isfinite(learn(inputs, np.arange(10), np.arange(10) % 3)).all()


def test_single_precision_inputs_give_the_same_labels():
    inputs, rows, codes = inputs_of(), np.arange(30), np.arange(30) % 3
    single = keep_inputs(*inputs)
    assert single.start.dtype == np.float32
    np.testing.assert_allclose(learn(single, rows, codes), learn(inputs, rows, codes), atol=2e-3)


def test_many_answers_in_few_dimensions_can_be_learned_from():
    """The kernel has negative eigenvalues there."""
    inputs, y = planted()
    rows = np.arange(100)
    Z = inputs.coordinates[rows]
    assert np.linalg.eigvalsh(kernel(Z, Z))[0] < -1e-3
    labels = learn(inputs, rows, y[rows]).argmax(axis=1)
    assert (labels == y)[100:].mean() > 0.85
