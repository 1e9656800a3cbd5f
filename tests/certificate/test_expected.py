"""What to expect before the first answer: limits that are known, and files of all sizes."""

import numpy as np
import pytest
from scipy.special import expit, logit

from labelferry.certificate import expected as module
from labelferry.certificate.accept import climb, given_answers
from labelferry.certificate.expected import (
    FROZEN,
    LEARNED,
    draw_lines,
    expected_further,
    expected_labels,
    fit_line,
    places,
    simulate,
)
from labelferry.certificate.ladder import make_ladder

SURE, HOPELESS = np.array([[-20.0, 0.0]]), np.array([[0.0, 0.0]])


def test_labels_that_are_surely_correct_or_wrong():
    right = simulate(500, SURE, 0.05, 0.05, 0, (40, 160))
    assert [tuple(one) for one in right] == [(40, 0, 0, 0, 0), (160, 500, 500, 500, 340)]
    assert [one.n for one in simulate(500, HOPELESS, 0.05, 0.05, 0, (40, 80, 160))] == [0, 0, 0]


def test_answers_that_are_learned_from_certify_nothing():
    assert [one.n for one in simulate(500, SURE, 0.1, 0.05, 20, (20, 40, 80))] == [0, 0, 480]
    assert simulate(500, SURE, 0.1, 0.05, 0, (40,))[0].n == 500


def test_the_mean_is_that_of_real_ladders():
    """Labels drawn from the same line, with other random numbers; 200 ladders."""
    n, error, rng = 400, 0.1, np.random.default_rng(123)
    p, sizes = expit(-2.5 + 0.8 * places(n)), []
    for seed in range(200):
        ladder = make_ladder(-np.arange(float(n)), p, error=error, seed=1000 + seed)
        steps = climb(ladder, rng.random(n) < p, given_answers(ladder, {}), 160)
        sizes.append([max(s.n for s in steps if s.more_answers <= m) for m in (80, 160)])
    found = simulate(n, np.tile([-2.5, 0.8], (200, 1)), error, 0.05, 0, (80, 160))
    se = np.sqrt(2) * np.std(sizes, axis=0) / np.sqrt(200)
    assert (np.abs([one.n for one in found] - np.mean(sizes, axis=0)) < 4 * se).all()


def test_more_answers_a_larger_limit_and_a_better_estimate_give_more_labels():
    def sizes(accuracy, error):
        return [one.n for one in expected_labels(1000, accuracy, error=error)]

    grid = {(a, e): sizes(a, e) for a in (0.6, 0.8, 0.95) for e in (0.05, 0.1, 0.2)}
    assert all(row == sorted(row) for row in grid.values())
    for a, b in [
        ((0.6, 0.1), (0.8, 0.1)),
        ((0.8, 0.1), (0.95, 0.1)),
        ((0.8, 0.05), (0.8, 0.1)),
        ((0.8, 0.1), (0.8, 0.2)),
    ]:
        assert all(x <= y for x, y in zip(grid[a], grid[b], strict=True))


def test_the_size_of_a_large_file_hardly_matters():
    for error in (0.05, 0.1):
        shares = [[one.n / n for one in expected_labels(n, 0.85, error=error)] for n in (2000, 1_000_000)]
        np.testing.assert_allclose(*shares, atol=0.02)


def test_lines_have_the_stated_distribution():
    x = np.array([1.0, -2.0])
    lines = draw_lines(x, LEARNED, 4000)
    mean = x @ np.array(LEARNED.B)
    assert lines.mean(axis=0) == pytest.approx(mean, abs=0.02)
    assert np.cov(lines.T) == pytest.approx(np.array(LEARNED.C), abs=0.02)
    assert (draw_lines(np.array([1.0, 5.0]), LEARNED, 100)[:, 1] >= 0).all()


def test_the_line_through_log_odds():
    assert fit_line(-1.5 + 0.6 * places(300)) == pytest.approx([-1.5, 0.6])
    assert fit_line(np.array([logit(0.2)])) == pytest.approx([logit(0.2), 0.0])


def test_further_answers_follow_the_ladder():
    """With p_wrong as the truth: the order of the rows does not matter, and known rows are not counted."""
    rng, n = np.random.default_rng(0), 500
    shuffled = rng.permutation(n)
    p = expit(-2.0 + 0.8 * places(n))[shuffled]
    ladder = make_ladder(-p, p, error=0.1, known=[3, 4])
    expected = expected_further(p[ladder.best_first], error=0.1, answers=(60, 140))
    x = np.append(1.0, fit_line(logit(np.sort(np.delete(p, [3, 4])))))
    assert expected == simulate(n - 2, draw_lines(x, FROZEN, module.N_DRAWS), 0.1, 0.05, 0, (60, 140))
    assert [one.n for one in expected_further(np.zeros(0), error=0.1)] == [0, 0, 0]


def test_tiny_files():
    for n in (1, 5, 20):
        assert all(0 <= one.low <= one.high <= n for one in expected_labels(n, 0.9, error=0.1))
