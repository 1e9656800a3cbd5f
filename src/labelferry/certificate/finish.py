r"""Finish a file: use some labels, let people label the other documents, so that few of all delivered labels are wrong.

    N, M       all documents; those that had no answer when the labels were frozen, by score
    W_k        wrong labels among the k best of them (unknown); it increases with k
    r          floor(error N)
    S_j, n_j   the rungs of the ladder, from the first one on; pi|S_j as in `accept.py`
    t_j, x_k   length of the longest fully answered prefix of pi|S_j; wrong labels in it that are among the k best

If people label all but the k best, at most W_k of N delivered labels are wrong. For n_{j-1} < k <= n_j, W_k <= r is
tested inside S_j, with the limits b of `limits.py` for n_j labels and r: it passes as soon as x_k <= b_t for some
t <= t_j. Labels of S_j are used only if W_n <= r has passed for n = n_1, ..., n_{j-1}, each in its own rung.

**Why no correction for the search over k and j.** Let k* be the smallest k with W_k > r, and S_j* the rung in which it
is tested: they are not random. If a false claim passes, then for some k >= k*. Either k is tested in S_j*, and
x_k* <= x_k <= b_t; or it is tested above, so W_n <= r has passed for n = n_j* >= k*, and x_k* <= x_n <= b_t. In both
cases the test of W_k* <= r in S_j* has passed, which has probability `tail` at most, after any number of answers.

**Why rungs.** Questions about labels that will not be used tell nothing. In a rung with half of the labels, 5% of
the whole file are 10% of the rung. Without a wrong label, n_j / error N times the same number of answers is needed
for every rung, and most of them are answered for the rungs below: the first labels can be used early, and nothing is
lost at the end. Compare `accept.py`, where the share of wrong labels *among the used ones* is limited: it needs more
answers, and fewer labels can be used.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .accept import MOST_ANSWERS, NOTHING, WRONG, Given, Step, first_inside, given_answers, next_questions
from .ladder import Ladder
from .limits import allowed, limits


class Finished(NamedTuple):
    """Labels to use, and documents to label by hand, so that few of all delivered labels are wrong."""

    error: float  # allowed share of wrong labels among all delivered ones, and the probability of a false claim
    tail: float
    rows: Array  # labels to use
    n: int  # their number
    n_documents: int  # number of delivered labels
    # with confidence 1 - tail, at most this many of the delivered labels are wrong, if people label the others
    at_most_wrong: int
    n_to_label: int  # documents that people have to label; those that they labelled are not counted
    n_answers: int  # answers that the test uses, in the highest rung that is reached, and the wrong labels among them
    n_wrong: int
    needs: tuple[Step, ...]  # further answers that allow to use more labels, if they all agree with the labels

    def as_dict(self) -> dict[str, Any]:
        """Plain values without the rows."""
        values = {k: v for k, v in self._asdict().items() if k != "rows"}
        return {**values, "needs": [one._asdict() for one in self.needs]}


class Looked(NamedTuple):
    """A rung after each of its answers, given and supposed ones; index 0 is no answer."""

    cost: Array  # further answers so far, those in lower rungs included
    sizes: Array  # labels that may be used
    wrong: Array  # wrong labels found in the rung


def finish_file(ladder: Ladder, wrong: Mapping[int, bool], *, unclear: Iterable[int] = ()) -> Finished:
    """How many labels to use if people label the other documents.

    The ladder is that of all documents without an answer; the others are delivered with the answers of people. The
    `unclear` documents, inside and outside the ladder, have answers that name no class, and not that none fits: people
    still have to label them, unless their label is used.

    >>> from labelferry.certificate.ladder import make_ladder
    >>> ladder = make_ladder(np.arange(2000.0), np.linspace(0.3, 0, 2000), error=0.05)
    >>> answers = {}
    >>> while len(answers) < 40:
    ...     row, = finish_questions(ladder, answers, 1)
    ...     answers[row] = row < 200
    >>> result = finish_file(ladder, answers)
    >>> result.n, result.n_to_label, result.needs[0]
    (1000, 995, Step(more_answers=2, n=1200))
    """
    ladder = file_ladder(ladder)
    given, M, N = given_answers(ladder, wrong), ladder.n_labels, len(ladder.place)
    r, best, answers, found, steps = ladder.at_most[0] if ladder.sizes else 0, 0, 0, 0, dict[int, int]()
    places = np.sort(given.places[given.wrong & (given.places < M)])
    most = int(places[r]) if len(places) > r else M  # what the answers refute is not claimed
    for look in looks(ladder, given.states == WRONG, given, MOST_ANSWERS):
        sizes = np.minimum(look.sizes, most)
        if look.cost[0] == 0:
            answers = int(np.searchsorted(look.cost, 0, side="right")) - 1
            best, found = max(best, int(sizes[answers])), int(look.wrong[answers])
        for cost, n in zip(look.cost.tolist(), sizes.tolist(), strict=True):
            if 0 < cost <= MOST_ANSWERS and n > max(best, *steps.values(), 0):
                steps[cost] = n
    to_label = M - best - (given.inside(M)[0] - given.inside(best)[0])
    to_label += sum(int(ladder.place[row]) >= best for row in set(unclear))
    needs = tuple(Step(*step) for step in steps.items())
    return Finished(ladder.error, ladder.tail, ladder.place < best, best, N, r, to_label, answers, found, needs)


def finish_questions(ladder: Ladder, wrong: Mapping[int, bool], n: int) -> list[int]:
    """The next n documents to ask about for `finish_file`, if the answers all agree with the labels."""
    return next_questions(file_ladder(ladder), wrong, n)


def file_ladder(ladder: Ladder) -> Ladder:
    """The ladder with the claims W_n <= r for n = n_1, n_2, ...; it begins with the first one that can be false."""
    r, last = allowed(len(ladder.place), ladder.error), max(len(ladder.sizes) - 1, 0)
    start = min(sum(n <= r for n in ladder.sizes), last)
    return replace(ladder, at_most=(r,) * len(ladder.sizes), start=start, outside=False)


def looks(ladder: Ladder, wrong: Array, given: Given, budget: int) -> Iterator[Looked]:
    """Rung by rung until one does not pass; further answers are as in `wrong`, at most `budget` in each rung."""
    answered, spent = given.states != NOTHING, 0
    below = ladder.sizes[ladder.start - 1] if ladder.start else 0
    for j in range(ladder.start, len(ladder.sizes)):
        n = ladder.sizes[j]
        rows = first_inside(ladder, j, given.inside(n)[0] + budget)
        cost, found = (np.append(0, np.cumsum(flags)) for flags in (~answered[rows], wrong[rows]))
        b = limits(n, ladder.at_most[j], ladder.tail, len(rows))
        sizes = np.maximum.accumulate(usable_sizes(ladder.place[rows], wrong[rows], b, n))
        passed = np.flatnonzero(sizes == n)
        end = int(passed[0]) if len(passed) else len(rows)
        yield Looked(spent + cost[: end + 1], np.maximum(sizes[: end + 1], below), found[: end + 1])
        if not len(passed):
            break
        answered[rows[:end]] = True
        spent, below = spent + int(cost[end]), n


def usable_sizes(places: Array, wrong: Array, b: Array, n_labels: int) -> Array:
    """After 0, 1, 2, ... answers: the largest k with x_k <= b_t."""
    sizes, found = np.zeros(len(b), dtype=int), list[int]()
    for t, limit in enumerate(b.tolist()):
        if t and wrong[t - 1]:
            insort(found, int(places[t - 1]))
        if limit >= 0:
            sizes[t] = found[limit] if limit < len(found) else n_labels
    return sizes
