"""What answers tell about labels: closed forms, slow versions, planted errors, and coverage on drawn documents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit

from labelferry.assessment.from_answers import (
    MIN_ANSWERS,
    QUANTILE,
    UNSEEN,
    Sample,
    read_from_answers,
)
from labelferry.assessment.recalibration import OFFSET, SHIFT, STRETCH, features, recalibrate

EXAMPLES = settings(max_examples=25, deadline=None)


def answered(seed, n, n_classes, *, t=0.0, s=1.0):
    """Labels with probabilities, and whether they are correct: with the log-odds t + s x."""
    rng = np.random.default_rng(seed)
    p, labels = rng.uniform(0.3, 0.99, size=n), rng.integers(n_classes, size=n)
    return p, labels, rng.random(n) < expit(t + s * logit(p))


def drawn(seed, n=400, n_classes=3, sharp=0.4):
    """Documents with known class probabilities."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.full(n_classes, sharp), size=n)
    y = (rng.random(n)[:, None] > P.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return P, y, rng


def negative_log_posterior(theta, F, y):
    prior = np.append([0, 1], np.zeros(F.shape[1] - 2))
    widths = np.append([SHIFT, STRETCH], np.full(F.shape[1] - 2, OFFSET))
    p = expit(F @ theta)
    return -np.log(np.where(y, p, 1 - p)).sum() + (((theta - prior) / widths) ** 2).sum() / 2


# -- recalibration -----------------------------------------------------------------------------------------------------
def test_without_answers_the_probabilities_stay():
    nothing = np.zeros(0)
    fitted = recalibrate(nothing, nothing.astype(int), nothing.astype(bool), 3)
    p = np.array([0.4, 0.7, 0.95])
    np.testing.assert_allclose(fitted.confidence(p, np.arange(3)), p, atol=1e-12)


@EXAMPLES
@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(2, 5), st.floats(-3, 3))
def test_the_fit_is_the_minimum(seed, n, n_classes, t):
    p, labels, correct = answered(seed, n, n_classes, t=t)
    fitted = recalibrate(p, labels, correct, n_classes)
    F = features(p, labels, n_classes)
    slow = minimize(negative_log_posterior, np.zeros(n_classes + 2), (F, correct), method="BFGS")
    best = negative_log_posterior(fitted.coefficients, F, correct)
    assert best <= slow.fun + 1e-9
    np.testing.assert_allclose(fitted.coefficients, slow.x, atol=1e-3)


def test_the_covariance_is_the_inverse_of_the_second_differences():
    p, labels, correct = answered(1, 40, 3, t=-1)
    fitted = recalibrate(p, labels, correct, 3)
    F, step = features(p, labels, 3), 1e-3
    moves = step * np.eye(5)
    H = np.array(
        [
            [
                sum(
                    a * b * negative_log_posterior(fitted.coefficients + a * u + b * v, F, correct)
                    for a in (1, -1)
                    for b in (1, -1)
                )
                / (4 * step**2)
                for v in moves
            ]
            for u in moves
        ]
    )
    np.testing.assert_allclose(fitted.covariance @ H, np.eye(5), atol=1e-4)


def test_a_planted_shift_and_stretch_are_found():
    p, labels, correct = answered(0, 20_000, 2, t=-0.8, s=1.6)
    fitted = recalibrate(p, labels, correct, 2)
    for probability in (0.4, 0.6, 0.8, 0.95):
        expected = expit(-0.8 + 1.6 * logit(probability))
        assert fitted.confidence(np.array([probability]), np.array([0]))[0] == pytest.approx(expected, abs=0.015)


def test_a_label_that_is_always_wrong_loses_its_confidence():
    labels = np.arange(60) % 2
    fitted = recalibrate(np.full(60, 0.9), labels, labels == 0, 2)
    right, wrong = fitted.confidence(np.full(2, 0.9), np.arange(2))
    assert wrong < 0.35 < 0.7 < right


@EXAMPLES
@given(st.integers(0, 10_000), st.integers(0, 60))
def test_caution_lowers_every_confidence_and_vanishes_with_many_answers(seed, n):
    p, labels, correct = answered(seed, n, 2)
    fitted = recalibrate(p, labels, correct, 2)
    grid, label = np.linspace(0.05, 0.95, 10), np.zeros(10, dtype=int)
    assert (fitted.cautious(grid, label) < fitted.confidence(grid, label)).all()


def test_caution_vanishes_with_many_answers():
    p, labels, correct = answered(0, 40_000, 2)
    fitted = recalibrate(p, labels, correct, 2)
    grid, label = np.linspace(0.3, 0.95, 10), np.zeros(10, dtype=int)
    np.testing.assert_allclose(fitted.cautious(grid, label), fitted.confidence(grid, label), atol=0.01)


# -- estimates ---------------------------------------------------------------------------------------------------------
def test_if_all_documents_are_answered_everything_is_known():
    P, y, _ = drawn(0, n=30)
    found = read_from_answers(P, P, np.arange(30), y)
    assert (found.labels == y).all()
    assert tuple(found.accuracy) == tuple(found.balanced_accuracy) == (1, 1, 1, 1)
    np.testing.assert_allclose(found.proportions.mean, np.bincount(y, minlength=3) / 30)
    np.testing.assert_allclose(found.proportions.low, found.proportions.high)


