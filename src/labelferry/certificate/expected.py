r"""How many labels may be used after so many answers: what to expect before the first one. Not a promise.

    p_i     estimated chance of label i to be wrong
    sd      how uncertain the level of these chances is, in log-odds: from the interval of the estimated accuracy
    gain    what learning from the first answers adds to the log-odds of a label to be correct

Ladders are climbed on labels that are drawn: label i is wrong with probability expit(logit(p_i) - gain + sd z), where z
takes `n_draws` values that represent a normal distribution. Of many documents, MOST by score represent all: the number of
answers hardly depends on the size of the file.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from ..linalg.matrix import Array
from .accept import given_answers
from .ahead import climb
from .ladder import TAIL, make_ladder

ANSWERS = (40, 80, 160)
MOST = 2000  # documents in the simulation
N_DRAWS = 40
LEAST = 1e-4
QUANTILES = (0.1, 0.9)
ONE_SIDED = float(norm.ppf(0.95))  # the intervals of estimates have 90 %


class Expected(NamedTuple):
    """Labels that may be used after some answers.

    Attributes
    ----------
    answers : int
        All answers, those that the labels learn from included.
    n : int
        Expected number of labels.
    low, high : int
        Range: eight of ten simulations are in it.
    """

    answers: int
    n: int
    low: int
    high: int


def uncertainty(accuracy: float, low: float) -> float:
    """`sd`, from an estimated accuracy and the lower end of its 90 % interval.

    >>> round(uncertainty(0.9, 0.7), 2)
    0.82
    """
    high, least = (float(logit(np.clip(x, 0.01, 0.99))) for x in (accuracy, low))
    return max(high - least, 0.0) / ONE_SIDED


def expected_labels(
    score: Array,
    p_wrong: Array,
    *,
    error: float,
    tail: float = TAIL,
    sd: float = 0.0,
    gain: float = 0.0,
    n_learned: int = 0,
    answers: tuple[int, ...] = ANSWERS,
    n_draws: int = N_DRAWS,
) -> list[Expected]:
    """How many labels may be used after so many answers, by simulation.

    Parameters
    ----------
    score, p_wrong : array of shape (n_documents,)
        As in `make_ladder`.
    error, tail : float
        As in `make_ladder`.
    sd : float, default=0
        Uncertainty of the level of p_wrong, from `uncertainty`.
    gain : float, default=0
        Gain by learning, in log-odds.
    n_learned : int, default=0
        Number of answers that the labels learn from first.
    answers : tuple of int, default=(40, 80, 160)
        Numbers of answers.
    n_draws : int, default=40
        Number of simulations.

    Returns
    -------
    expected : list of Expected
        One per number of answers.

    Examples
    --------
    >>> expected_labels(np.arange(1000.0), np.linspace(0.2, 0.001, 1000), error=0.1, answers=(20, 80))
    [Expected(answers=20, n=0, low=0, high=0), Expected(answers=80, n=255, low=0, high=410)]
    """
    rank = np.argsort(-np.asarray(score), kind="stable")
    some = rank[np.linspace(0, len(rank) - 1, min(len(rank), MOST)).round().astype(int)]
    odds = logit(np.clip(np.asarray(p_wrong)[some], LEAST, 1 - LEAST)) - gain
    sizes = np.zeros((n_draws, len(answers)))
    for i, z in enumerate(norm.ppf((np.arange(n_draws) + 0.5) / n_draws)):
        p = expit(odds + sd * z)
        rng = np.random.default_rng(i)
        known = rng.permutation(len(p))[: min(n_learned, len(p) // 2)]
        ladder = make_ladder(-np.arange(float(len(p))), p, error=error, tail=tail, seed=i, known=known)
        steps = climb(ladder, rng.random(len(p)) < p, given_answers(ladder, {}), max(answers))
        for j, total in enumerate(answers):
            sizes[i, j] = max(step.n for step in steps if step.more_answers <= max(total - n_learned, 0))
    sizes *= len(rank) / max(len(some), 1)
    ends = np.quantile(sizes, QUANTILES, axis=0)
    return [
        Expected(total, round(float(sizes[:, j].mean())), round(float(ends[0, j])), round(float(ends[1, j])))
        for j, total in enumerate(answers)
    ]
