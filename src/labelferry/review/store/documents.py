"""Documents with their current labels, one by one or as lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa

from . import schema
from .create import INDEXED_SEARCH
from .fits import Fits
from .listing import Matches, find
from .packing import from_json
from .records import UNDO, Array, DocumentRow, Page

BATCH = 5_000  # documents per statement
N_SEARCHES = 64  # kept in memory


class Documents(Fits):
    """The documents of a job; parameters as in `Database`."""

    def __init__(self, engine: sa.Engine, name: str) -> None:
        super().__init__(engine, name)
        self._searches: dict[str, Matches] = {}

    def document(self, number: int) -> DocumentRow:
        """One document with its current label."""
        return self.some_documents([number])[0]

    def some_documents(self, numbers: Sequence[int]) -> list[DocumentRow]:
        """Documents by number, in the order of the numbers."""
        outside = [number for number in numbers if not 0 <= number < self.n_documents]
        if outside:
            raise ValueError(f"document must be from 0 to {self.n_documents - 1}; got {outside[0]}.")
        arrays = self.labels().arrays
        rows: dict[int, Any] = {}
        with self._read() as connection:
            for start in range(0, len(numbers), BATCH):
                chosen = [int(number) for number in numbers[start : start + BATCH]]
                statement = sa.select(schema.documents).where(schema.documents.c.number.in_(chosen))
                rows |= {row.number: row for row in connection.execute(statement)}
        return [self._document(rows[int(number)], arrays) for number in numbers]

    def documents(
        self,
        search: str = "",
        label: str | None = None,
        needs_review: bool | None = None,
        answered: bool | None = None,
        sort: str = "number",
        offset: int = 0,
        limit: int = 50,
    ) -> Page:
        """One page of the documents that match.

        Parameters
        ----------
        search : str, default=""
            Words that a text must contain, or beginnings of words.
        label : str, default=None
            Current label.
        needs_review, answered : bool, default=None
            Only documents that need review or not, that have an answer or not.
        sort : {"number", "confidence", "-confidence"}, default="number"
            The order of the file, or the least or most confident labels first.
        offset, limit : int, default=0, 50
            Which of the matching documents are returned.

        Returns
        -------
        page : Page
            The documents and the number of all that match.
        """
        if label is not None and label not in self.classes:
            raise ValueError(f"label must be one of {', '.join(self.classes)}; got {label!r}.")
        matches = self._find(search.strip()) if search.strip() else None
        order = self.labels().select(
            matches=matches,
            label=None if label is None else self.classes.index(label),
            needs_review=needs_review,
            answered=None if answered is None else (self._answered(), answered),
            sort=sort,
        )
        rows = self.some_documents(order[offset : offset + limit].tolist())
        return Page(rows, len(order), matches is not None and matches.more, offset, limit)

    def _find(self, search: str) -> Matches:
        """The documents that match a search; the texts never change, so the last searches are kept."""
        if search not in self._searches:
            with self._read() as connection:
                matches = find(connection, search, indexed=self.settings[INDEXED_SEARCH])
            if len(self._searches) >= N_SEARCHES:
                self._searches.clear()
            self._searches[search] = matches
        return self._searches[search]

    def _answered(self) -> Array:
        """Numbers of the documents with an answer that was not taken back."""
        a, undo = schema.answers.c, schema.answers.alias()
        taken_back = sa.select(undo.c.replaces).where(undo.c.kind == UNDO, undo.c.replaces == a.id).exists()
        statement = sa.select(a.document).where(a.kind != UNDO, ~taken_back).distinct()
        with self._read() as connection:
            return np.fromiter((row.document for row in connection.execute(statement)), dtype=np.int64)

    def _document(self, row: Any, arrays: dict[str, Array]) -> DocumentRow:
        n = row.number
        return DocumentRow(
            n,
            row.line,
            row.text,
            from_json(row.own, dict, self.name),
            self.classes[arrays["labels"][n]],
            float(arrays["confidence"][n]),
            self.classes[arrays["alternative"][n]],
            from_json(row.evidence, list, self.name),
            bool(arrays["needs_review"][n]),
            self.classes[self._source_only[n]],
        )
