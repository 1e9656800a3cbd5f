"""Fits with their labels, and certificates."""

from __future__ import annotations

from typing import Any

import numpy as np
import sqlalchemy as sa

from . import schema
from .contents import check_codes, check_fit
from .create import SOURCE_ONLY, fit_values
from .database import Database, now
from .listing import Labels
from .packing import from_json, to_json
from .records import Array, CertificateRow, FitData, FitRow


class Fits(Database):
    """The fits of a job. The last one has the current labels; parameters as in `Database`."""

    def __init__(self, engine: sa.Engine, name: str) -> None:
        super().__init__(engine, name)
        self._labels: Labels | None = None
        source_only = self.arrays("job").get(SOURCE_ONLY)
        check_codes(source_only, self.n_documents, len(self.classes), name, SOURCE_ONLY)
        self._source_only: Array = np.asarray(source_only)
        self.labels()

    def source_only(self) -> Array:
        """Class codes of the source-only classifier, one per document."""
        return self._source_only

    def labels(self) -> Labels:
        """Labels of the current fit."""
        fit = self.last_fit()
        if self._labels is None or self._labels.fit != fit:
            self._labels = Labels(fit, self.fit_arrays(fit))
        return self._labels

    def counts(self) -> dict[str, Any]:
        """Numbers of documents: all, per label, and those that need review."""
        arrays = self.labels().arrays
        per_class = np.bincount(arrays["labels"], minlength=len(self.classes)).tolist()
        return {
            "documents": self.n_documents,
            "needs_review": int(arrays["needs_review"].sum()),
            "labels": dict(zip(self.classes, per_class, strict=True)),
        }

    def add_fit(self, fit: FitData, time: str | None = None) -> int:
        """Add a fit. Its labels become the current ones at once."""
        with self._write() as connection:
            statement = sa.insert(schema.fits).values(fit_values(fit, time or now()))
            key = connection.execute(statement).inserted_primary_key
        return int(key[0]) if key else 0

    def fits(self) -> list[FitRow]:
        """All fits, the first one first."""
        f = schema.fits.c
        with self._read() as connection:
            rows = connection.execute(sa.select(f.id, f.time, f.method, f.answers, f.summary).order_by(f.id)).all()
        return [
            FitRow(r.id, r.time, r.method, from_json(r.answers, list, self.name), from_json(r.summary, dict, self.name))
            for r in rows
        ]

    def last_fit(self) -> int:
        """Number of the current fit."""
        with self._read() as connection:
            return connection.scalar(sa.select(sa.func.max(schema.fits.c.id))) or 0

    def fit_arrays(self, fit: int) -> dict[str, Array]:
        """Arrays of a fit: labels, confidence, alternative, needs_review, and `held_out/...`."""
        with self._read() as connection:
            data = connection.scalar(sa.select(schema.fits.c.labels).where(schema.fits.c.id == fit))
        if data is None:
            raise ValueError(f"there is no fit {fit} in {self.name}.")
        arrays = self._unpack(data)
        check_fit(arrays, self.n_documents, len(self.classes), self.name)
        return arrays

    def add_certificate(
        self, content: dict[str, Any], *, level: float, fit: int, last_answer: int, time: str | None = None
    ) -> int:
        """Add a certificate that was issued."""
        values = {"level": level, "fit": fit, "last_answer": last_answer, "content": to_json(content)}
        with self._write() as connection:
            key = connection.execute(
                sa.insert(schema.certificates).values(time=time or now(), **values)
            ).inserted_primary_key
        return int(key[0]) if key else 0

    def certificates(self) -> list[CertificateRow]:
        """All certificates that were issued, the first one first."""
        with self._read() as connection:
            rows = connection.execute(sa.select(schema.certificates).order_by(schema.certificates.c.id)).all()
        return [CertificateRow(**{**r._mapping, "content": from_json(r.content, dict, self.name)}) for r in rows]
