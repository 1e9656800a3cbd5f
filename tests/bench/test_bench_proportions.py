"""The estimates of class proportions that a benchmark compares with the one of the library."""

import numpy as np
import pytest
from benchmarks.proportions import black_box_proportions, em_proportions, source_probabilities

from ..planted import vocabulary_shift


def drawn(shares, n, seed=0):
    """Points around one center per class, and their Bayes probabilities under equal proportions."""
    rng = np.random.default_rng(seed)
    y = rng.choice(len(shares), size=n, p=shares)
    x = rng.normal(size=(n, 1)) + 2.0 * y[:, None]
    P = np.exp(-0.5 * (x - 2.0 * np.arange(len(shares))) ** 2)
    return y, P / P.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("shares", [[0.9, 0.1], [0.2, 0.1, 0.7]])
def test_em_and_black_box_find_planted_proportions(shares):
    k = len(shares)
    codes, held_out = drawn(np.full(k, 1 / k), 4000)
    _, P = drawn(shares, 4000, seed=1)
    np.testing.assert_allclose(em_proportions(P, np.full(k, 1 / k)), shares, atol=0.04)
    np.testing.assert_allclose(black_box_proportions(held_out, codes, P), shares, atol=0.05)


def test_em_does_not_change_the_proportions_of_the_source():
    P = np.random.default_rng(0).dirichlet(np.full(2, 0.5), size=200)
    np.testing.assert_allclose(em_proportions(P, P.mean(axis=0)), P.mean(axis=0), atol=1e-6)


def test_source_probabilities_are_calibrated():
    task = vocabulary_shift(common=0.3)
    held_out, P = source_probabilities(task.Xs, task.ys, task.Xt)
    np.testing.assert_allclose(held_out.mean(axis=0), [0.5, 0.5], atol=0.02)
    assert P.shape == (task.Xt.shape[0], 2)
