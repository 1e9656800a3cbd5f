"""The fits of a job with their labels, and the labels of the source-only classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import sqlalchemy as sa

from . import schema
from .checksums import check_row, checksum
from .contents import check_codes, check_documents, check_fit, check_fit_row, damaged
from .create import SOURCE_ONLY, fit_values
from .database import Database
from .packing import from_json
from .records import Array, FitData, FitLabels, FitRow, now

QUEUE_ORDERS = ("group", "new")  # documents in the order in which they are asked about


class Fits:
    """The fits of a job. The last one has the current labels; `source_only` are the source-only classifier's codes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._labels: FitLabels | None = None
        arrays = database.arrays("job")
        source_only = arrays.get(SOURCE_ONLY)
        check_codes(source_only, database.n_documents, len(database.classes), database.name, SOURCE_ONLY)
        for key in QUEUE_ORDERS:
            if key in arrays:
                check_documents(arrays[key], database.n_documents, database.name, key)
        self.source_only: Array = np.asarray(source_only)
        self.all()
        self.labels()

    def labels(self) -> FitLabels:
        """Labels of the current fit."""
        fit = self.last()
        if self._labels is None or self._labels.fit != fit:
            self.all()  # whose classes its labels may have
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
            if "after" in fit.summary:  # its labels have codes that follow from all fits before
                if connection.dialect.name == "postgresql":
                    connection.execute(sa.text("LOCK TABLE fits IN SHARE ROW EXCLUSIVE MODE"))
                if connection.scalar(sa.select(sa.func.max(schema.fits.c.id))) != fit.summary["after"]:
                    raise ValueError(f"the labels of {self._database.name} have learned meanwhile. Learn again.")
            statement = sa.insert(schema.fits).values(fit_values(fit, time or now()))
            key = connection.execute(statement).inserted_primary_key
        return int(key[0]) if key else 0

    def all(self) -> list[FitRow]:
        """All fits, the first one first."""
        f, name = schema.fits.c, self._database.name
        with self._database.read() as connection:
            small = [column for column in f if column is not f.labels]
            rows = connection.execute(sa.select(*small).order_by(f.id)).all()
        fits = []
        for r in rows:
            check_row(schema.fits, r, name)
            fit = FitRow(r.id, r.time, r.method, from_json(r.answers, list, name), from_json(r.summary, dict, name))
            check_fit_row(fit, name)
            fits.append(fit)
        self._database.add_sets(text for fit in fits for text in fit.summary.get("sets", ()))
        return fits

    def last(self) -> int:
        """Number of the current fit."""
        with self._database.read() as connection:
            return connection.scalar(sa.select(sa.func.max(schema.fits.c.id))) or 0

    def arrays(self, fit: int) -> dict[str, Array]:
        """Arrays of a fit: labels, confidence, alternative, needs_review, and `held_out/...`."""
        with self._database.read() as connection:
            row = connection.execute(sa.select(schema.fits).where(schema.fits.c.id == fit)).one_or_none()
        if row is None:
            raise ValueError(f"there is no fit {fit} in {self._database.name}.")
        check_row(schema.fits, row, self._database.name)
        if checksum(row.labels) != row.labels_checksum:
            raise damaged(self._database.name, f"the labels of fit {fit} have changed")
        arrays = self._database.unpack(row.labels)
        several = self._database.several
        n_labels = 0 if several is None else len(several.learned)
        check_fit(arrays, self._database.n_documents, len(self._database.classes), self._database.name, n_labels)
        return arrays
