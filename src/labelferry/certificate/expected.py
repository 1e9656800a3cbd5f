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

Labels that learned from answers about the most certain ones have confidences that do not come from these answers. They
are forecast like labels before the first answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from ..linalg.matrix import Array
from .accept import Step, climb, given_answers
from .ladder import TAIL, Ladder, make_ladder

ANSWERS = (40, 80, 160)
N_LEARN = 20  # random answers that labels learn from before they are frozen
MOST = 1000  # labels in a simulation
N_DRAWS = 40
QUANTILES = (0.1, 0.9)
END = 1e-3  # of u
LEAST = 1e-4  # of p_wrong
ESTIMATES = (0.02, 0.98)  # of the accuracy
GOLDEN = (5**0.5 - 1) / 2
PLANS = (40, 60, 80, 100, 120, 160, 200)  # numbers of answers to choose from
SECONDS = 10  # per answer, for people who plan their time
CAPPED = 0.05  # largest limit at which a forecast is capped by the ladder
FEW = 0.02  # of the labels: fewer are not worth a plan
FEW_TO_READ = 3  # times the answers of the smallest plan: fewer documents are best read as a whole
SEEN = 0.5  # of the labels of a plan: if people read more of them, it saves no work


class Profiles(NamedTuple):
    """The distribution of (a, b) in (1)."""

    B: tuple[tuple[float, float], ...]
    C: tuple[tuple[float, float], tuple[float, float]]


NOT_LEARNED = Profiles(((-0.121, 0.269), (1.55, -0.297)), ((1.59, -0.283), (-0.283, 0.109)))
LEARNED = Profiles(((-0.743, 0.38), (1.409, -0.261)), ((1.428, -0.234), (-0.234, 0.08)))  # from 20 answers
FROZEN = Profiles(((-0.08, 0.178), (1.015, -0.069), (-0.318, 0.668)), ((0.811, -0.137), (-0.137, 0.056)))


class Expected(NamedTuple):
    """Labels that may be used after some answers."""

    answers: int  # number of answers
    n: int  # expected number of labels
    low: int  # range: eight of ten simulations are in it
    high: int
    unseen: int  # expected number of those of the n labels that nobody looked at


