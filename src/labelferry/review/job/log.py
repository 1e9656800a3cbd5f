"""The answers of a job: the log, what counts in it, and adding to it."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock

from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..store.records import UNDO, AnswerRow, NewAnswer
from .state import JobState


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
            state = JobState(self.history(), fit, self._store.classes)
            if self._state is None or self._state.version != state.version:
                self._state = state
            return self._state

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
