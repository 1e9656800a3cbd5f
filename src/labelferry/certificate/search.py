r"""Find all documents of one class: when people read by rank, when at random, and what was found at least.

A **read** is the first answer to a document, in the order of the log. After each read, unless draws wait for their
answers, `draws_next` decides by the counts so far whether the next reads are by rank (the most probable unread document
of the class) or a number of random draws (`recall.py`). Nothing of this is stored: the same answers in the same order
give the same draws in every process. Any policy is valid, this one needs few reads:

    a    documents of the class that may be missed at the planned recall: f (1 - PLAN) / PLAN
    D    draws that would show this if none is of the class: u (1 - .05^(1 / (a + 1)))
    h    share of the class among the last w reads, w the largest of LEAST, i / 10 and D / 10 after i reads

A document that is found by rank saves about D / (a + 1) draws, which is about 3 u / (a + 1)^2: people read by rank
while h is above PACE (a + 1)^2 / u, and at random in between, D / 8 documents at a time. PACE was chosen on
the 12 tasks of `benchmarks/find.py`. Of .015, .03, .06 and .12 the best is .06, on all corpora and with each corpus
left out: 57.7% of a file are read for 95% recall, chosen on all or tested on the others (`benchmarks.find pace`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from math import ceil
from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .interval import LEVEL
from .recall import Draw, bet, no_draws
from .sampling import random_order

FIND = 0x66696E64  # keeps the order of the draws apart from other random orders of the same seed
PLAN = 0.95  # recall that the policy aims at; the bound holds for every recall
PACE = 0.06
LEAST = 30  # reads
WINDOW = 0.1
AT_ONCE, FEWEST = 8, 10  # draws: one eighth of D, but not fewer
Policy = Callable[[Sequence[int], int], int]


class Read(NamedTuple):
    """One document that was answered.

    Attributes
    ----------
    row : int
        The document, from 0 to N - 1.
    first : bool
        Whether the first answer named the class: the policy depends on this, so that a correction does not change it.
    final : bool or None
        Whether people finally say that it belongs to the class; None if it is unclear.
    """

    row: int
    first: bool
    final: bool | None


class Found(NamedTuple):
    """What was found.

    Attributes
    ----------
    n, n_read, n_draws : int
        Documents, those that were read, and those of them that count as random draws.
    n_found, n_unclear : int
        Documents of the class among those that were read, and unclear ones.
    at_most : int
        With confidence `level`, the file has at most this many documents of the class.
    level : float
        Confidence of all statements of this search together, whenever they are read.
    waiting : tuple of int
        Draws without an answer, the first one first: ask about these. Empty: read by rank.
    """

    n: int
    n_read: int
    n_draws: int
    n_found: int
    n_unclear: int
    at_most: int
    level: float
    waiting: tuple[int, ...]

    @property
    def recall_at_least(self) -> float:
        """Lower bound of the share of the class that was found; 1 if there is nothing to find."""
        return self.n_found / self.at_most if self.at_most else 1.0


def draws_next(hits: Sequence[int], n: int) -> int:
    """How many of n documents to draw at random now, after these reads; 0: the next read is by rank."""
    i, u = len(hits) - 1, n + 1 - len(hits)
    if u == 0:
        return 0
    a = hits[-1] * (1 - PLAN) / PLAN
    D = u * (1 - float(0.05 ** (1 / (a + 1))))
    w = int(max(LEAST, WINDOW * i, WINDOW * D))
    if i < w or hits[-1] - hits[i - w] >= max(PACE * (a + 1) ** 2 / u * w, 1):
        return 0
    return max(FEWEST, ceil(D / AT_ONCE))


class Search:
    """A search so far: which documents are drawn, after which read this was decided, and the capital of the draws.

    `policy` decides as `draws_next` does: by the first answers only.
    """

    def __init__(self, order: Array, level: float = LEVEL, policy: Policy = draws_next) -> None:
        self.order, self.level, self._policy = order, level, policy
        self.capital = no_draws(len(order))
        self.n_draws = 0  # in the capital
        self.n_found = self.n_unclear = 0
        self.waiting: dict[int, None] = {}  # draws without an answer, the first one first
        self._possible: dict[int, bool] = {}  # by read document: whether it may belong to the class
        self._marks = [0]  # how many of them do, after 0, 1, ... reads
        self._hits = [0]  # first answers that named the class
        self._draws: list[tuple[int, int, int]] = []  # document, reads at the decision, draws of the round before it
        self._found = 0  # by the draws of the round that are in the capital
        self._next = 0  # place in the order
        self._draw()

    @property
    def n_read(self) -> int:
        """Documents that were read."""
        return len(self._possible)

    def is_read(self, row: int) -> bool:
        """Whether a document was read."""
        return row in self._possible

    def add(self, read: Read) -> None:
        """One more read; a document is read once."""
        possible = read.final is not False
        self._possible[read.row] = possible
        self._marks.append(self._marks[-1] + possible)
        self._hits.append(self._hits[-1] + bool(read.first))
        self.n_found += read.final is True
        self.n_unclear += read.final is None
        self.waiting.pop(read.row, None)
        self._bet()
        if not self.waiting:
            self._draw()

    def with_other_draws(self, rng: np.random.Generator) -> Search:
        """A copy whose next draws are others, for plans: nobody may see the draws to come."""
        other = deepcopy(self)
        other.order = np.append(self.order[: self._next], rng.permutation(self.order[self._next :]))
        return other

    def _bet(self) -> None:
        """Bet on the draws up to the first one without an answer."""
        while self.n_draws < len(self._draws) and (draw := self._draws[self.n_draws])[0] in self._possible:
            row, i, number = draw
            self._found = 0 if number == 0 else self._found
            positive = self._possible[row]
            drawn = Draw(self._marks[i] + self._found, len(self.order) - i - number, positive)
            self.capital = bet(self.capital, drawn, self.level)
            self._found, self.n_draws = self._found + positive, self.n_draws + 1

    def _draw(self) -> None:
        """Draw the documents of the next round, if it is one of draws."""
        i, n = self.n_read, len(self.order)
        for number in range(min(self._policy(self._hits, n), n - i)):
            while int(self.order[self._next]) in self._possible:
                self._next += 1
            row = int(self.order[self._next])
            self._next += 1
            self._draws.append((row, i, number))
            self.waiting[row] = None

    @property
    def at_most(self) -> int:
        """m_max: by the draws, by the counts; by the counts alone if these refute the draws."""
        possible = self.n_found + self.n_unclear
        counts = possible + len(self.order) - self.n_read
        return max(min(self.capital.largest, counts), possible) if self.capital.largest >= self.n_found else counts

    def found(self) -> Found:
        """The counts and the bound."""
        return Found(
            len(self.order), self.n_read, self.n_draws, self.n_found, self.n_unclear, self.at_most, self.level,
            tuple(self.waiting),
        )  # fmt: skip


def search_order(n: int, seed: int, class_key: int) -> Array:
    """The random order pi of the draws: one per seed and class, and none that another sample uses."""
    return random_order(n, seed, FIND, class_key)


def search_state(reads: Iterable[Read], order: Array, level: float = LEVEL) -> Search:
    """The search after these reads: one per document, in the order of the first answers."""
    search = Search(order, level)
    for read in reads:
        search.add(read)
    return search
