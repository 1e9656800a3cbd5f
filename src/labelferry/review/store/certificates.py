"""The certificates of a job that were issued."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from . import schema
from .checksums import check_row, sealed
from .contents import check_certificate
from .database import Database
from .packing import from_json, to_json
from .records import CertificateRow, now


class Certificates:
    """The certificates that were issued."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, content: dict[str, Any], *, level: float, fit: int, last_answer: int, time: str | None = None) -> int:
        """Add a certificate that was issued."""
        values = {"level": float(level), "fit": fit, "last_answer": last_answer, "content": to_json(content)}
        values["time"] = time or now()
        with self._database.write() as connection:
            key = connection.execute(
                sa.insert(schema.certificates).values(sealed(schema.certificates, values))
            ).inserted_primary_key
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
