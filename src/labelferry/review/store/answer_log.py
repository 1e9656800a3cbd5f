"""The log of answers, to which rows are only added, and what was shown to whom."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from ...certificate.sampling import LABEL
from . import schema
from .database import Database
from .records import KINDS, PURPOSES, UNDO, AnswerRow, NewAnswer, now


class AnswerLog:
    """The answers of a job, and the documents that were shown to persons."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, answers: Sequence[NewAnswer]) -> list[int]:
        """Add rows to the log: all of them, or none if one of them is wrong. Returns their numbers.

        They are on the disk when this returns.
        """
        for answer in answers:
            self._check_answer(answer)
        time = now()
        ids = []
        with self._database.write() as connection:
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
        n_documents, classes = self._database.n_documents, self._database.classes
        if not 0 <= row.document < n_documents:
            raise ValueError(f"document must be from 0 to {n_documents - 1}; got {row.document}.")
        is_label = row.kind == LABEL
        if is_label != (row.answer is not None) or (is_label and row.answer not in classes):
            raise ValueError(f"answer must be one of {', '.join(classes)} for kind {LABEL!r}; got {row.answer!r}.")

    def history(self, after: int = 0) -> list[AnswerRow]:
        """The log, or its rows after a number."""
        with self._database.read() as connection:
            rows = connection.execute(
                sa.select(schema.answers).where(schema.answers.c.id > after).order_by(schema.answers.c.id)
            )
            return [AnswerRow(**row._mapping) for row in rows]

    def add_shown(self, document: int, reviewer: str, time: str | None = None) -> None:
        """Record that a document was shown to a person."""
        values = {"document": document, "reviewer": reviewer, "time": time or now()}
        with self._database.write() as connection:
            connection.execute(sa.insert(schema.shown).values(values))

    def shown_since(self, time: str) -> dict[str, int]:
        """Per person, the document that was shown last, if that was after a time."""
        s = schema.shown.c
        with self._database.read() as connection:
            rows = connection.execute(sa.select(s.reviewer, s.document).where(s.time > time).order_by(s.id))
            return {row.reviewer: row.document for row in rows}
