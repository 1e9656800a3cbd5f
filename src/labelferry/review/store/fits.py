"""The fits of a job with their labels, and the labels of the source-only classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import sqlalchemy as sa

from . import schema
from .contents import check_codes, check_fit
from .create import SOURCE_ONLY, fit_values
from .database import Database
from .fit_labels import FitLabels
from .packing import from_json
from .records import Array, FitData, FitRow, now


class Fits:
    """The fits of a job. The last one has the current labels; `source_only` are the source-only classifier's codes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._labels: FitLabels | None = None
        source_only = database.arrays("job").get(SOURCE_ONLY)
        check_codes(source_only, database.n_documents, len(database.classes), database.name, SOURCE_ONLY)
        self.source_only: Array = np.asarray(source_only)
        self.labels()

    def labels(self) -> FitLabels:
        """Labels of the current fit."""
        fit = self.last()
        if self._labels is None or self._labels.fit != fit:
            self._labels = FitLabels(fit, self.arrays(fit))
        return self._labels

    def counts(self) -> dict[str, Any]:
        """Numbers of documents: all, per label, and those that need review."""
        arrays = self.labels().arrays
        per_class = np.bincount(arrays["labels"], minlength=len(self._database.classes)).tolist()
        return {
            "documents": self._database.n_documents,
            "needs_review": int(arrays["needs_review"].sum()),
            "labels": dict(zip(self._database.classes, per_class, strict=True)),
        }

    def add(self, fit: FitData, time: str | None = None) -> int:
        """Add a fit. Its labels become the current ones at once."""
        with self._database.write() as connection:
            statement = sa.insert(schema.fits).values(fit_values(fit, time or now()))
            key = connection.execute(statement).inserted_primary_key
        return int(key[0]) if key else 0

    def all(self) -> list[FitRow]:
        """All fits, the first one first."""
        f, name = schema.fits.c, self._database.name
        with self._database.read() as connection:
            rows = connection.execute(sa.select(f.id, f.time, f.method, f.answers, f.summary).order_by(f.id)).all()
        return [
            FitRow(r.id, r.time, r.method, from_json(r.answers, list, name), from_json(r.summary, dict, name))
            for r in rows
        ]

    def last(self) -> int:
        """Number of the current fit."""
        with self._database.read() as connection:
            return connection.scalar(sa.select(sa.func.max(schema.fits.c.id))) or 0

    def arrays(self, fit: int) -> dict[str, Array]:
        """Arrays of a fit: labels, confidence, alternative, needs_review, and `held_out/...`."""
        with self._database.read() as connection:
            data = connection.scalar(sa.select(schema.fits.c.labels).where(schema.fits.c.id == fit))
        if data is None:
            raise ValueError(f"there is no fit {fit} in {self._database.name}.")
        arrays = self._database.unpack(data)
        check_fit(arrays, self._database.n_documents, len(self._database.classes), self._database.name)
        return arrays
