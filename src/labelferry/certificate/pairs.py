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

**Unclear answers.** If some answers are unclear, u is any number from u_0 to u_0 + (unclear answers), and a pair is
left if it is left with one of them. M_1 does not depend on v, nor M_2 on u, so these are the pairs that are left with
the least M_1(F) and the least M_2(G) over these numbers, each separately. From u to u + 1, M_1(F) grows if and only if

    (a + u) / (b + t_1 - u - 1) >= (F - u) / (N_1 - F - t_1 + u + 1)

with the prior Beta(a, b), which is linear in u: u >= [F (b + t_1 - 1) - a (N_1 - F - t_1 + 1)] / (a + b + N_1). So M_1
is least at the smallest such u, or at the end of the range of possible u that is closest to it.             (3)

Measured on two classes of 500 documents with the prior Beta(.7, 5), width relative to Clopper-Pearson without
predictions (20 / 40 / 80 answers): accuracy .85 1.11 / 1.14 / 1.19, .90 1.05 / 1.04 / 1.04, .95 .95 / .89 / .84, .98
.87 / .78 / .70. Tried: bets on the difference [true] - [predicted] are wider with few answers and narrower with many
(1.45 / 1.10 / .94 at accuracy .9, 1.36 / .97 / .77 at .95); exact error spending on both numbers of mistakes with the
bound of Buehler (1957) is wider (1.28 / 1.15 / 1.17 at .9). The strength of the prior was chosen among 3, 6 and 12 on
50 tasks of the review bench; the coverage does not depend on it.
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
LONGER = 1.1  # cells differ in length by one document
MAX_CELLS = 4000  # a larger part is divided into cells of several numbers of mistakes


class Part(NamedTuple):
    """One of the two parts of the documents, with its answers."""

    n: int
    answered: int
    mistakes: int
    error: float = DEFAULT_ERROR  # expected share of mistakes
    unclear: int = 0  # answers that may be mistakes or not


class Cells(NamedTuple):
    """Ranges of numbers of mistakes, in increasing order, and the least log of (2) in each of them."""

    first: Array
    last: Array
    least: Array


def log_martingale(part: Part, mistakes: Array) -> Array:
    """Log of (2) for these numbers of mistakes; infinite where the answers are impossible. Convex without unclear ones.

    With unclear answers: the least one over their meanings.
    """
    n, t, k = part.n, part.answered, least_favorable(part, mistakes)
    possible = (mistakes >= k) & (mistakes <= n - t + k)
    r = np.where(possible, mistakes, k)
    log_p = _log_choose(n - t, r - k) - _log_choose(n, r)
    a, b = _prior(part)
    return np.where(possible, betaln(a + k, b + t - k) - betaln(a, b) - log_p, np.inf)


def least_favorable(part: Part, mistakes: Array) -> Array:
    """The number of mistakes in the answers by (3), for each number in all documents. It does not decrease."""
    n, t = part.n, part.answered
    a, b = _prior(part)
    k = np.ceil((mistakes * (b + t - 1) - a * (n - mistakes - t + 1)) / (a + b + n)).astype(int)
    k = np.clip(k, np.maximum(mistakes - (n - t), 0), np.minimum(mistakes, t))
    return np.asarray(np.clip(k, part.mistakes, part.mistakes + part.unclear))


def _prior(part: Part) -> tuple[float, float]:
    error = float(np.clip(part.error, *ERROR_RANGE))
    return STRENGTH * error, STRENGTH * (1 - error)


def _log_choose(n: int, k: Array) -> Array:
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


@lru_cache(maxsize=2048)
def cells(part: Part) -> Cells:
    """One cell per number of mistakes, or at most MAX_CELLS larger ones with a lower bound of the log in each.

    A convex function f lies above the lines through two neighboring nodes outside of the cell. In the cell from b to c,
    with d the next node, f >= f(c) - max(f(d) - f(c), 0) if the cells are equally long, and the same from the left.
    With unclear answers this is done for each of their meanings, in the cells in which it can be the least favorable.
    """
    if part.n <= MAX_CELLS:
        numbers = np.arange(part.n + 1)
        return Cells(numbers, numbers, log_martingale(part, numbers))
    nodes = np.unique(np.linspace(0, part.n, MAX_CELLS + 1).round().astype(int))
    least = np.full(len(nodes) - 1, np.inf)
    k = least_favorable(part, nodes)
    for meaning in range(int(k[0]), int(k[-1]) + 1):
        start, stop = int(np.searchsorted(k[1:], meaning)), int(np.searchsorted(k[:-1], meaning, "right"))
        clear = part._replace(mistakes=meaning, unclear=0)
        least[start:stop] = np.minimum(least[start:stop], _least_in_cells(clear, nodes, start, stop))
    return Cells(nodes[:-1], nodes[1:], least)


def _least_in_cells(part: Part, nodes: Array, start: int, stop: int) -> Array:
    """Lower bounds of the log in the cells from `start` to `stop`, without unclear answers."""
    before, after = max(start - 1, 0), min(stop + 2, len(nodes))
    padding = (before - (start - 1), stop + 2 - after)
    f = np.pad(log_martingale(part, nodes[before:after]), padding, constant_values=np.inf)
    f_a, f_b, f_c, f_d = f[:-3], f[1:-2], f[2:-1], f[3:]
    with np.errstate(invalid="ignore"):
        from_right = np.nan_to_num(f_c - LONGER * np.maximum(f_d - f_c, 0), nan=-np.inf, posinf=-np.inf, neginf=-np.inf)
        from_left = np.nan_to_num(f_b - LONGER * np.maximum(f_a - f_b, 0), nan=-np.inf, posinf=-np.inf, neginf=-np.inf)
    first, last = nodes[start:stop], nodes[start + 1 : stop + 1]
    possible = (last >= part.mistakes) & (first <= part.n - part.answered + part.mistakes)
    return np.where(possible, np.maximum(from_right, from_left), np.inf)


def accepted_pairs(first: Part, second: Part, level: float) -> tuple[Array, Array, Array, Array]:
    """The cells of F that are left: first and last number, and for each the smallest and the largest G that is left."""
    one, two = cells(first), cells(second)
    room = -np.log1p(-level) - one.least  # log(1 / alpha) - log M_1
    from_left, from_right = np.minimum.accumulate(two.least), np.minimum.accumulate(two.least[::-1])
    left = np.flatnonzero(room > from_left[-1])
    low = np.searchsorted(-from_left, -room[left], "right")  # first cell that is below the room
    high = len(two.least) - 1 - np.searchsorted(-from_right, -room[left], "right")
    return one.first[left], one.last[left], two.first[low], two.last[high]


class PairRanges(NamedTuple):
    """Ends over the pairs that are left; crossed if there is none."""

    difference: tuple[int, int]  # of G - F
    recall: tuple[float, float]


@lru_cache(maxsize=100_000)
def pair_ranges(first: Part, second: Part, level: float, known: int = 0) -> PairRanges:
    """Smallest and largest G - F and recall over the pairs that are left."""
    least_F, most_F, low, high = accepted_pairs(first, second, level)
    if not len(least_F):
        return PairRanges((second.n, -first.n), (1.0, 0.0))
    least_correct, most_correct = first.n - most_F + known, first.n - least_F + known
    lowest, highest = (
        least_correct / np.maximum(least_correct + high, 1),
        most_correct / np.maximum(most_correct + low, 1),
    )
    empty = least_correct + low == 0  # no document of the class: recall can be anything
    return PairRanges(
        (int((low - most_F).min()), int((high - least_F).max())),
        (float(lowest.min()), 1.0 if empty.any() else float(highest.max())),
    )
