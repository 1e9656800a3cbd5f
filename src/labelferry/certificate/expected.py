r"""How many labels may be used after so many answers: what to expect, before the first one or after learning.

    u   place of a label by score, from 0 (best) to 1

    P(the label at u is wrong) = expit(a + b logit(u)),    (a, b) ~ N(x B, C)                                        (1)

(a, b) differ from file to file. Before the first answer x is 1 and the log-odds of the estimated share of wrong labels;
after learning it is 1 and the line (a', b') through the log-odds of p_wrong. Ladders are climbed on labels that are
drawn by (1) with `n_draws` values of (a, b): the mean and the range of the numbers of certified labels are what to
expect. This is no promise, and the range is wide before the first answer: files with the same estimated accuracy differ
much. At most MOST labels are drawn: the number of answers hardly depends on the size of the file.

B and C were measured on 105 tasks of 21 corpora (`python -m benchmarks.accept`). With B and C of the other corpora,
after 40 / 80 / 160 answers in all, 20 of them learned from, mean over the 21 corpora: the expected
and the realised share of the file, the mean error (against the mean of three random orders), and the share of runs
within the range:

                                expected           realised           mean error         in the range
    5%, before the first       .01 / .12 / .24    .01 / .08 / .23    .01 / .10 / .17    .99 / .95 / .86
    5%, after learning         .01 / .11 / .23    .01 / .08 / .23    .01 / .09 / .13    1.0 / .94 / .85
    10%, before the first      .01 / .27 / .39    .01 / .25 / .36    .01 / .18 / .21    .99 / .90 / .86
    10%, after learning        .01 / .26 / .38    .01 / .25 / .36    .01 / .14 / .17    1.0 / .93 / .89

There is hardly a bias: the means agree. But whole corpora are off, at 10% by .13 after 80 and 160 answers, so most of
the error is no chance of a file or of its random order. Before the first answer this is what the estimated accuracy
allows: medians instead of means, a regression of the realised shares on the estimate and on the confidences, and
boosted trees have errors of .13 to .15, on average over the three numbers of answers at 10%; with the true accuracy it
would be .08.
The estimated accuracy is the only thing known before the first answer that helps: votes and margins of the members do
not. With the true (a, b) of each file, the error is .05 to .06.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from ..linalg.matrix import Array
from .accept import given_answers
from .ahead import climb
from .ladder import TAIL, make_ladder

ANSWERS = (40, 80, 160)
N_LEARN = 20  # random answers that labels learn from before they are frozen
MOST = 1000  # labels in a simulation
N_DRAWS = 40
QUANTILES = (0.1, 0.9)
END = 1e-3  # of u
LEAST = 1e-4  # of p_wrong
ESTIMATES = (0.02, 0.98)  # of the accuracy
GOLDEN = (5**0.5 - 1) / 2


class Profiles(NamedTuple):
    """The distribution of (a, b) in (1)."""

    B: tuple[tuple[float, float], ...]
    C: tuple[tuple[float, float], tuple[float, float]]


NOT_LEARNED = Profiles(((-0.121, 0.269), (1.55, -0.297)), ((1.59, -0.283), (-0.283, 0.109)))
LEARNED = Profiles(((-0.743, 0.38), (1.409, -0.261)), ((1.428, -0.234), (-0.234, 0.08)))  # from 20 answers
FROZEN = Profiles(((-0.08, 0.178), (1.015, -0.069), (-0.318, 0.668)), ((0.811, -0.137), (-0.137, 0.056)))


class Expected(NamedTuple):
    """Labels that may be used after some answers.

    Attributes
    ----------
    answers : int
        Number of answers.
    n : int
        Expected number of labels.
    low, high : int
        Range: eight of ten simulations are in it.
    unseen : int
        Expected number of those of the n labels that nobody looked at.
    """

    answers: int
    n: int
    low: int
    high: int
    unseen: int


def expected_labels(
    n: int,
    accuracy: float,
    *,
    error: float,
    tail: float = TAIL,
    n_learned: int = N_LEARN,
    answers: Sequence[int] = ANSWERS,
    n_draws: int = N_DRAWS,
) -> list[Expected]:
    """How many labels may be used after so many answers, before the first one.

    Parameters
    ----------
    n : int
        Number of documents.
    accuracy : float
        Estimated accuracy of the labels, without answers.
    error, tail : float
        As in `make_ladder`.
    n_learned : int, default=20
        Number of answers that the labels learn from first; they are counted in `answers`.
    answers : sequence of int, default=(40, 80, 160)
        Numbers of answers.
    n_draws : int, default=40
        Number of simulations.

    Returns
    -------
    expected : list of Expected
        One per number of answers.

    Examples
    --------
    >>> expected_labels(2000, 0.9, error=0.1)[1]
    Expected(answers=80, n=1109, low=0, high=1980, unseen=1067)
    """
    x = np.array([1.0, -logit(np.clip(accuracy, *ESTIMATES))])
    lines = draw_lines(x, LEARNED if n_learned else NOT_LEARNED, n_draws)
    return simulate(n, lines, error, tail, min(n_learned, n // 2), answers)


def expected_further(
    p_wrong: Array, *, error: float, tail: float = TAIL, answers: Sequence[int] = ANSWERS, n_draws: int = N_DRAWS
) -> list[Expected]:
    """How many labels that learned may be used after so many further answers, before the first of them.

    Parameters
    ----------
    p_wrong : array of shape (n_labels,)
        Estimated chance of each label in the ladder to be wrong, that of the best label first.
    error, tail : float
        As in `make_ladder`.
    answers : sequence of int, default=(40, 80, 160)
        Numbers of answers, without those that the labels learned from.
    n_draws : int, default=40
        Number of simulations.

    Returns
    -------
    expected : list of Expected
        One per number of answers.
    """
    if not len(p_wrong):
        return [Expected(m, 0, 0, 0, 0) for m in answers]
    x = np.append(1.0, fit_line(logit(np.clip(p_wrong, LEAST, 1 - LEAST))))
    return simulate(len(p_wrong), draw_lines(x, FROZEN, n_draws), error, tail, 0, answers)


def places(n: int) -> Array:
    """logit(u) of n labels."""
    h: Array = logit(np.clip((np.arange(n) + 0.5) / n, END, 1 - END))
    return h


def fit_line(odds: Array) -> Array:
    """(a', b'): the line through log-odds of labels that are ordered by score; the slope is 0 for one label."""
    h = places(len(odds))
    b = float(np.cov(h, odds, bias=True)[0, 1] / max(np.var(h), LEAST)) if len(h) > 1 else 0.0
    return np.array([odds.mean() - b * h.mean(), b])


def draw_lines(x: Array, profiles: Profiles, n_draws: int) -> Array:
    """Values of (a, b) by (1) that cover the distribution evenly; b is not negative."""
    i = np.arange(n_draws)
    z = norm.ppf(np.stack([(i + 0.5) / n_draws, ((i + 0.5) * GOLDEN) % 1], axis=1))
    lines = x @ np.array(profiles.B) + z @ np.linalg.cholesky(np.array(profiles.C)).T
    return np.stack([lines[:, 0], np.maximum(lines[:, 1], 0)], axis=1)


def simulate(n: int, lines: Array, error: float, tail: float, n_learned: int, answers: Sequence[int]) -> list[Expected]:
    """Mean and range over `lines`, values of (a, b)."""
    k = min(n, MOST)
    h, sizes = places(k), np.zeros((len(lines), len(answers)))
    for i, (a, b) in enumerate(lines):
        rng, p = np.random.default_rng(i), expit(a + b * h)
        known = rng.permutation(k)[: n_learned if n <= MOST else 0]
        ladder = make_ladder(-h, p, error=error, tail=tail, seed=i, known=known)
        steps = climb(ladder, rng.random(k) < p, given_answers(ladder, {}), max(answers))
        sizes[i] = [max(s.n for s in steps if s.more_answers <= max(m - n_learned, 0)) for m in answers]
    sizes *= (n if n <= MOST else n - n_learned) / max(k, 1)
    certifying = np.maximum(np.array(answers) - n_learned, 0)
    found = np.stack([sizes.mean(axis=0), *np.quantile(sizes, QUANTILES, axis=0),
                      np.maximum(sizes - certifying, 0).mean(axis=0)])  # fmt: skip
    return [Expected(int(m), *map(round, row.tolist())) for m, row in zip(answers, found.T, strict=True)]
