r"""Finish a file: use some labels, let people label the other documents, so that few of all delivered labels are wrong.

    N, M    all documents; those that had no answer when the labels were frozen, by score
    W_k     wrong labels among the k best of them (unknown); it increases with k
    r       floor(error N)
    t, x_k  length of the longest fully answered prefix of the random order of the M documents; wrong labels in it that
            are among the k best

If people label all but the k best, at most W_k of N delivered labels are wrong. W_k <= r is tested with the limits b of
`limits.py` for M documents and r: it passes as soon as x_k <= b_t for some t.

**Why no correction for the search over k.** Let k* be the smallest k with W_k > r: it is not random. If a false claim
passes for some k, then k >= k* and x_k* <= x_k <= b_t, so the claim for k* has passed, which has probability `tail` at
most. b does not depend on k, so every k from 1 to M is tested, after every answer: k may be as large as the place of
the wrong label number b_t + 1. Compare `accept.py`, where the share of wrong labels *among the used ones* is limited:
it needs a ladder, and fewer labels can be used.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .accept import NOTHING, WRONG, given_answers
from .ahead import MOST_ANSWERS, Step
from .ladder import Ladder
from .limits import allowed, limits


class Finished(NamedTuple):
    """Labels to use, and documents to label by hand, so that few of all delivered labels are wrong.

    Attributes
    ----------
    error, tail : float
        Allowed share of wrong labels among all delivered ones, and the probability of a false claim.
    rows : array of bool of shape (n_documents,)
        Labels to use.
    n : int
        Their number.
    n_documents : int
        Number of delivered labels.
    at_most_wrong : int
        With confidence 1 - tail, at most this many of the delivered labels are wrong, if people label the others.
    n_to_label : int
        Documents that people have to label; those with an answer are not counted.
    n_answers, n_wrong : int
        Answers that the test uses, and the wrong labels among them.
    needs : tuple of Step
        Further answers that allow to use more labels, if they all agree with the labels.
    """

    error: float
    tail: float
    rows: Array
    n: int
    n_documents: int
    at_most_wrong: int
    n_to_label: int
    n_answers: int
    n_wrong: int
    needs: tuple[Step, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values without the rows."""
        values = {k: v for k, v in self._asdict().items() if k != "rows"}
        return {**values, "needs": [one._asdict() for one in self.needs]}


def finish_file(
    ladder: Ladder, wrong: Mapping[int, bool], error: float | None = None, tail: float | None = None
) -> Finished:
    """How many labels to use if people label the other documents.

    The next question is the first document of `ladder.order` without an answer.

    Parameters
    ----------
    ladder : Ladder
        The frozen ladder of all documents without an answer: its scores and its random order. Documents that are not
        in it are delivered with the answers of people.
    wrong : mapping of int to bool
        All answers, as in `certified`.
    error, tail : float, default=None
        As in `Ladder`. None: those of the ladder. Choose them before the first answer.

    Returns
    -------
    finished : Finished
        Labels to use.

    Examples
    --------
    >>> from labelferry.certificate import make_ladder
    >>> ladder = make_ladder(np.arange(2000.0), np.linspace(0.3, 0, 2000), error=0.05)
    >>> answers = {int(row): bool(row < 200) for row in ladder.order[:100]}
    >>> result = finish_file(ladder, answers)
    >>> result.n, result.n_to_label, result.needs[0]
    (1803, 185, Step(more_answers=17, n=1849))
    """
    error, tail = ladder.error if error is None else error, ladder.tail if tail is None else tail
    given, M, N = given_answers(ladder, wrong), ladder.n_labels, len(ladder.place)
    r = allowed(N, error)
    ahead = ladder.order[: given.inside(M)[0] + MOST_ANSWERS]
    states = given.states[ahead]
    open_rows = np.flatnonzero(states == NOTHING)
    t = int(open_rows[0]) if len(open_rows) else len(ahead)
    sizes = np.maximum.accumulate(usable_sizes(ladder.place[ahead], states == WRONG, limits(M, r, tail, len(ahead)), M))
    places = np.sort(given.places[given.wrong & (given.places < M)])
    sizes = np.minimum(sizes, places[r] if len(places) > r else M)  # what the answers refute is not claimed
    n = int(sizes[t])
    cost = np.append(0, np.cumsum(states == NOTHING))
    larger = {int(cost[i]): int(sizes[i]) for i in range(t + 1, len(sizes)) if sizes[i] > sizes[i - 1]}
    steps = [Step(more, size) for more, size in larger.items()]  # the largest if answers that wait count with the last
    return Finished(
        error, tail, ladder.place < n, n, N, r, M - n - (given.inside(M)[0] - given.inside(n)[0]), t,
        int((states[:t] == WRONG).sum()), tuple(step for step in steps if step.more_answers <= MOST_ANSWERS),
    )  # fmt: skip


def usable_sizes(places: Array, wrong: Array, b: Array, n_labels: int) -> Array:
    """After 0, 1, 2, ... answers: the largest k with x_k <= b_t."""
    sizes, found = np.zeros(len(b), dtype=int), list[int]()
    for t, limit in enumerate(b.tolist()):
        if t and wrong[t - 1]:
            insort(found, int(places[t - 1]))
        if limit >= 0:
            sizes[t] = found[limit] if limit < len(found) else n_labels
    return sizes
