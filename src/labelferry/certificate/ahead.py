"""What further answers would certify, if they are known or supposed: the questions, and the sets they lead to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .accept import NOTHING, WRONG, Given, first_inside, given_answers, highest, passes
from .ladder import Ladder

MOST_ANSWERS = 300  # further answers to look ahead


class Step(NamedTuple):
    """A larger set, and the answers until it is certified.

    Attributes
    ----------
    more_answers : int
        Number of further answers.
    n : int
        Labels that can be used then.
    """

    more_answers: int
    n: int


def climb(ladder: Ladder, wrong: Array, given: Given, budget: int, cost: Array | None = None) -> list[Step]:
    """What is certified after further answers, if they are as in `wrong` and are asked as `next_question` does."""
    top, spent = highest(ladder, given), 0
    steps = [Step(0, ladder.sizes[top] if top >= 0 else 0)]
    for j, rows, certified in ascend(ladder, wrong, given, budget):
        spent += len(rows) if cost is None else int(cost[rows].sum())
        if not certified or spent > budget:
            break
        steps.append(Step(spent, ladder.sizes[j]))
    return steps


def ascend(ladder: Ladder, wrong: Array, given: Given, budget: int) -> Iterator[tuple[int, Array, bool]]:
    """Rung by rung: the new questions until its claim passes, or `budget` questions if it does not; whether it does.

    If a rung does not pass, the next one is only reached when all documents of this one have an answer.
    """
    answered = given.states != NOTHING
    for j in range(max(highest(ladder, given) + 1, ladder.start), len(ladder.sizes)):
        rows = first_inside(ladder, j, given.inside(ladder.sizes[j])[0] + budget)
        hits = np.flatnonzero(passes(ladder, j, wrong[rows]))
        asked = rows[: hits[0] + 1] if len(hits) else rows
        found = given.inside(ladder.sizes[j])[1] + int(wrong[asked[given.states[asked] == NOTHING]].sum())
        certified = len(hits) > 0 and found <= ladder.at_most[j]  # answers beyond the sample can refute a claim
        rows = asked if certified else rows
        new = rows[~answered[rows]]
        answered[new] = True
        yield j, new, certified


def next_questions(ladder: Ladder, wrong: Mapping[int, bool], n: int) -> list[int]:
    """The next n documents to ask about, if the answers all agree with the labels.

    Parameters
    ----------
    ladder : Ladder
        The frozen ladder.
    wrong : mapping of int to bool
        All answers, as in `certified`.
    n : int
        Number of documents.

    Returns
    -------
    rows : list of int
        At most n target rows, in the order to ask.
    """
    given, rows = given_answers(ladder, wrong), list[int]()
    for _, new, _ in ascend(ladder, given.states == WRONG, given, n):
        rows += new.tolist()
        if len(rows) >= n:
            break
    return rows[:n]


def chance_to_pass(b: Array, t: int, k: int, shares: Array) -> Array:
    """For each share of wrong answers: the probability that k_s <= b_s for some s > t, s < len(b)."""
    width = int(b.max(initial=-1)) - k + 1  # more wrong answers than this never pass
    if width < 1:
        return np.zeros(len(shares))
    P = np.zeros((len(shares), width + 1))
    P[:, 0], found = 1.0, k + np.arange(width + 1)
    total, p = np.zeros(len(shares)), shares[:, None]
    for limit in b[t + 1 :].tolist():
        moved = P * p
        P = P - moved
        P[:, 1:] += moved[:, :-1]
        hit = found <= limit
        if hit.any():
            total += P[:, hit].sum(axis=1)
            P[:, hit] = 0
    return total
