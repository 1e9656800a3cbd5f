r"""Exact bounds for what depends on two numbers of mistakes: the correction of a predicted class proportion, and
recall.

    N_1, F   documents with the predicted label c, and those of them whose true class is another one (unknown)
    N_2, G   the other documents, and those of them whose true class is c (unknown)
    t_1, u   answers among the N_1, and mistakes among them;  t_2, v the same for the N_2

    documents of class c = N_1 - F + G,      recall = (N_1 - F) / (N_1 - F + G)                                     (1)

The answers in each of the two parts are a random sample without replacement of it, so for every F the ratio

    M_1(F) = [integral of p^u (1 - p)^(t_1 - u) dpi(p)] / P_F(answers)                                              (2)

is a martingale with mean one (the prior-posterior-ratio martingale of Waudby-Smith & Ramdas 2020, here with a beta
prior pi), and so is the product M_1(F) M_2(G). A pair (F, G) is rejected as soon as the product reaches 1 / alpha: by
Ville's inequality the true pair is ever rejected with probability alpha at most, whatever pi is. The ends are those of
(1) over all pairs that are left. The prior makes the interval narrow if it expects few mistakes and there are few: its
mean is the expected share of mistakes by the confidences, or .12 without them.

Measured on two classes of 500 documents, width relative to Clopper-Pearson without predictions (20 / 40 / 80 answers):
accuracy .85 1.11 / 1.14 / 1.19, .90 1.05 / 1.04 / 1.04, .95 .95 / .89 / .84, .98 .87 / .78 / .70. Tried and wider:
bets on the difference [true] - [predicted] (1.4 / 1.1 / .93 at accuracy .9), and exact error spending on both numbers
of mistakes with the bound of Buehler (1957) (1.28 / 1.15 / 1.17).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, gammaln

from ..linalg.matrix import Array

STRENGTH = 12.0  # of the prior, in documents
DEFAULT_ERROR = 0.12  # expected share of mistakes without confidences
ERROR_RANGE = (0.02, 0.5)
SMALL = 5000  # documents up to which values are kept in memory


class Part(NamedTuple):
    """One of the two parts of the documents, with its answers."""

    n: int
    answered: int
    mistakes: int
    error: float = DEFAULT_ERROR  # expected share of mistakes


@lru_cache(maxsize=8)
def _log_factorials(n: int) -> Array:
    return np.asarray(gammaln(np.arange(n + 1) + 1.0))


def log_martingale(part: Part) -> Array:
    """Log of (2) for 0, 1, ..., n mistakes in the part; infinite where the answers are impossible."""
    return _cached_martingale(part) if part.n <= SMALL else _log_martingale(part)


def _log_martingale(part: Part) -> Array:
    n, t, k, error = part
    f, possible = _log_factorials(n), np.arange(k, n - t + k + 1)
    log_p = f[n - t] - f[possible - k] - f[n - t - possible + k] - f[n] + f[possible] + f[n - possible]
    error = float(np.clip(error, *ERROR_RANGE))
    a, b = STRENGTH * error, STRENGTH * (1 - error)
    values = np.full(n + 1, np.inf)
    values[possible] = betaln(a + k, b + t - k) - betaln(a, b) - log_p
    return values


_cached_martingale = lru_cache(maxsize=2048)(_log_martingale)


def accepted_pairs(first: Part, second: Part, level: float) -> tuple[Array, Array, Array]:
    """The values of F that are left, and for each of them the smallest and the largest G that is left."""
    one, two = log_martingale(first), log_martingale(second)
    room = -np.log1p(-level) - one  # log(1 / alpha) - log M_1
    middle = int(two.argmin())  # log M_2 is convex: it decreases before its minimum and increases after it
    F = np.flatnonzero(room > two[middle])
    high = middle + np.searchsorted(two[middle:], room[F]) - 1
    low = middle + 1 - np.searchsorted(two[middle::-1], room[F])
    return F, low, high


class PairRanges(NamedTuple):
    """Ends over the pairs that are left; crossed if there is none."""

    difference: tuple[int, int]  # of G - F
    recall: tuple[float, float]


@lru_cache(maxsize=100_000)
def pair_ranges(first: Part, second: Part, level: float, known: int = 0) -> PairRanges:
    """Smallest and largest G - F and recall over the pairs that are left.

    Parameters
    ----------
    first : Part
        The documents with the predicted label.
    second : Part
        The other documents.
    level : float
        Confidence level.
    known : int, default=0
        Further documents of the class with a correct label, for the recall.

    Returns
    -------
    ranges : PairRanges
        The ends.
    """
    F, low, high = accepted_pairs(first, second, level)
    if not len(F):
        return PairRanges((second.n, -first.n), (1.0, 0.0))
    correct = first.n - F + known
    lowest, highest = (correct / np.maximum(correct + G, 1) for G in (high, low))
    empty = correct + low == 0  # no document of the class: recall can be anything
    return PairRanges(
        (int((low - F).min()), int((high - F).max())),
        (float(lowest.min()), 1.0 if empty.any() else float(highest.max())),
    )
