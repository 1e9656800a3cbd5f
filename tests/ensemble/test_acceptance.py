"""The score of labels: ranks, neighbors and the fitted chance to be wrong."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import rankdata

from labelferry.assessment.confidence import ConfidenceCoefficients
from labelferry.ensemble import acceptance
from labelferry.ensemble.acceptance import (
    candidates,
    chance_wrong,
    find_neighbors,
    fit_line,
    label_score,
    log_margin,
    neighbors_probability,
)
from labelferry.ensemble.labelled_pool import PoolInputs, fit_pool, pool_labels
from labelferry.linalg.normalize import normalize_rows_l2


def some_inputs(n=300, n_classes=3, seed=0):
    """Two members of different quality; documents of a class are near each other."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n)

    def member(strength):
        score = rng.normal(size=(n, n_classes)) + strength * np.eye(n_classes)[truth]
        P = np.exp(score)
        return P / P.sum(axis=1, keepdims=True)

    members = {"good": member(3.0), "poor": member(0.5)}
    Z = normalize_rows_l2(np.eye(8)[truth] + 0.3 * rng.normal(size=(n, 8)))
    start = (members["good"] + members["poor"]) / 2
    return PoolInputs(start, members, Z), truth


def test_the_neighbors_probability_equals_a_loop():
    inputs, _ = some_inputs(80)
    P, Z = inputs.start, inputs.coordinates
    expected = []
    for i in range(80):
        cosines = Z @ Z[i]
        cosines[i] = -1
        near = np.argsort(-cosines)[: acceptance.N_NEIGHBORS]
        expected.append(P[near, P[i].argmax()].mean())
    np.testing.assert_allclose(neighbors_probability(P, find_neighbors(Z)), expected, rtol=1e-9)


def test_neighbors_among_a_sample_leave_the_document_itself_out(monkeypatch):
    inputs, _ = some_inputs(200)
    monkeypatch.setattr(acceptance, "N_COMPARED", 50)
    P = np.eye(3)[inputs.start.argmax(axis=1)]
    lonely = np.vstack([np.eye(200)[:, :8], np.eye(8)])[:200]  # most rows are zero: no neighbor at all
    np.testing.assert_array_equal(neighbors_probability(P, find_neighbors(lonely[:, :8])), np.ones(200))
    near = find_neighbors(inputs.coordinates)
    assert (near.rows != near.others).all()
    assert len(np.unique(near.others)) <= 50
    values = neighbors_probability(inputs.start, find_neighbors(inputs.coordinates))
    assert values.shape == (200,)
    assert ((values > 0) & (values < 1)).all()


def test_the_score_is_the_mean_of_three_ranks():
    inputs, _ = some_inputs()
    P = inputs.start
    c = ConfidenceCoefficients(0.0, 1.0, 2.0, 3.0)
    near = find_neighbors(inputs.coordinates)
    votes = np.mean([M.argmax(axis=1) == P.argmax(axis=1) for M in inputs.members.values()], axis=0)
    ordered = np.sort(P, axis=1)
    rank = (rankdata(ordered[:, -1] - ordered[:, -2]) - 0.5) / len(P)
    parts = [
        np.log(ordered[:, -1] / ordered[:, -2]),
        2 * votes + 3 * rank,
        neighbors_probability(P, near),
    ]
    expected = np.mean([(rankdata(part) - 0.5) / len(P) for part in parts], axis=0)
    np.testing.assert_allclose(label_score(P, inputs.members, near, c), expected)


def test_labels_with_a_high_score_are_correct_more_often():
    inputs, truth = some_inputs(1000)
    result = candidates(inputs, np.zeros(0), np.zeros(0), np.full(1000, 0.8))
    correct = (result.labels == truth)[np.argsort(-result.score)]
    assert correct[:300].mean() > correct.mean() + 0.05
    np.testing.assert_allclose(result.p_wrong, 0.2)
    np.testing.assert_array_equal(result.labels, inputs.start.argmax(axis=1))


def test_after_learning_the_labels_are_those_of_the_pool():
    inputs, truth = some_inputs()
    rows = np.arange(40)
    result = candidates(inputs, rows, truth[rows], np.full(300, 0.8))
    expected = pool_labels(inputs, fit_pool(inputs, rows, truth[rows]), rows, truth[rows])
    np.testing.assert_array_equal(result.labels, expected.argmax(axis=1))
    assert ((result.p_wrong > 0) & (result.p_wrong < 1)).all()


def test_the_line_maximizes_the_posterior():
    rng = np.random.default_rng(0)
    top = rng.uniform(0.4, 0.99, 60)
    correct = rng.random(60) < top

    def posterior(a, b):
        p = expit(a + b * logit(top))
        return np.log(np.where(correct, p, 1 - p)).sum() - a**2 / 2 - ((b - 0.7) / 0.3) ** 2 / 2

    a, b = fit_line(top, correct)
    best = posterior(a, b)
    for da, db in [(0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01)]:
        assert posterior(a + da, b + db) < best
    assert fit_line(np.zeros(0), np.zeros(0, dtype=bool)) == pytest.approx((0, 0.7), abs=1e-6)


def test_many_answers_calibrate_the_chance_to_be_wrong():
    rng = np.random.default_rng(1)
    top = rng.uniform(0.5, 0.999, 20_000)
    correct = rng.random(20_000) < expit(-0.5 + 0.8 * logit(top))
    assert fit_line(top, correct) == pytest.approx((-0.5, 0.8), abs=0.06)
    assert chance_wrong(top, *fit_line(top, correct)).mean() == pytest.approx(1 - correct.mean(), abs=0.005)


def test_probabilities_of_zero_and_one_class_are_allowed():
    assert np.isfinite(log_margin(np.array([[1.0, 0.0], [0.5, 0.5]]))).all()
    assert log_margin(np.ones((3, 1))).tolist() == [0, 0, 0]
    assert np.isfinite(chance_wrong(np.array([0.0, 1.0]), 0.0, 0.7)).all()


def test_answers_that_name_no_class_teach_nothing_but_count_as_wrong():
    inputs, _ = some_inputs()
    rows = np.arange(30)
    result = candidates(inputs, rows, np.full(30, -1), np.full(300, 0.8))
    np.testing.assert_array_equal(result.labels, inputs.start.argmax(axis=1))
    assert result.p_wrong.mean() > 0.5
