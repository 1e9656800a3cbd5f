"""The answers of a job: the log, what counts in it, and adding to it."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any

from ..store.records import LABEL, UNDO, AnswerRow, NewAnswer
from .state import JobState

if TYPE_CHECKING:
    from ..store import Store


class JobLog:
    """The answers of a job.

    Parameters
    ----------
    store : Store
        Where everything is kept.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.classes: list[str] = store.classes
        self.columns: list[str] = store.settings["own"]
        self.n_documents: int = store.n_documents
        self._lock = RLock()
        self._log: list[AnswerRow] = []
        self._state: JobState | None = None

    def history(self) -> list[AnswerRow]:
        """All rows of the log, the first one first."""
        with self._lock:
            self._log += self.store.history(after=self._log[-1].id if self._log else 0)
            return list(self._log)

    def state(self) -> JobState:
        """The labels and the answers of this moment, to compute several things from the same ones."""
        with self._lock:
            fit = self.store.labels()  # before the log, which then has all answers that it learned from
            state = JobState(self.history(), fit, self.classes)
            if self._state is None or self._state.version != state.version:
                self._state = state
            return self._state

    def answers(self) -> list[AnswerRow]:
        """The answers that count: the last one per document and reviewer."""
        return self.state().answers

    def decided(self) -> dict[int, AnswerRow | None]:
        """Per answered document, the answer on which the reviewers agree; None for a disagreement."""
        return self.state().decided

    def codes(self) -> dict[int, int]:
        """Class codes of the answered documents: K for none of these, -1 for unclear and for a disagreement."""
        return self.state().codes

    def disagreements(self) -> list[dict[str, Any]]:
        """Documents with different answers and no majority: `document`, and `answers` as rows of the log."""
        return self.state().disagreements

    def answer(
        self,
        document: int,
        answer: str | None,
        *,
        kind: str = LABEL,
        purpose: str = "list",
        reviewer: str = "",
        shown: str | None = None,
    ) -> int:
        """Record the answer of a person about a document. It is on the disk when this returns.

        Parameters
        ----------
        document : int
            Number of the document.
        answer : str or None
            A class label; None for other kinds.
        kind : {"label", "none_of_these", "unclear"}, default="label"
            Kind of the answer.
        purpose : {"audit", "duel", "group", "new", "list"}, default="list"
            Why the document was shown.
        reviewer : str, default=""
            Name of the person.
        shown : str, default=None
            Label that was shown; None if it was hidden.

        Returns
        -------
        id : int
            Number of the row in the log.
        """
        return self.add_answers([NewAnswer(document, answer, kind, purpose, reviewer, shown)])[0]

    def add_answers(self, answers: Sequence[NewAnswer]) -> list[int]:
        """Record several answers at once: all of them, or none if one of them is wrong.

        Parameters
        ----------
        answers : sequence of NewAnswer
            The answers. What they replace and the current fit are added.

        Returns
        -------
        ids : list of int
            Numbers of the rows in the log.
        """
        earlier = {(row.document, row.reviewer): row.id for row in self.answers()}
        fit = self.store.last_fit()
        rows = [row._replace(replaces=earlier.get((row.document, row.reviewer)), fit=fit) for row in answers]
        return self.store.add_answers(rows)

    def undo(self, reviewer: str = "") -> AnswerRow | None:
        """Take back the last answer of a person. The answer before it counts again.

        Parameters
        ----------
        reviewer : str, default=""
            Name of the person.

        Returns
        -------
        row : AnswerRow or None
            The answer that was taken back; None if there is none.
        """
        mine = [row for row in self.answers() if row.reviewer == reviewer]
        if not mine:
            return None
        last = mine[-1]
        self.store.add_answer(last.document, None, UNDO, last.purpose, reviewer, replaces=last.id)
        return last
