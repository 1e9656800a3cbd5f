"""What further answers would certify, if they are known or supposed: the questions, and the sets they lead to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .accept import NOTHING, RIGHT, WRONG, Given, first_inside, given_answers, highest
from .ladder import Ladder
from .limits import limits

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


def climb(ladder: Ladder, wrong: Array, given: Given, budget: int) -> list[Step]:
    """What is certified after further answers, if they are as in `wrong` and are asked as `next_question` does.

    Parameters
    ----------
    ladder : Ladder
        The frozen ladder.
    wrong : array of bool of shape (n_documents,)
        What the answer to each document is or would be.
    given : Given
        The answers so far; they agree with `wrong`.
    budget : int
        Number of further answers at most.

    Returns
    -------
    steps : list of Step
        The first one has no more answers; then one per set that is certified.
    """
    answered, spent = given.states != NOTHING, 0
    top = highest(ladder, given)
    steps = [Step(0, ladder.sizes[top] if top >= 0 else 0)]
    for j in range(max(top + 1, ladder.start), len(ladder.sizes)):
        n, r = ladder.sizes[j], ladder.at_most[j]
        n_answers = given.inside(n)[0] + budget
        rows = first_inside(ladder, j, n_answers)
        k = np.cumsum(wrong[rows])
        hits = np.flatnonzero(k <= limits(n, r, ladder.tail, n_answers)[1:])
        if not len(hits):
            break
        rows = rows[: hits[0] + 1]
        new = rows[~answered[rows]]
        spent += len(new)
        if spent > budget:
            break
        answered[new] = True
        steps.append(Step(spent, n))
    return steps


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
    given = given_answers(ladder, wrong)
    states, rows = given.states, list[int]()
    j = max(highest(ladder, given) + 1, ladder.start)
    while len(rows) < n and j < len(ladder.sizes):
        candidates = first_inside(ladder, j, int(given.inside(ladder.sizes[j])[0]) + n)
        k = np.cumsum(states[candidates] == WRONG)
        hits = np.flatnonzero(k <= limits(ladder.sizes[j], ladder.at_most[j], ladder.tail, len(candidates))[1:])
        candidates = candidates[: hits[0] + 1] if len(hits) else candidates
        new = candidates[states[candidates] == NOTHING]
        states[new] = RIGHT
        rows += new.tolist()
        j += 1
    return rows[:n]


def chance_to_pass(b: Array, t: int, k: int, shares: Array) -> Array:
    """For each share of wrong answers: the probability that k_s <= b_s for some s > t, s < len(b).

    Parameters
    ----------
    b : array of int
        Limits, from `limits`.
    t, k : int
        Answers so far, and wrong ones among them.
    shares : array of shape (n_shares,)
        Probability of each further answer to be wrong.

    Returns
    -------
    probability : array of shape (n_shares,)
        From 0 to 1.
    """
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
