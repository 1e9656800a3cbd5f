"""The answers of a job: the log, which is only added to, and one state of it with the labels of one fit.

Other threads and processes may add answers and fits at any time. Everything that belongs together, such as a
certificate, is computed from one state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import Any, NamedTuple

import numpy as np

from ...certificate import UNCLEAR_CODE, Answers
from ...certificate.final_answers import AGREEING
from ...certificate.sampling import answered_prefix
from ...labelling.answers import code_of
from ...linalg.matrix import Array
from ...tables.row_index import RowIndex
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..store.decisions import by_document, current_answers, decide, deciding_answers, standing_answers
from ..store.records import AGAIN, LIST, UNDO, AnswerRow, FitLabels, NewAnswer

CHOSEN = (AGAIN, LIST)  # answers to documents that were chosen by their answers, or by a person


def among(documents: RowIndex, answers: Answers) -> Answers:
    """The answers to these documents, by their positions among them."""
    inside = documents.contains(answers.rows)
    return Answers(documents.positions(answers.rows[inside]), answers.codes[inside])


class Asked(NamedTuple):
    """The answers to one document that test its label: see `labelferry.certificate.final_answers`."""

    first: dict[str, AnswerRow]  # the last one of each person
    again: list[AnswerRow]  # to the same question once more, because the first answers contradict the label


@dataclass(frozen=True)
class JobState:
    """The log of a job and its labels."""

    log: Sequence[AnswerRow]  # all rows, the first one first
    fit: FitLabels  # read before the log, so the log has all answers that it learned from
    classes: Sequence[str]

    @property
    def version(self) -> tuple[int, int]:
        """Number of the fit, and of the last row of the log."""
        return self.fit.fit, self.log[-1].id if self.log else 0

    @cached_property
    def answers(self) -> list[AnswerRow]:
        """The answers that count: the last one per document and reviewer."""
        return current_answers(self.log)

    @cached_property
    def deciding(self) -> list[AnswerRow]:
        """The answers that say what a document is."""
        return deciding_answers(self.log)

    @cached_property
    def decided(self) -> dict[int, AnswerRow | None]:
        """Per answered document, the answer on which the reviewers agree; None for a disagreement."""
        return {document: decide(rows) for document, rows in by_document(self.deciding).items()}

    @cached_property
    def codes(self) -> dict[int, int]:
        """Class codes of the answered documents: K for none of these, -1 for unclear and for a disagreement."""
        return {document: self._code(row) for document, row in self.decided.items()}

    @cached_property
    def asked(self) -> dict[int, Asked]:
        """Per answered document, its first answers, and what was said after these contradicted the label.

        Once they do, only answers to the same question, asked again, can show that the label is right, and no answer
        that contradicts it is dropped: a person's later denial replaces their first answer. One in the list, or after
        two agreed, has the last word: the label counts as wrong.
        """
        asked: dict[int, Asked] = {}
        for row in standing_answers(self.log):
            first, again = asked.setdefault(row.document, Asked({}, []))
            blind = row.shown is None and row.purpose not in CHOSEN  # an answer to the same first question
            label = int(self.fit.arrays["labels"][row.document])
            denied, is_open = self._code(row) != label, not first or not self._contradicts(row.document, first)
            if denied and (len(again) >= AGREEING or (row.purpose == LIST and not is_open)):
                again[:1] = [row]
            elif is_open or (blind and row.reviewer not in first):
                first[row.reviewer] = row
            elif row.purpose == AGAIN:
                again.append(row)
            elif denied:
                first[row.reviewer] = row
        return asked

    def _contradicts(self, document: int, first: Mapping[str, AnswerRow]) -> bool:
        return self._code(decide(list(first.values()))) != int(self.fit.arrays["labels"][document])

    def contradicted(self, document: int) -> bool:
        """Whether the first answers to a document contradict its label."""
        return document in self.asked and self._contradicts(document, self.asked[document].first)

    @cached_property
    def first_codes(self) -> dict[int, int]:
        """As `codes`, by the answers that test the labels: without those that were given again, and corrections."""
        return {document: self._code(decide(list(rows.first.values()))) for document, rows in self.asked.items()}

    @cached_property
    def again_codes(self) -> dict[int, list[int]]:
        """Per document that was asked again, the codes of these answers in their order."""
        return {
            document: [self._code(row) for row in rows.again] for document, rows in self.asked.items() if rows.again
        }

    def _code(self, row: AnswerRow | None) -> int:
        return UNCLEAR_CODE if row is None else code_of(row.kind, row.answer, self.classes)

    @property
    def disagreements(self) -> list[dict[str, Any]]:
        """Documents with different answers and no majority: `document`, and `answers` as rows of the log."""
        rows = by_document(self.deciding)
        return [{"document": document, "answers": rows[document]} for document, row in self.decided.items() if not row]

    @property
    def seen(self) -> Answers:
        """Documents that had an answer when the labels were fitted, with the codes of their present answers."""
        rows = self.fit.arrays.get("held_out/seen", np.zeros(0, dtype=np.int64))
        codes = [self.codes.get(row, UNCLEAR_CODE) for row in rows.tolist()]
        return Answers(rows, np.array(codes, dtype=np.int64))

    def sample(self, order: Array) -> Answers:
        """The answers that are a random sample: a prefix of the order without the documents of `seen`."""
        rows = answered_prefix(order[~np.isin(order, self.seen.rows)], self.codes)
        return Answers(np.array(rows, dtype=np.int64), np.array([self.codes[row] for row in rows], dtype=np.int64))


class JobLog:
    """The answers of a job. Other processes may add to them, so new rows are read before anything is computed."""

    def __init__(self, store: storage.Store) -> None:
        self._store = store
        self._lock = RLock()
        self._log: list[AnswerRow] = []
        self._state: JobState | None = None

    def history(self) -> list[AnswerRow]:
        """All rows of the log, the first one first."""
        with self._lock:
            self._log += self._store.answers.history(after=self._log[-1].id if self._log else 0)
            return list(self._log)

    def state(self) -> JobState:
        """The labels and the answers of this moment, to compute several things from the same ones."""
        with self._lock:
            fit = self._store.fits.labels()  # before the log, which then has all answers that it learned from
            log = self.history()
            state = JobState(log, fit, self._classes(log))
            if self._state is None or self._state.version != state.version:
                self._state = state
            return self._state

    def _classes(self, log: Sequence[AnswerRow]) -> list[str]:
        """The classes of the labels; of several labels per document, also all sets that people answered."""
        given = [] if self._store.database.several is None else [row.answer for row in log if row.answer is not None]
        return list(dict.fromkeys([*self._store.classes, *given]))

    def answers(self) -> list[AnswerRow]:
        """The answers that count: the last one per document and reviewer."""
        return self.state().answers

    def add(self, answers: Sequence[NewAnswer]) -> list[int]:
        """Add answers with what they replace and the current fit: all of them, or none if one of them is wrong."""
        earlier = {(row.document, row.reviewer): row.id for row in self.answers()}
        fit = self._store.fits.last()
        rows = [row._replace(replaces=earlier.get((row.document, row.reviewer)), fit=fit) for row in answers]
        return self._store.answers.add(rows)

    def undo(self, reviewer: str = "") -> AnswerRow | None:
        """Take back the last answer of a person, and return it; None if there is none."""
        mine = [row for row in self.answers() if row.reviewer == reviewer]
        if not mine:
            return None
        last = mine[-1]
        self._store.answers.add([NewAnswer(last.document, None, UNDO, last.purpose, reviewer, replaces=last.id)])
        return last