def test_the_estimates_are_means_of_the_calibrated_probabilities():
    P, y, _ = drawn(1)
    rows = np.arange(25)
    found = read_from_answers(P, P[rows], rows, y[rows])
    q, labels = found.proba, found.labels
    np.testing.assert_allclose(q.sum(axis=1), 1)
    assert found.accuracy.mean == pytest.approx(q.max(axis=1).mean())
    recall = [q[labels == c, c].sum() / q[:, c].sum() for c in range(3)]
    assert found.balanced_accuracy.mean == pytest.approx(np.mean(recall))
    np.testing.assert_allclose(found.proportions.mean, q.mean(axis=0))


def slow_spread(sample, u):
    """Equation (4), one document after the other."""
    n, m, K = len(sample.q), len(sample.rows), sample.q.shape[1]
    total = UNSEEN
    for g, code in zip(sample.g, sample.codes, strict=True):
        label = int(np.argmax(g))
        seen = u[label][code] if code < K else 0
        total += (seen - sum(g[c] * u[label][c] for c in range(K))) ** 2
    variance = 0.0
    for i in range(n):
        if i not in sample.rows:
            values = u[sample.labels[i]]
            mean = sum(sample.q[i, c] * values[c] for c in range(K))
            variance += sum(sample.q[i, c] * (values[c] - mean) ** 2 for c in range(K))
    return np.sqrt(((n - m) / n) ** 2 * total / m**2 + variance / n**2)


@EXAMPLES
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 15))
def test_the_spread_is_that_of_the_slow_version(seed, n_classes, m):
    P, y, rng = drawn(seed, n=40, n_classes=n_classes)
    rows = rng.permutation(40)[:m]
    codes = np.where(rng.random(m) < 0.2, n_classes, y[rows])
    sample = Sample(P, P.argmax(axis=1), rng.dirichlet(np.ones(n_classes), size=m), rows, codes)
    u = rng.normal(size=(n_classes, n_classes))
    assert sample.spread(u) == pytest.approx(slow_spread(sample, u))


def test_the_change_of_balanced_accuracy_is_its_derivative():
    """To first order, balanced accuracy changes by the mean of the values whose spread is computed."""
    P, _, rng = drawn(2, n=200)
    labels, move = P.argmax(axis=1), 1e-4 * rng.normal(size=P.shape)
    move -= move.mean(axis=1, keepdims=True)
    sample = Sample(P, labels, P[:1], np.zeros(1, dtype=int), np.zeros(1, dtype=int))
    seen = []
    recording = type("Recording", (Sample,), {"spread": lambda self, u: seen.append(u) or 0.0})
    before = recording(*sample).balanced_accuracy().mean
    after = recording(*sample._replace(q=P + move)).balanced_accuracy().mean
    assert after - before == pytest.approx((move * seen[0][labels]).sum() / 200, rel=0.01)


@pytest.mark.parametrize("value", ["accuracy", "balanced_accuracy"])
def test_the_intervals_hold_for_documents_drawn_at_random(value):
    """The probabilities of these documents are too large. 90% are allowed to be three standard errors less."""
    n_runs, inside, errors = 300, 0, []
    for seed in range(n_runs):
        P, y, rng = drawn(seed, sharp=0.7)
        sharp = P**1.5 / (P**1.5).sum(axis=1, keepdims=True)
        rows = rng.permutation(len(y))[:50]
        found = read_from_answers(sharp, sharp[rows], rows, y[rows])
        labels = found.labels
        truth = (
            (labels == y).mean() if value == "accuracy" else np.mean([(labels[y == c] == c).mean() for c in range(3)])
        )
        estimate = getattr(found, value)
        inside += estimate.low <= truth <= estimate.high
        errors.append(estimate.mean - truth)
    assert inside / n_runs > 0.9 - 3 * np.sqrt(0.09 / n_runs)
    assert np.abs(errors).mean() < 0.05
    assert abs(np.mean(errors)) < 0.02


def test_intervals_of_proportions_hold():
    inside = []
    for seed in range(200):
        P, y, rng = drawn(seed, sharp=0.7)
        rows = rng.permutation(len(y))[:50]
        p = read_from_answers(P, P[rows], rows, y[rows]).proportions
        true = np.bincount(y, minlength=3) / len(y)
        inside += ((p.low <= true) & (true <= p.high)).tolist()
    assert np.mean(inside) > 0.9 - 3 * np.sqrt(0.09 / 200)


def test_documents_of_none_of_the_classes_are_wrong():
    P, y, _ = drawn(3)
    rows = np.arange(40)
    codes = np.where(rows < 20, 3, y[rows])
    found, without = (read_from_answers(P, P[rows], rows, c) for c in (codes, y[rows]))
    assert (found.confidence[:20] == 0).all()
    assert (found.confidence[20:40] == 1).all()
    assert found.accuracy.mean < without.accuracy.mean - 0.1
    assert found.proportions.mean.sum() == pytest.approx(1 - 20 / 400)


def test_a_class_that_cannot_occur_does_not_break_balanced_accuracy():
    P, y, _ = drawn(4, n_classes=2)
    P = np.column_stack([P, np.zeros(len(P))])
    found = read_from_answers(P, P[:30], np.arange(30), y[:30])
    assert 0 <= found.balanced_accuracy.low <= found.balanced_accuracy.mean <= found.balanced_accuracy.high <= 1


def test_few_answers_are_not_enough():
    P, y, _ = drawn(5)
    for m, enough in ((MIN_ANSWERS - 1, False), (MIN_ANSWERS, True)):
        found = read_from_answers(P, P[:m], np.arange(m), y[:m])
        assert found.enough is enough
        assert found.accuracy.high - found.accuracy.low <= 2 * QUANTILE * 0.5
