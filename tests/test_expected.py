"""What to expect before the first answer: limits that are known, and files of all sizes."""

import numpy as np
import pytest

from labelferry.certificate.accept import given_answers
from labelferry.certificate.ahead import climb
from labelferry.certificate.expected import expected_labels, uncertainty
from labelferry.certificate.ladder import make_ladder


def test_labels_that_are_surely_correct_or_wrong():
    score = np.arange(500.0)
    right = expected_labels(score, np.zeros(500), error=0.05, answers=(40, 160))
    assert (right[0].n, right[1].low, right[1].high) == (0, 500, 500)  # no answer is enough for 5 % with 40 answers
    assert [one.n for one in expected_labels(score, np.full(500, 0.5), error=0.05)] == [0, 0, 0]


def test_answers_that_are_learned_from_certify_nothing():
    right = expected_labels(np.arange(500.0), np.zeros(500), error=0.1, n_learned=20, answers=(20, 40, 80))
    assert [one.n for one in right] == [0, 0, 480]
    plain = expected_labels(np.arange(500.0), np.zeros(500), error=0.1, answers=(20, 40, 80))
    assert plain[1].n > 0


def test_more_answers_a_larger_limit_and_a_gain_give_more_labels():
    score, p = np.arange(1000.0), np.linspace(0.4, 0.01, 1000)
    sizes = [[one.n for one in expected_labels(score, p, error=e, sd=0.5)] for e in (0.05, 0.1, 0.2)]
    assert all(row == sorted(row) for row in sizes)
    assert all(a <= b for a, b in zip(sizes[0], sizes[1], strict=True))
    assert all(a <= b for a, b in zip(sizes[1], sizes[2], strict=True))
    more = [one.n for one in expected_labels(score, p, error=0.1, sd=0.5, gain=1.0)]
    assert all(a <= b for a, b in zip(sizes[1], more, strict=True))


def test_the_size_of_a_large_file_hardly_matters():
    for error in (0.05, 0.1):
        shares = []
        for n in (2000, 50_000):
            p = 0.3 * np.linspace(1, 0, n) ** 2
            shares.append([one.n / n for one in expected_labels(np.arange(float(n)), p, error=error)])
        np.testing.assert_allclose(*shares, atol=0.02)


def test_the_mean_is_that_of_real_ladders():
    """Labels drawn from p_wrong, with other random numbers; 200 ladders."""
    n, error, rng = 400, 0.1, np.random.default_rng(123)
    score, p = np.arange(float(n)), 0.3 * np.linspace(1, 0, n) ** 2
    sizes = []
    for seed in range(200):
        ladder = make_ladder(score, p, error=error, seed=1000 + seed)
        steps = climb(ladder, rng.random(n) < p, given_answers(ladder, {}), 160)
        sizes.append([max(s.n for s in steps if s.more_answers <= m) for m in (80, 160)])
    expected = expected_labels(score, p, error=error, answers=(80, 160), n_draws=200)
    se = np.sqrt(2) * np.std(sizes, axis=0) / np.sqrt(200)
    assert (np.abs([one.n for one in expected] - np.mean(sizes, axis=0)) < 4 * se).all()


def test_a_wider_interval_gives_a_wider_range():
    score, p = np.arange(1000.0), 0.2 * np.linspace(1, 0, 1000)
    narrow, wide = (expected_labels(score, p, error=0.1, sd=sd)[-1] for sd in (0.0, 1.5))
    assert wide.high - wide.low > narrow.high - narrow.low
    assert uncertainty(0.9, 0.9) == 0
    assert uncertainty(0.9, 0.95) == 0
    assert uncertainty(1.0, 0.0) == pytest.approx(2 * np.log(99) / 1.6449, rel=1e-3)


def test_tiny_files():
    for n in (1, 5, 20):
        result = expected_labels(np.arange(float(n)), np.full(n, 0.1), error=0.1, n_learned=20)
        assert all(0 <= one.low <= one.high <= n for one in result)
