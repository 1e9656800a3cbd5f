r"""How many documents of one class a file has at most, while people search for them: exact, at any time.

    N      documents; M of them belong to the class (unknown, fixed)
    u, f   unread documents, and those of the class among the read ones, at any time
    pi     random order of the documents, from a seed that nothing else uses
    alpha  1 - level

People read documents one by one, for any reason: by rank, from a list, for another purpose. Some reads are **draws**:
at some moment it is decided, by the answers so far only, that the next d documents of pi without an answer are drawn.
From then on they count as draws, whoever answers them, when and why.

**A draw is random.** Reads depend on the answers so far and on the documents that were drawn so far, and on no later
part of pi. Given these, the later part of pi is in random order, so its first document without an answer is each of the
u unread ones with probability 1 / u. If M = m, it belongs to the class with probability

    q = (m - f) / u,                                                                                                (1)

with f and u at the moment of the decision, and with the earlier draws of the same decision counted as read. What people
read while a draw waits for its answer may depend on it; this changes later draws only.

**Capital.** A bettor with k in [0, 1) multiplies the capital after each draw by

    k  if it belongs to the class,    (1 - k q) / (1 - q)  if not,                                                   (2)

which has mean q k + (1 - q) (1 - k q) / (1 - q) = 1 by (1), and k < 1 if q = 1. The capital is a nonnegative
supermartingale that starts at 1. So is the sum over several bettors with shares that sum to 1, also if a part
`SHARED` of their sum is distributed anew after each draw. By Ville's inequality the capital of the true m = M ever
reaches 1 / alpha with probability alpha at most. A total m is excluded as soon as its capital does; m > f + u is
excluded by the counts. With m_max the largest total that is not excluded,

    recall = f / M >= f / m_max    at all times together, with probability 1 - alpha.                                (3)

Totals below a total that is not excluded may be excluded: only the largest one counts. If f > m_max the answers refute
an exclusion, and m_max is what the counts alone allow.

**Unclear answers**, and those that were taken back, count as documents of the class that were not found: in (1) they
are in f, in (3) they are not. Whatever they are in truth, k <= (1 - k q) / (1 - q), and (2) increases with q, which is
too small after them: the capital is never above the one of the true classes. Sharing keeps this order. So (3) holds if
unclear documents belong to the class, and if they do not.

**Bettors.** k = 0 wins most if no document of the class is left, and loses all by the first one that is drawn; the
others stand for some that are left. Sharing gives the bettor k = 0 a new start.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array

BETS = np.array([0.0, 0.2, 0.4, 0.6, 0.8])[:, None]  # k in (2)
SHARES = np.array([0.6, 0.1, 0.1, 0.1, 0.1])[:, None]
SHARED = 0.01
MOST = 1e9  # capital of a total that is excluded long since: larger numbers would overflow
ROUNDING = 1e-9


class Draw(NamedTuple):
    """A document that was drawn at random, with f and u of (1)."""

    found: int  # unclear ones included
    unread: int
    positive: bool  # of the class, or unclear


class Capital(NamedTuple):
    """The bettors' capital after some draws."""

    wealth: Array  # bettors x totals 0, 1, ..., up to the largest one that is not excluded
    excluded: Array  # per total

    @property
    def largest(self) -> int:
        """The largest total that is not excluded; -1 if there is none."""
        return len(self.excluded) - 1


def no_draws(n: int) -> Capital:
    """The capital before the first draw from n documents."""
    return Capital(np.repeat(SHARES, n + 1, axis=1), np.zeros(n + 1, dtype=bool))


def bet(capital: Capital, draw: Draw, level: float) -> Capital:
    """The capital after one more draw."""
    wealth, excluded = capital
    if draw.positive:
        wealth = wealth * BETS
    else:
        q = np.clip((np.arange(wealth.shape[1]) - draw.found) / draw.unread, 0, 1)  # (1)
        with np.errstate(divide="ignore"):
            wealth = wealth * np.where(q < 1, (1 - BETS * q) / np.where(q < 1, 1 - q, 1), np.inf)  # (2)
            wealth = np.nan_to_num(wealth, nan=0.0, posinf=MOST)
        excluded = excluded | (q >= 1)
    total = wealth.sum(axis=0)
    excluded = excluded | (total >= (1 + ROUNDING) / (1 - level))
    left = np.flatnonzero(~excluded)
    end = int(left[-1]) + 1 if len(left) else 0
    wealth, total = np.minimum(wealth[:, :end], MOST), np.minimum(total[:end], MOST)
    return Capital((1 - SHARED) * wealth + SHARED * SHARES * total, excluded[:end])


def largest_total(draws: Iterable[Draw], n: int, level: float) -> int:
    """m_max by the draws alone; -1 if all totals are excluded.

    >>> largest_total([Draw(20, 80 - t, positive=False) for t in range(40)], 100, 0.95)
    24
    """
    capital = no_draws(n)
    for draw in draws:
        capital = bet(capital, draw, level)
    return capital.largest
