r"""How many wrong labels a random sample of a set may contain, so that the set has at most r wrong ones.

    n     labels; R of them are wrong (unknown). The claim is R <= r
    t, k  answers so far in random order, and the wrong labels among them
    tail  probability to accept a false claim, at any number of answers

If R = r + 1, the process k_t is the chain (1) of `bounds.py`. The claim is accepted as soon as k_t <= b_t, where the
limits b_1, b_2, ... are as large as possible with

    P(k_s <= b_s for some s <= t | R = r + 1) <= s(t) tail,    s(t) as in (2) of `bounds.py`.                        (1)

k_t increases stochastically with R, so the left side is smaller for every larger R: a false claim is ever accepted
with probability `tail` at most, whoever stops when and why. It is one row of the table in `bounds.py`, with correct
labels counted instead of wrong ones: n - R is rejected as too small. A claim that follows from the counts alone,
k + (n - t) <= r, is accepted too; this never happens if R > r.
"""

from __future__ import annotations

from functools import lru_cache
from math import floor

import numpy as np

from ..linalg.matrix import Array
from .bounds import ROUND, count_design

ROUNDING = 1e-9  # .29 * 100 is 28.999999999999996


def allowed(n: float, error: float) -> int:
    """The largest whole number of wrong labels that is at most the share `error` of n; -1 if n is negative.

    >>> allowed(100, 0.29)
    29
    """
    return max(floor(error * n + ROUNDING), -1)


def limits(n: int, at_most: int, tail: float, n_answers: int) -> Array:
    """b_0, b_1, ... of (1): the claim is accepted as soon as k_t <= b_t; -1 where no k is small enough.

    `at_most`: r, the largest number of wrong labels by the claim; a negative one is never accepted.

    >>> b = limits(2000, 100, 0.05, 120)
    >>> int((b >= 0).argmax()), int((b >= 1).argmax())  # answers that are needed with no and with one wrong label
    (63, 117)
    """
    n_answers = min(n_answers, n)
    rounded = min(-(-max(n_answers, 1) // ROUND) * ROUND, n)
    return _limits(n, max(at_most, -1), float(tail), rounded)[: n_answers + 1]


@lru_cache(maxsize=4096)
def _limits(n: int, r: int, tail: float, n_answers: int) -> Array:
    t = np.arange(n_answers + 1)
    b = np.full(n_answers + 1, -1)
    if r >= n:
        b[:] = t
    elif r >= 0:
        too_many_correct = count_design(n, n_answers, tail, only=n - r - 1).limits[0, :n_answers]
        b[1:] = t[1:] - 1 - too_many_correct
        b = np.maximum(b, np.maximum(r - (n - t), -1))
    b.flags.writeable = False
    return b
