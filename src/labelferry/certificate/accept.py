r"""Which labels may be used: nested sets of labels, the ladder, and a test that climbs from set to set.

    S_1 < S_2 < ...   the rungs: the n_j labels with the largest score, of the labels that nobody had looked at when
                      the ladder was frozen (ties by row number)
    R_j, r_j          wrong labels in S_j (unknown), and how many are allowed: r_j = floor(error n_j)
    claim C_j         R_j <= r_j
    pi                random order of the documents; pi|S_j is its part in S_j
    t_j, k_j          length of the longest prefix of pi|S_j whose documents all have an answer; wrong labels in it

C_j passes as soon as k <= b_t for some t <= t_j (`limits.py`). Tests begin at one rung, the start j0, which is chosen
before the first answer; rung j is certified when C_j0, ..., C_j have all passed. The next question is the first
document of pi without an answer in the lowest rung that is not certified.

**Why no correction for many rungs.** Everything but the answers is frozen. Let j* >= j0 be the first rung whose claim
is false: it is not random. If any false claim is certified, C_j* has passed. pi|S_j* is a random order of S_j*, so the
probability that C_j* passes for any t is `tail` at most. The test holds for all t together, so it does not matter
which documents were asked, in which order, for which purpose, how long and on what information: an answer counts when
its turn in pi|S_j comes. A document that is skipped is not passed over.

**What counts as wrong.** An answer that differs from the label, "unclear" and "none of these". Answers that the labels
learned from certify nothing: their documents are not in the ladder.

**Outside.** C_j is about all n_j labels, those that people looked at included. A set is certified because few wrong
labels were found in the sample, so the labels outside the sample may be slightly worse than `error`: at most
(r_j - k) / (n_j - t) of them are wrong, with t and k when the claim passed. A ladder for the labels `outside` has
r_j = floor(error (n_j - c)), and C_j passes at t only if r_j - k <= error (n_j - t), that is t <= c + k / error: then
at most the share `error` of the labels outside the sample is wrong. c is .2 n_j, but at least 4 / error, so that a
sample without wrong labels can be large enough, and at most 8 / error. On 85 tasks (`python -m benchmarks.accept`, 20
answers to learn from) it accepts .126 / .178 of the labels after 120 / 200 answers at 5% and .250 / .260 at 10%;
without `outside` .191 / .270 and .329 / .378.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .ladder import Ladder
from .limits import ROUNDING, limits

NOTHING, RIGHT, WRONG = -1, 0, 1  # about a label, in `Given.states`
MOST_ANSWERS = 300  # further answers to look ahead


class Given(NamedTuple):
    """The answers so far."""

    states: Array  # per document: NOTHING, RIGHT or WRONG
    places: Array  # per answer, by score
    wrong: Array  # per answer

    def inside(self, n: int) -> tuple[int, int]:
        """Answers on the n best labels, and the wrong labels among them."""
        inside = self.places < n
        return int(inside.sum()), int(self.wrong[inside].sum())


def given_answers(ladder: Ladder, wrong: Mapping[int, bool]) -> Given:
    """All answers as arrays, also those for other purposes; `wrong`: by row, whether the label is wrong."""
    rows = np.fromiter(wrong.keys(), dtype=np.int64, count=len(wrong))
    flags = np.fromiter(wrong.values(), dtype=bool, count=len(wrong))
    states = np.full(len(ladder.place), NOTHING, dtype=np.int8)
    if len(rows) and not (rows.min() >= 0 and rows.max() < len(states)):
        raise ValueError(
            f"rows must be from 0 to {len(states) - 1}, got {rows.min()} to {rows.max()}. Pass the answers of the file "
            "that the ladder was made for."
        )
    states[rows] = flags
    return Given(states, ladder.place[rows], flags)


def highest(ladder: Ladder, given: Given) -> int:
    """The highest certified rung, counted from 0; -1 if there is none."""
    top = -1
    for j in range(ladder.start, len(ladder.sizes)):
        if not passed(ladder, j, given):
            break
        top = j
    return top


def passed(ladder: Ladder, j: int, given: Given) -> bool:
    """Whether C_j has passed. A claim that the answers refute is withdrawn."""
    rows = prefix(ladder, j, given)
    found = given.inside(ladder.sizes[j])[1]
    return bool(passes(ladder, j, given.states[rows] == WRONG).any()) and found <= ladder.at_most[j]


def passes(ladder: Ladder, j: int, wrong: Array) -> Array:
    """For each t: whether C_j passes after t answers, if these are the answers in the order pi|S_j."""
    n, r = ladder.sizes[j], ladder.at_most[j]
    k, t = np.cumsum(wrong), np.arange(1, len(wrong) + 1)
    result: Array = k <= limits(n, r, ladder.tail, len(wrong))[1:]
    return result & (r - k <= ladder.error * (n - t) + ROUNDING) if ladder.outside else result


def prefix(ladder: Ladder, j: int, given: Given) -> Array:
    """The longest prefix of pi|S_j whose documents all have an answer."""
    rows = first_inside(ladder, j, given.inside(ladder.sizes[j])[0] + 1)
    free = np.flatnonzero(given.states[rows] == NOTHING)
    return rows[: free[0]] if len(free) else rows


def waiting(ladders: Sequence[Ladder], wrong: Mapping[int, bool], among: Array) -> int:
    """Answers `among` these documents that count in no rung yet: a document before them in the order has none."""
    counted = np.zeros(len(among), dtype=bool)
    for ladder in ladders:
        given = given_answers(ladder, wrong)
        for j in range(len(ladder.sizes)):
            counted[prefix(ladder, j, given)] = True
    return int((given_answers(ladders[0], wrong).states[among & ~counted] != NOTHING).sum())


def first_inside(ladder: Ladder, j: int, count: int) -> Array:
    """The first `count` documents of pi|S_j; fewer if S_j is smaller. Only as much of pi is read as is needed."""
    n, N = ladder.sizes[j], ladder.n_labels
    count = min(count, n)
    seen = min(2 * count * N // n + 64, N)
    while True:
        rows = ladder.order[:seen]
        rows = rows[ladder.place[rows] < n]
        if len(rows) >= count or seen == N:
            return np.asarray(rows[:count])
        seen = min(2 * seen, N)


class Step(NamedTuple):
    """A larger set, and the answers until it is certified."""

    more_answers: int  # number of further answers
    n: int  # labels that can be used then


def climb(ladder: Ladder, wrong: Array, given: Given, budget: int, cost: Array | None = None) -> list[Step]:
    """What is certified after further answers, if they are as in `wrong` and are asked as by `next_questions`."""
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
    """The next n documents to ask about, if the answers all agree with the labels."""
    given, rows = given_answers(ladder, wrong), list[int]()
    for _, new, _ in ascend(ladder, given.states == WRONG, given, n):
        rows += new.tolist()
        if len(rows) >= n:
            break
    return rows[:n]
