"""Find all documents of one class: what was found, how much of all that is at least, and what to read next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from typing import Any
from zlib import crc32

import numpy as np

from ...certificate.search import Found, Read, Search, search_order, search_state
from ...certificate.search_plan import RECALLS, SearchPlan, plan_search
from ...labelling.answers import class_named, read_answer
from ...linalg.matrix import Array
from ...tables.names import listed
from ...tables.row_index import RowIndex
from .find_rank import ClassChances
from .find_text import sentences
from .population import Population

RECALL = 0.95  # the goal, unless another one is chosen


@dataclass(frozen=True, eq=False, repr=False)
class Find:
    """The search for all documents of one class, after some answers.

    Attributes
    ----------
    of_class : str
        The class.
    recall : float
        The goal.
    rows : RowIndex
        Rows of the documents in the user's file.
    reads : list of Read
        The documents that were read, by position among the rows.
    codes : list of int
        Their answers.
    search : Search
        What follows from the reads.
    chances : ClassChances
        How probable the class is.
    """

    of_class: str
    recall: float
    rows: RowIndex
    reads: Sequence[Read]
    codes: Sequence[int]
    search: Search
    chances: ClassChances

    def __repr__(self) -> str:
        found, n = self.state.n_found, self.state.n
        return f"<labelferry search: {found} of class {self.of_class!r} found in {self.n_read} of {n} documents>"

    @cached_property
    def state(self) -> Found:
        """The counts, and the bound."""
        return self.search.found()

    @property
    def found(self) -> list[int]:
        """Rows of the file (from 0) that were found, in the order in which they were read."""
        return [int(self.rows.rows[read.row]) for read in self.reads if read.final]

    @property
    def recall_at_least(self) -> float:
        """With confidence `state.level`, at least this share of all documents of the class is found; at any time."""
        return self.state.recall_at_least

    @property
    def n_read(self) -> int:
        """Documents that were read."""
        return self.state.n_read

    @property
    def done(self) -> bool:
        """Whether the goal is reached: people may stop."""
        return self.recall_at_least >= self.recall

    @cached_property
    def p(self) -> Array:
        """Estimated probability of each document to belong to the class."""
        return self.chances.after([read.row for read in self.reads], self.codes)

    def next_positions(self) -> Iterable[int]:
        """Documents to read, the first one first: draws that wait for an answer, then the most probable ones."""
        yield from self.search.waiting
        for position in np.argsort(-self.p, kind="stable").tolist():
            if not self.search.is_read(position) and position not in self.search.waiting:
                yield position

    def next_rows(self, n: int) -> list[int]:
        """The next n rows of the file (from 0) to read."""
        return [int(self.rows.rows[position]) for position in islice(self.next_positions(), n)]

    def next_row(self) -> int | None:
        """The next row of the file (from 0) to read; None if all were read."""
        return next(iter(self.next_rows(1)), None)

    @cached_property
    def plans(self) -> list[SearchPlan]:
        """Documents to read until 80, 90, 95% and the goal are certified, if the probabilities are right."""
        return plan_search(self.search, self.p, sorted({*RECALLS, self.recall}))

    def as_dict(self, *, plans: bool = True) -> dict[str, Any]:
        """Plain values without the rows."""
        state = self.state
        return {
            "class": self.of_class,
            "recall": self.recall,
            "recall_at_least": state.recall_at_least,
            "done": self.done,
            **{name: value for name, value in state._asdict().items() if name != "waiting"},
            "n_waiting": len(state.waiting),
            "expected_class": float(self.p.sum()) if plans and not self.reads else None,
            "plans": [plan._asdict() for plan in self.plans] if plans and not self.done else [],
        }

    def text(self) -> str:
        """What was found, what is claimed and what is to be expected, in a few sentences."""
        return "\n".join(sentences(self.as_dict()))


def find_class(
    name: str, rows: RowIndex, seed: int, recall: float, level: float, reads: Sequence[Read], codes: Sequence[int],
    chances: ClassChances,
) -> Find:  # fmt: skip
    """The search for a class after some reads. The draws depend on the seed and the name of the class."""
    order = search_order(len(rows), seed, crc32(name.encode("utf-8", "surrogatepass")))
    return Find(name, recall, rows, reads, codes, search_state(reads, order, level), chances)


def reads_of(pairs: Iterable[tuple[int, int]], final: Mapping[int, int], code: int) -> tuple[list[Read], list[int]]:
    """Reads and their final codes from a log of positions and codes; `final`: what people say now, unclear if missing.

    >>> reads_of([(7, 0), (3, 1), (7, 1)], {7: 1, 3: 1}, 1)[0]
    [Read(row=7, first=False, final=True), Read(row=3, first=True, final=True)]
    """
    first: dict[int, int] = {}
    for position, given in pairs:
        first.setdefault(position, given)
    codes = [final.get(position, -1) for position in first]
    reads = [
        Read(position, given == code, None if now < 0 else now == code)
        for (position, given), now in zip(first.items(), codes, strict=True)
    ]
    return reads, codes


def answers_in_order(answers: Any, population: Population, n_rows: int) -> list[tuple[int, int]]:
    """Positions and codes of answers as pairs of row of the file and label; a later pair corrects an earlier one."""
    if isinstance(answers, Mapping):  # often in another order, with which the bound would be wrong
        raise ValueError(
            "answers must be pairs of row and label in the order in which they were given, [(row, label), ...]; got a "
            "mapping."
        )
    log = []
    for pair in () if answers is None else answers:
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            raise ValueError(f"answers must be pairs of row and label; got {str(pair)[:60]!r}.")
        row, value = pair
        if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < n_rows:
            raise ValueError(f"answers: a row must be a whole number from 0 to {n_rows - 1}; got {str(row)[:40]!r}.")
        given = read_answer(value, population.classes, f"row {row}")
        if given is None or not population.rows.contains(np.array([row])).all():
            continue  # no answer, or a row without a predicted label
        log.append((int(population.rows.positions(np.array([row]))[0]), given.code(population.classes)))
    return log


def checked_class(name: Any, classes: Sequence[str], place: str) -> str:
    """The class of this name; an error if there is none."""
    found = class_named(str(name), classes)
    if found is None:
        near = get_close_matches(str(name), classes, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"{place} has no class {str(name)[:60]!r}; the classes are {listed(classes)}.{hint}")
    return found


def checked_recall(recall: Any) -> float:
    """The goal as a number; an error if it is none."""
    if isinstance(recall, int | float | np.number) and not isinstance(recall, bool) and 0 < recall <= 1:
        return float(recall)
    digits, hint = str(recall).strip().removesuffix("%").strip(), ""
    if digits.replace(".", "", 1).isdecimal() and 1 < float(digits) <= 100:
        hint = f" Did you mean {float(digits) / 100:g}?"
    raise ValueError(f"recall must be a number above 0 and at most 1, such as 0.95; got {str(recall)[:40]}.{hint}")


def checked_level(level: Any) -> float:
    """The confidence as a number; an error if it is none."""
    if isinstance(level, int | float | np.number) and not isinstance(level, bool) and 0 < level < 1:
        return float(level)
    raise ValueError(f"level must be a number above 0 and below 1, such as 0.95; got {str(level)[:40]}.")
