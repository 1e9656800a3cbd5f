"""A review job in a database. Every method is one transaction; what it wrote is on the disk when it returns."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from . import schema
from .database import now
from .decisions import current_answers
from .documents import Documents
from .records import KINDS, LABEL, PURPOSES, UNDO, AnswerRow, NewAnswer


class Store(Documents):
    """A job in a SQLite file or a PostgreSQL database. Use `Store.create` or `Store.open`.

    Parameters
    ----------
    engine : sqlalchemy.Engine
        The connected database.
    name : str
        The place, for messages.

    Attributes
    ----------
    settings : dict
        Plain values of the job.
    classes : list of str
        The class labels, in the order of the codes.
    n_documents : int
        Number of documents.
    """

    def add_answer(
        self,
        document: int,
        answer: str | None,
        kind: str,
        purpose: str,
        reviewer: str = "",
        shown: str | None = None,
        time: str | None = None,
        replaces: int | None = None,
        fit: int | None = None,
    ) -> int:
        """Add a row to the log. It is on the disk when this returns.

        Parameters
        ----------
        document : int
            Number of the document, from 0.
        answer : str or None
            The class label if `kind` is "label", otherwise None.
        kind : {"label", "none_of_these", "unclear", "undo"}
            Kind of the answer.
        purpose : {"audit", "duel", "group", "new", "list"}
            Why the document was shown.
        reviewer : str, default=""
            Name of the person.
        shown : str, default=None
            Label that was shown; None if it was hidden.
        time : str, default=None
            Time in UTC, ISO 8601; now if None.
        replaces : int, default=None
            Number of the earlier answer that this row replaces or takes back.
        fit : int, default=None
            Number of the fit whose label was shown.

        Returns
        -------
        id : int
            Number of the row.
        """
        return self.add_answers([NewAnswer(document, answer, kind, purpose, reviewer, shown, time, replaces, fit)])[0]

    def add_answers(self, answers: Sequence[NewAnswer]) -> list[int]:
        """Add rows to the log: all of them, or none if one of them is wrong.

        Parameters
        ----------
        answers : sequence of NewAnswer
            The rows, in their order.

        Returns
        -------
        ids : list of int
            Numbers of the rows.
        """
        for answer in answers:
            self._check_answer(answer)
        time = now()
        ids = []
        with self._write() as connection:
            if connection.dialect.name == "postgresql":  # rows become visible in the order of their numbers
                connection.execute(sa.text("LOCK TABLE answers IN SHARE ROW EXCLUSIVE MODE"))
            for answer in answers:
                values = {**answer._asdict(), "document": int(answer.document), "time": answer.time or time}
                key = connection.execute(sa.insert(schema.answers).values(values)).inserted_primary_key
                ids.append(int(key[0]) if key else 0)
        return ids

    def _check_answer(self, row: NewAnswer) -> None:
        """Raise ValueError for an answer that the log cannot contain."""
        if row.kind not in (*KINDS, UNDO):
            raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {row.kind!r}.")
        if row.purpose not in PURPOSES:
            raise ValueError(f"purpose must be one of {', '.join(PURPOSES)}; got {row.purpose!r}.")
        if not 0 <= row.document < self.n_documents:
            raise ValueError(f"document must be from 0 to {self.n_documents - 1}; got {row.document}.")
        is_label = row.kind == LABEL
        if is_label != (row.answer is not None) or (is_label and row.answer not in self.classes):
            raise ValueError(f"answer must be one of {', '.join(self.classes)} for kind {LABEL!r}; got {row.answer!r}.")

    def history(self, after: int = 0) -> list[AnswerRow]:
        """The log, or its rows after a number."""
        with self._read() as connection:
            rows = connection.execute(
                sa.select(schema.answers).where(schema.answers.c.id > after).order_by(schema.answers.c.id)
            )
            return [AnswerRow(**row._mapping) for row in rows]

    def answers(self, current: bool = True) -> list[AnswerRow]:
        """The answers that count, or with `current=False` all rows of the log."""
        return current_answers(self.history()) if current else self.history()

    def add_shown(self, document: int, reviewer: str, time: str | None = None) -> None:
        """Record that a document was shown to a person."""
        values = {"document": document, "reviewer": reviewer, "time": time or now()}
        with self._write() as connection:
            connection.execute(sa.insert(schema.shown).values(values))

    def shown_since(self, time: str) -> dict[str, int]:
        """Per person, the document that was shown last, if that was after a time."""
        s = schema.shown.c
        with self._read() as connection:
            rows = connection.execute(sa.select(s.reviewer, s.document).where(s.time > time).order_by(s.id))
            return {row.reviewer: row.document for row in rows}
