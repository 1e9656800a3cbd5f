"""Documents with their current labels, one by one or as lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa

from . import schema
from .checksums import check_row
from .contents import check_document, damaged
from .create import INDEXED_SEARCH
from .database import Database
from .fits import Fits
from .packing import from_json
from .records import UNDO, Array, DocumentRow, Page
from .search import Matches, find

BATCH = 5_000  # documents per statement
N_SEARCHES = 64  # kept in memory


class Documents:
    """The documents of a job; their labels are those of the current fit."""

    def __init__(self, database: Database, fits: Fits) -> None:
        self._database, self._fits = database, fits
        self._searches: dict[str, Matches] = {}

    def one(self, number: int) -> DocumentRow:
        """One document with its current label."""
        return self.some([number])[0]

    def some(self, numbers: Sequence[int]) -> list[DocumentRow]:
        """Documents by number, in the order of the numbers."""
        outside = [number for number in numbers if not 0 <= number < self._database.n_documents]
        if outside:
            raise ValueError(f"document must be from 0 to {self._database.n_documents - 1}; got {outside[0]}.")
        arrays = self._fits.labels().arrays
        rows: dict[int, Any] = {}
        with self._database.read() as connection:
            for start in range(0, len(numbers), BATCH):
                chosen = [int(number) for number in numbers[start : start + BATCH]]
                statement = sa.select(schema.documents).where(schema.documents.c.number.in_(chosen))
                rows |= {row.number: row for row in connection.execute(statement)}
        if missing := [number for number in numbers if int(number) not in rows]:
            raise damaged(self._database.name, f"document {missing[0]} is missing")
        return [self._document(rows[int(number)], arrays) for number in numbers]

    def page(
        self,
        search: str = "",
        label: str | None = None,
        needs_review: bool | None = None,
        answered: bool | None = None,
        sort: str = "number",
        offset: int = 0,
        limit: int = 50,
    ) -> Page:
        """One page of the documents that match."""
        matches = self._find(search.strip()) if search.strip() else None
        order = self._fits.labels().select(
            found=None if matches is None else matches.numbers,
            labels=None if label is None else self._database.codes_of(label),
            needs_review=needs_review,
            answered=None if answered is None else (self._answered(), answered),
            sort=sort,
        )
        rows = self.some(order[offset : offset + limit].tolist())
        return Page(rows, len(order), matches is not None and matches.more, offset, limit)

    def _find(self, search: str) -> Matches:
        """The documents that match a search; the texts never change, so the last searches are kept."""
        if search not in self._searches:
            with self._database.read() as connection:
                matches = find(connection, search, indexed=self._database.settings[INDEXED_SEARCH])
            if len(self._searches) >= N_SEARCHES:
                self._searches.clear()
            self._searches[search] = matches
        return self._searches[search]

    def _answered(self) -> Array:
        """Numbers of the documents with an answer that was not taken back."""
        a, undo = schema.answers.c, schema.answers.alias()
        taken_back = sa.select(undo.c.replaces).where(undo.c.kind == UNDO, undo.c.replaces == a.id).exists()
        statement = sa.select(a.document).where(a.kind != UNDO, ~taken_back).distinct()
        with self._database.read() as connection:
            return np.fromiter((row.document for row in connection.execute(statement)), dtype=np.int64)

    def _document(self, row: Any, arrays: dict[str, Array]) -> DocumentRow:
        n, classes, name = row.number, self._database.classes, self._database.name
        check_row(schema.documents, row, name)
        document = DocumentRow(
            n,
            row.line,
            row.text,
            from_json(row.own, dict, name),
            classes[arrays["labels"][n]],
            float(arrays["confidence"][n]),
            classes[arrays["alternative"][n]],
            from_json(row.evidence, list, name),
            bool(arrays["needs_review"][n]),
            classes[self._fits.source_only[n]],
        )
        check_document(document, self._database.settings["own"], name)
        return document

    def check(self) -> None:
        """Read all documents, which checks them."""
        for start in range(0, self._database.n_documents, BATCH):
            self.some(range(start, min(start + BATCH, self._database.n_documents)))
