"""Find all documents of one class of a job: the search after the answers of its log, and the next question.

Nothing is stored: which documents are random draws follows from the order of the first answers in the log, which is
only added to (`labelferry.certificate.search`). Two people who answer at the same time get different documents; a draw
that is skipped or waits for one of them is still a draw.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from os import PathLike
from threading import RLock

import numpy as np

from ...certificate import LEVEL, UNCLEAR_CODE
from ...ensemble.labelled_pool import PoolInputs
from ...labelling.accept_rank import file_confidence
from ...labelling.answers import code_of
from ...labelling.column_names import NEW_COLUMNS
from ...labelling.multi_pool import LabelPools
from ...linalg.matrix import Array
from ...tables import take_rows
from ...tables.spreadsheet import write_labelled
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.audit import Sample, as_sample
from ..sample.find import RECALL, Find, checked_class, checked_level, checked_recall, find_class, reads_of
from ..sample.find_rank import ClassChances, chances_by_label
from ..sample.one_label import says
from ..store.records import FIND, FIRST_FIT, UNDO, Several
from .export import labelled_table
from .other_rows import file_rows
from .population import population_of_store
from .questions import JobQuestions, Question
from .refit import stored_inputs
from .state import JobLog, JobState

Key = tuple[str, float, float, int]


class JobFind:
    """The searches of a job."""

    def __init__(self, store: storage.Store, log: JobLog, questions: JobQuestions) -> None:
        self._store, self._log, self._questions = store, log, questions
        self._lock = RLock()
        self._last: tuple[Key, Find] | None = None
        self._known: dict[str, ClassChances] = {}

    def find(self, of_class: str, recall: float = RECALL, level: float = LEVEL) -> Find:
        """The search for a class after the answers so far."""
        name, goal = checked_class(of_class, self.classes, self._store.name), checked_recall(recall)
        level = checked_level(level)
        state, labelled = self._log.state(), self._questions.labelled
        with self._lock:
            key = (name, goal, level, state.version[1])
            if self._last is None or self._last[0] != key:
                given = [row for row in state.log if row.kind != UNDO]
                inside = labelled.contains(np.array([row.document for row in given], dtype=np.int64)).tolist()
                code, meaning = self._meaning(name, state)
                pairs = [
                    (int(labelled.positions(row.document)), meaning[code_of(row.kind, row.answer, state.classes)])
                    for row, here in zip(given, inside, strict=True)
                    if here
                ]
                final = {int(labelled.positions(d)): meaning[c] for d, c in state.codes.items() if labelled.contains(d)}
                reads, codes = reads_of(pairs, final, code)
                rows = file_rows(self._store)
                found = find_class(
                    name, rows.then(labelled.rows), self._questions.seed, goal, level, reads, codes, self._chances(name)
                )  # fmt: skip
                self._last = (key, found)
            return self._last[1]

    @property
    def classes(self) -> list[str]:
        """What can be searched: the classes, or the labels that were learned."""
        several = self._store.database.several
        return self._store.classes if several is None else list(several.learned)

    def _meaning(self, name: str, state: JobState) -> tuple[int, dict[int, int]]:
        """The code of a class, and what the codes of answers are for its search: of one of several labels 0 and 1."""
        codes, several = (UNCLEAR_CODE, *range(len(state.classes) + 1)), self._store.database.several
        if several is None:
            return state.classes.index(name), dict(zip(codes, codes, strict=True))
        has_label = [says(several.form, name, text) for text in state.classes]
        return 1, dict(zip(codes, (UNCLEAR_CODE, *has_label, UNCLEAR_CODE), strict=True))

    def _chances(self, name: str) -> ClassChances:
        if name not in self._known:
            self._known[name] = self._new_chances(name)
        return self._known[name]

    def _new_chances(self, name: str) -> ClassChances:
        several = self._store.database.several
        if several is not None:
            (pools, positions), j = self._pools(several), several.learned.index(name)
            without = file_confidence(self._store.fits.arrays(FIRST_FIT)["proba"][self._questions.labelled.rows, j])
            return ClassChances(1, without, pools.inputs(j), positions)
        code = self._store.classes.index(name)
        first, labelled = self._store.fits.arrays(FIRST_FIT), self._questions.labelled
        labels, second, confidence = (first[name][labelled.rows] for name in ("labels", "alternative", "confidence"))
        without = chances_by_label(labels, second, confidence, code, len(self._store.classes))
        return ClassChances(code, without, *self._panel)

    @cached_property
    def _panel(self) -> tuple[PoolInputs | None, Array]:
        """What learns from answers, and the position of each of its documents; nothing for a single method."""
        pool, _ = self._store.pool()
        if "start" not in pool:
            return None, np.zeros(0, dtype=np.int64)
        return stored_inputs(self._store), self._positions(pool["rows"])

    def _pools(self, several: Several) -> tuple[LabelPools, Array]:
        pool, members = self._store.pool()
        pools = LabelPools(pool["rows"], pool["start"], members, several.panel, pool["coordinates"])
        return pools, self._positions(pools.rows)

    def _positions(self, rows: Array) -> Array:
        """The position of each document of a panel among those with a label; -1 for others."""
        inside, positions = self._questions.labelled.contains(rows), np.full(len(rows), -1)
        positions[inside] = self._questions.labelled.positions(rows[inside])
        return positions

    def next(
        self, of_class: str, reviewer: str = "", *, skip: Collection[int] = (), recall: float = RECALL
    ) -> Question | None:
        """The next document to read, None if there is none; others than those that other persons were shown last."""
        found = self.find(of_class, recall)
        order = [int(self._questions.labelled.rows[position]) for position in found.next_positions()]
        row = self._questions.reserve(order, reviewer, skip)
        return None if row is None else self._questions.about(row, FIND)

    def sample(self, of_class: str, n: int) -> Sample:
        """The next n documents to read, for a file; the labels are hidden."""
        positions = list(self.find(of_class).next_positions())[:n]
        if not positions:
            raise ValueError(f"{self._store.name}: every document was read, no question is left.")
        population = population_of_store(self._store, self._log.state())
        return as_sample(population, [(FIND, position) for position in positions], self._questions.seed, blind=True)

    def write_found(self, found: Find, path: str | PathLike[str]) -> list[str]:
        """Write the documents that were found with all columns, in the order of the file; returns messages."""
        table, extra = labelled_table(self._store, self._log, self._questions.new_class_rows)
        rows = sorted(found.found)
        if not rows:
            raise ValueError(f"{self._store.name}: no document of class {found.of_class} was found yet.")
        columns = {name: [values[row] for row in rows] for name, values in extra.items()}
        return write_labelled(take_rows(table, rows), columns, path, reserved=NEW_COLUMNS)