def expected_labels(
    n: int,
    accuracy: float,
    *,
    error: float,
    tail: float = TAIL,
    n_learned: int = N_LEARN,
    answers: Sequence[int] = ANSWERS,
    ladder: Ladder | None = None,
) -> list[Expected]:
    """How many of n labels may be used after so many answers, before the first one.

    `accuracy` is estimated. The labels learn from n_learned of the answers first. With the `ladder` of labels
    that do not learn, a forecast is at most what it certifies if all answers agree with the labels.

    >>> expected_labels(2000, 0.9, error=0.1)[1]
    Expected(answers=80, n=1109, low=0, high=1980, unseen=1067)
    """
    x = np.array([1.0, -logit(np.clip(accuracy, *ESTIMATES))])
    lines = draw_lines(x, LEARNED if n_learned else NOT_LEARNED)
    most = at_best(ladder, answers) if ladder is not None and error <= CAPPED else None
    return simulate(n, lines, error, tail, min(n_learned, n // 2), answers, most)


def expected_further(
    p_wrong: Array, *, error: float, tail: float = TAIL, answers: Sequence[int] = ANSWERS
) -> list[Expected]:
    """How many labels that learned may be used after so many further answers; `p_wrong` of the best label first."""
    if not len(p_wrong):
        return [Expected(m, 0, 0, 0, 0) for m in answers]
    x = np.append(1.0, fit_line(logit(np.clip(p_wrong, LEAST, 1 - LEAST))))
    return simulate(len(p_wrong), draw_lines(x, FROZEN), error, tail, 0, answers)


def places(n: int) -> Array:
    """logit(u) of n labels."""
    h: Array = logit(np.clip((np.arange(n) + 0.5) / n, END, 1 - END))
    return h


def fit_line(odds: Array) -> Array:
    """(a', b'): the line through log-odds of labels that are ordered by score; the slope is 0 for one label."""
    h = places(len(odds))
    b = float(np.cov(h, odds, bias=True)[0, 1] / max(np.var(h), LEAST)) if len(h) > 1 else 0.0
    return np.array([odds.mean() - b * h.mean(), b])


def draw_lines(x: Array, profiles: Profiles, n_draws: int = N_DRAWS) -> Array:
    """Values of (a, b) by (1) that cover the distribution evenly; b is not negative."""
    i = np.arange(n_draws)
    z = norm.ppf(np.stack([(i + 0.5) / n_draws, ((i + 0.5) * GOLDEN) % 1], axis=1))
    lines = x @ np.array(profiles.B) + z @ np.linalg.cholesky(np.array(profiles.C)).T
    return np.stack([lines[:, 0], np.maximum(lines[:, 1], 0)], axis=1)


def simulate(
    n: int,
    lines: Array,
    error: float,
    tail: float,
    n_learned: int,
    answers: Sequence[int],
    most: Sequence[int] | None = None,
) -> list[Expected]:
    """Mean and range over `lines`, values of (a, b)."""
    k = min(n, MOST)
    h, sizes = places(k), np.zeros((len(lines), len(answers)))
    for i, (a, b) in enumerate(lines):
        rng, p = np.random.default_rng(i), expit(a + b * h)
        known = rng.permutation(k)[: n_learned if n <= MOST else 0]
        ladder = make_ladder(-h, p, error=error, tail=tail, seed=i, known=known)
        steps = climb(ladder, rng.random(k) < p, given_answers(ladder, {}), max(answers))
        sizes[i] = labels_after(steps, [max(m - n_learned, 0) for m in answers])
    sizes *= (n if n <= MOST else n - n_learned) / max(k, 1)
    sizes = sizes if most is None else np.minimum(sizes, most)
    certifying = np.maximum(np.array(answers) - n_learned, 0)
    found = np.stack([sizes.mean(axis=0), *np.quantile(sizes, QUANTILES, axis=0),
                      np.maximum(sizes - certifying, 0).mean(axis=0)])  # fmt: skip
    return [Expected(int(m), *map(round, row.tolist())) for m, row in zip(answers, found.T, strict=True)]


def at_best(ladder: Ladder, answers: Sequence[int]) -> list[int]:
    """The labels that this ladder certifies after so many answers, if they all agree with the labels."""
    agreeing = np.zeros(len(ladder.place), dtype=bool)
    return labels_after(climb(ladder, agreeing, given_answers(ladder, {}), max(answers)), answers)


def labels_after(steps: Sequence[Step], answers: Sequence[int]) -> list[int]:
    """The labels that can be used after so many answers."""
    return [max(step.n for step in steps if step.more_answers <= m) for m in answers]


def best_plan(plans: Sequence[Expected], n: int) -> Expected | None:
    """The plan with most unseen labels per answer; None if no plan saves the reading of more than a few of n labels.

    A plan has more labels than answers.

    >>> best_plan([Expected(40, 0, 0, 0, 0), Expected(80, 400, 0, 900, 340), Expected(160, 600, 0, 1400, 450)], 2000)
    Expected(answers=80, n=400, low=0, high=900, unseen=340)
    """
    worth = [plan for plan in plans if plan.n > plan.answers and plan.unseen > max(FEW * n, (1 - SEEN) * plan.n)]
    return max(worth, key=lambda plan: plan.unseen / plan.answers, default=None)


def outlook(plans: Sequence[Expected], n: int, error: float, *, further: bool = False) -> str:
    """One sentence about n labels of which nobody has checked any.

    `further`: they have learned from answers.

    >>> outlook([Expected(80, 400, 0, 900, 340)], 2000, 0.05)
    'Forecast: after 80 answers (13 minutes), about 400 (0 to 900) of 2,000 labels guaranteed (at most 5% wrong).'
    >>> outlook([Expected(200, 150, 0, 300, 10)], 1000, 0.05, further=True)
    'Forecast: after 200 further answers (33 minutes), 0 to 300 of 1,000 labels guaranteed (at most 5% wrong).'
    >>> outlook([Expected(80, 90, 80, 100, 10)], 100, 0.05)
    'It is best to read all 100 documents: answers about a part of them would save little reading.'
    >>> outlook([Expected(200, 0, 0, 0, 0)], 1000, 0.05)
    'Forecast: after 200 answers (33 minutes), probably no label guaranteed (at most 5% wrong).'
    """
    plan, what = best_plan(plans, n), "further answers" if further else "answers"
    if plan is None and n < FEW_TO_READ * min(one.answers for one in plans):
        return f"It is best to read all {n:,} documents: answers about a part of them would save little reading."
    shown = plan or max(plans)
    most = min(rough(max(shown.n, shown.high)), n)
    labels = f"{rough(shown.low):,} to {most:,}"
    labels = labels if plan is None else f"about {rough(plan.n):,} ({labels})"
    usable = f"{labels} of {n:,} labels guaranteed" if most else "probably no label guaranteed"
    return f"Forecast: after {shown.answers} {what} ({minutes(shown.answers)}), {usable} (at most {error:.0%} wrong)."


def minutes(answers: int) -> str:
    """The time for so many answers, in words."""
    whole = max(1, round(answers * SECONDS / 60))
    return f"{whole} minute{'s' if whole > 1 else ''}"


def rough(n: int) -> int:
    """An expected number with two digits: more would look exact.

    >>> rough(1386), rough(57), rough(0)
    (1400, 57, 0)
    """
    return round(n, -max(len(str(n)) - 2, 0))
