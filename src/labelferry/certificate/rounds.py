r"""Several claims together: rounds of learning and accepting, and one ladder per class.

**Rounds.** After learning again, accepted labels stay as they are, with their claim; only the other labels change and
get a new ladder. The claims of all rounds hold together with probability 1 - (sum of their tails) at least. The first
round has the tail .05, because most people stop there; round r = 2, 3, ... has .01 * 2^(1 - r), so that all rounds
together have .06 at most. If the sets of the rounds are disjoint, at most sum of r of the sum of n labels are wrong.

**Classes.** A ladder for the labels of each of K classes, with tail / K each: all claims hold together. Which class is
asked about next is free, because every claim holds at any number of answers: that which gives most labels per answer,
if the answers agree with the labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .accept import MOST_ANSWERS, WRONG, Step, ascend, given_answers, next_questions
from .accepted import Accepted, accept_labels
from .ladder import TAIL, Ladder

LATER = 0.2  # tail of all later rounds together, relative to that of the first one


def round_tail(number: int, first: float = TAIL) -> float:
    """Tail of a round of learning and accepting.

    >>> [round(round_tail(r), 6) for r in (1, 2, 3)]
    [0.05, 0.005, 0.0025]
    """
    if number < 1:
        raise ValueError(f"rounds are numbered from 1, got {number}. Pass 1 for the first one.")
    return first if number == 1 else LATER * first * 2.0 ** (1 - number)


class Climb(NamedTuple):
    """Questions about the labels of one ladder that certify more of them, if the answers agree with the labels."""

    rows: Array
    more: int  # labels that can be used then and not before


def accept_several(ladders: Sequence[Ladder], wrong: Mapping[int, bool]) -> Accepted:
    """The labels of ladders without a common label that may be used; without rungs if there are several."""
    if len(ladders) == 1:
        return accept_labels(ladders[0], wrong)
    together = union([accept_labels(ladder, wrong) for ladder in ladders])
    steps, answers, n = [], 0, together.n
    for climb in takewhile(lambda climb: climb.more, merged(ladders, wrong, MOST_ANSWERS)):
        answers, n = answers + len(climb.rows), n + climb.more
        steps.append(Step(answers, n))
    return together._replace(needs=tuple(step for step in steps if step.more_answers <= MOST_ANSWERS))


def next_of_several(ladders: Sequence[Ladder], wrong: Mapping[int, bool], n: int) -> list[int]:
    """The next n documents to ask about, if the answers all agree with the labels."""
    if len(ladders) == 1:
        return next_questions(ladders[0], wrong, n)
    climbs = merged(ladders, wrong, max(n, MOST_ANSWERS))  # the first one does not depend on n
    return [row for climb in climbs for row in climb.rows.tolist()][:n]


def merged(ladders: Sequence[Ladder], wrong: Mapping[int, bool], budget: int) -> list[Climb]:
    """The climbs of all ladders: the most labels per answer first, then what certifies nothing within the budget."""
    queues: list[list[Climb]] = []
    for ladder in ladders:
        given, before = given_answers(ladder, wrong), accept_labels(ladder, wrong).n
        climbs = []
        for j, rows, certified in ascend(ladder, given.states == WRONG, given, budget):
            climbs.append(Climb(rows, ladder.sizes[j] - before if certified else 0))
            if not certified:
                break
            before = ladder.sizes[j]
        queues.append(climbs)
    ordered = []
    while heads := [queue for queue in queues if queue]:
        best = max(heads, key=lambda queue: queue[0].more / max(len(queue[0].rows), 1))
        ordered.append(best.pop(0))
    return ordered


def union(parts: Sequence[Accepted]) -> Accepted:
    """The claim about disjoint accepted sets together, without rungs and needs; tails are added."""
    if not parts:
        raise ValueError("a union needs at least one accepted set, got none.")
    if np.sum([part.rows for part in parts], axis=0).max(initial=0) > 1:
        raise ValueError(
            "the accepted sets have a label in common. Make the ladder of a later round with `among` = the labels that "
            "are not accepted yet."
        )
    names = ("n", "at_most_wrong", "n_sample", "sample_wrong", "n_answers", "n_wrong", "unseen")
    sums = {name: sum(getattr(part, name) for part in parts) for name in names}
    unseen = sums["unseen"]
    most = sum(part.unseen_at_most * part.unseen for part in parts)
    return Accepted(
        max(part.error for part in parts),
        sum(part.tail for part in parts),
        all(part.outside for part in parts),
        np.logical_or.reduce([part.rows for part in parts]),
        **sums,
        unseen_at_most=most / unseen if unseen else 0.0,
        chance=max(part.chance for part in parts),
    )


def still_accepted(
    part: Accepted, wrong: Mapping[int, bool], counted: Mapping[int, bool] = MappingProxyType({})
) -> Accepted | None:
    """The claim of an earlier round with the answers that were given since; None if they refute it.

    `counted`: answers that are in its counts already, as they were then. Given again, they count as they are now.
    """
    inside = [row for row in wrong if part.rows[row]]
    n_answers = part.n_answers + sum(row not in counted for row in inside)
    n_wrong = part.n_wrong + sum(wrong[row] - counted.get(row, False) for row in inside)
    if n_wrong > part.at_most_wrong:
        return None
    unseen = max(part.n - n_answers, 0)
    share = min((part.at_most_wrong - n_wrong) / unseen, 1.0) if unseen else 0.0
    return part._replace(
        n_answers=n_answers, n_wrong=n_wrong, unseen=unseen, unseen_at_most=share, rungs=(), needs=(), chance=1.0
    )
