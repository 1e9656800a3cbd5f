r"""Bets against a sum of bounded values, valid at any number of answers (Waudby-Smith & Ramdas 2024, section 5).

    x_i in [-1, 1], sampled without replacement from N documents; D = sum of all N values

If the sum is D, the next value has the mean mu_i = (D - x_1 - ... - x_{i-1}) / (N - i + 1), so with any lambda that
does not depend on x_i the capital of a bettor

    M_t(D) = prod_{i <= t} (1 - lambda_i (x_i - mu_i)),    0 <= lambda_i < 1 / (1 - mu_i)                           (1)

is a nonnegative martingale that starts at 1, and the mean over several bettors is one too. By Ville's inequality it
ever reaches 1 / tail with probability `tail` at most; D is rejected as too large when it does. Each bettor uses one
constant lambda of `BETS`, cut at its limit. The capital increases with D, so a D between two nodes is rejected with
the smaller one.

**Unclear answers.** An unclear answer counts as +1 here, the value that rejects the least, and from the first one on
the capital of the bets of `BETS` above 1/2 is 0. All other bets are never cut (LIMIT / 2 is larger), so they do not
depend on the values. The capital (1) of the true D is then never above the one with the true values: before the first
unclear answer the two are equal; the true value of an unclear answer is at most +1, so each factor with it is at most
the true one; the mu_i after it are too small if the true value was smaller, which makes the factors smaller again; and
0 is not above anything. So the true D is rejected only if the martingale with the true values reaches 1 / tail too,
whichever answers are unclear, also if this depends on the true values and on the order. An earlier rejection stays, so
an unclear answer never widens the interval.
"""

from __future__ import annotations

import numpy as np

from ..linalg.matrix import Array

BETS = np.array([0.12, 0.25, 0.49, 0.75, 0.95])
LIMIT = 0.99  # of the largest possible bet
N_NODES = 201  # values of D


def sum_bounds(x: Array, n: int, level: float, unclear: Array | None = None) -> tuple[Array, Array]:
    """Ends for the sum D after each answer, valid at all of them together."""
    x = np.asarray(x)
    unclear = np.zeros(x.shape, dtype=bool) if unclear is None else unclear
    tail = (1 - level) / 2
    return -too_large(-x, n, tail, unclear), too_large(x, n, tail, unclear)


def too_large(x: Array, n: int, tail: float, unclear: Array) -> Array:
    """For each path, after each answer: the largest D that is not rejected as too large. It never increases."""
    D = np.unique(np.linspace(-n, n, min(2 * n + 1, N_NODES)).round())
    next_value = np.append(D[1:] - 1, n)
    least, most = np.where(unclear, -1, x), np.where(unclear, 1, x)
    all_clear = np.logical_and.accumulate(~unclear, axis=1)
    seen = np.zeros((len(x), 1))
    capital = np.ones((len(BETS), len(x), len(D)))
    rejected = np.zeros((len(x), len(D)), dtype=bool)
    high = np.empty(x.shape, dtype=int)
    for i in range(x.shape[1]):
        mu = (D - seen) / (n - i)
        mean, value = np.clip(mu, -1, 1), most[:, i, None]
        for j, bet in enumerate(BETS):
            cut = np.minimum(bet, LIMIT / np.maximum(1 - mean, LIMIT))
            capital[j] *= 1 - cut * (value - mean)
        capital[BETS > LIMIT / 2] *= all_clear[:, i, None]
        seen = seen + value
        rejected |= (capital.mean(axis=0) >= 1 / tail) | (mu > 1)
        high[:, i] = np.where(rejected.all(axis=1), -n, next_value[len(D) - 1 - rejected[:, ::-1].argmin(axis=1)])
    left = n - np.arange(1, x.shape[1] + 1)
    return np.clip(high, least.cumsum(axis=1) - left, most.cumsum(axis=1) + left)
