"""What is only added to a job: the log of answers, what was shown to whom, and the certificates that were issued."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from . import schema
from .checksums import FIRST, check_row, sealed
from .contents import answer_problem, check_answer, check_certificate, damaged
from .database import Database
from .packing import from_json, to_json
from .records import AnswerRow, CertificateRow, NewAnswer, now


class AnswerLog:
    """The answers of a job, and the documents that were shown to persons."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, answers: Sequence[NewAnswer]) -> list[int]:
        """Add rows to the log: all of them, or none if one of them is wrong. Returns their numbers.

        They are on the disk when this returns.
        """
        n_documents, classes, time = self._database.n_documents, self._database.allowed, now()
        for new in answers:
            if problem := answer_problem(int(new.document), new.answer, new.kind, new.purpose, n_documents, classes):
                raise ValueError(f"{problem}.")
        ids = []
        with self._database.write() as connection:
            if connection.dialect.name == "postgresql":  # rows become visible in the order of their numbers
                connection.execute(sa.text("LOCK TABLE answers IN SHARE ROW EXCLUSIVE MODE"))
            a = schema.answers.c
            before = connection.scalar(sa.select(a.checksum).order_by(a.id.desc()).limit(1))
            before = FIRST if before is None else before
            for answer in answers:
                values = {**answer._asdict(), "document": int(answer.document), "time": answer.time or time}
                row = sealed(schema.answers, values, before)
                key = connection.execute(sa.insert(schema.answers).values(row)).inserted_primary_key
                ids.append(int(key[0]) if key else 0)
                before = row["checksum"]
        return ids

    def history(self, after: int = 0) -> list[AnswerRow]:
        """The log, or its rows after a number."""
        name, classes = self._database.name, self._database.allowed
        with self._database.read() as connection:
            statement = sa.select(schema.answers).where(schema.answers.c.id >= after).order_by(schema.answers.c.id)
            rows = connection.execute(statement).all()
        if after and (not rows or rows[0].id != after):
            raise damaged(name, f"answer {after} is missing")
        before = rows[0].checksum if after else FIRST
        answers: list[AnswerRow] = []
        for row in rows[1:] if after else rows:
            check_row(schema.answers, row, name, before)
            answer = AnswerRow(*(getattr(row, field) for field in AnswerRow._fields))
            check_answer(answer, answers[-1].id if answers else after, self._database.n_documents, classes, name)
            answers.append(answer)
            before = row.checksum
        return answers

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


class Certificates:
    """The certificates that were issued."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, content: dict[str, Any], *, level: float, fit: int, last_answer: int, time: str | None = None) -> int:
        """Add a certificate that was issued."""
        values = {"level": float(level), "fit": fit, "last_answer": last_answer, "content": to_json(content)}
        values["time"] = time or now()
        with self._database.write() as connection:
            insert = sa.insert(schema.certificates).values(sealed(schema.certificates, values))
            key = connection.execute(insert).inserted_primary_key
        return int(key[0]) if key else 0

    def all(self) -> list[CertificateRow]:
        """All certificates that were issued, the first one first."""
        name = self._database.name
        with self._database.read() as connection:
            rows = connection.execute(sa.select(schema.certificates).order_by(schema.certificates.c.id)).all()
        certificates = []
        for row in rows:
            check_row(schema.certificates, row, name)
            content = from_json(row.content, dict, name)
            issued = CertificateRow(row.id, row.time, row.level, row.fit, row.last_answer, content)
            check_certificate(issued, name)
            certificates.append(issued)
        return certificates
