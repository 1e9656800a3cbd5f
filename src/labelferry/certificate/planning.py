"""How many more answers are needed: expected numbers, if the next answers are like those so far. Not a promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .duel import UNKNOWN, Duel
from .interval import Interval, clopper_pearson

PRICE = 2.5  # looking after every answer costs as much as dividing alpha by about this number
WITHIN = 0.05
ABOVE = 0.9


class Need(NamedTuple):
    """A goal, and the expected number of further answers until it is reached.

    Attributes
    ----------
    goal : str
        In words.
    more_answers : int
        0 if it is reached.
    """

    goal: str
    more_answers: int


def expected_interval(share: float, t: int, n: int, level: float) -> tuple[float, float]:
    """Ends that are expected after t answers if the share in the sample stays the same."""
    if t >= n:
        return share, share
    low, high = clopper_pearson(np.asarray(share * t), t, 1 - (1 - level) / PRICE)
    narrower = np.sqrt((n - t) / max(n - 1, 1))  # a sample without replacement
    return share - (share - float(low)) * narrower, share + (float(high) - share) * narrower


def answers_until(reached: Callable[[int], bool], start: int, n: int) -> int | None:
    """The smallest number of answers from `start` to n with `reached`, by bisection; None if n is not enough."""
    if not reached(n):
        return None
    low, high = start, n
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low


def plan(accuracy: Interval, n_answers: int, n: int, duel: Duel, n_sampled: int, level: float) -> list[Need]:
    """Expected numbers of further answers for the goals that can be reached."""
    share = (accuracy.estimate * n_answers + 0.5) / (n_answers + 1)  # half an answer of each kind: no share of 0 or 1
    needs = []

    def add(goal: str, reached: bool, rule: Callable[[float, float], bool]) -> None:
        start = n_answers + 1
        t = n_answers if reached else answers_until(lambda t: rule(*expected_interval(share, t, n, level)), start, n)
        if t is not None:
            needs.append(Need(goal, t - n_answers))

    add(f"accuracy known within {100 * WITHIN:.0f} points", _within(accuracy.low, accuracy.high), _within)
    if accuracy.estimate > ABOVE:
        add(f"accuracy above {100 * ABOVE:.0f}%", _above(accuracy.low, accuracy.high), _above)
    if duel.verdict != UNKNOWN:
        needs.append(Need(f"better than the {duel.rival}: decided", 0))
    elif duel.n_answers and duel.difference.estimate and n_sampled:
        wins = 0.5 + abs(duel.difference.estimate) * n / n_sampled / 2  # as if all documents had a winner
        t = answers_until(
            lambda t: expected_interval(min(wins, 1.0), t, n_sampled, level)[0] > 0.5, duel.n_answers + 1, n_sampled
        )
        if t is not None:
            needs.append(Need(f"better than the {duel.rival}: decided", t - duel.n_answers))
    return needs


def _within(low: float, high: float) -> bool:
    return high - low <= 2 * WITHIN


def _above(low: float, high: float) -> bool:
    return low >= ABOVE
