"""Columns of a table while its file is read: lists and, as soon as they are large, values in a temporary file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .sequences import ROWS, StoredColumn, TemporaryBlocks

IN_MEMORY = 50_000_000  # characters of all cells; a table with more is stored in a temporary file
OTHER = 8  # characters that a value other than a text counts as


class GrowingColumns:
    """Columns to which rows are appended."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.rows: dict[str, list[Any]] = {name: [] for name in names}
        self.stored: dict[str, StoredColumn] = {}
        self.n_stored = 0
        self._store: TemporaryBlocks | None = None  # while all values are in memory
        self._n_counted = self._n_characters = 0

    def put_away(self) -> None:
        """Store full blocks if the table is large."""
        if self._store is None and self._is_large():
            self._store = TemporaryBlocks()
        n_full = len(next(iter(self.rows.values()), ())) // ROWS * ROWS
        if self._store is None or not n_full:
            return
        for name, values in self.rows.items():
            if name not in self.stored:
                self.stored[name] = StoredColumn(self._store, n_empty=self.n_stored // ROWS)
            for start in range(0, n_full, ROWS):
                self.stored[name].add(values[start : start + ROWS])
            del values[:n_full]
        self.n_stored += n_full

    def _is_large(self) -> bool:
        """Whether the cells have more characters than should be in memory; counts those that are new."""
        n_rows = 0
        for values in self.rows.values():
            n_rows = len(values)
            new = values[self._n_counted :]
            self._n_characters += sum(len(value) if isinstance(value, str) else OTHER for value in new)
        self._n_counted = n_rows
        return self._n_characters > IN_MEMORY

    def finish(self) -> dict[str, Sequence[Any]]:
        """The columns with all their values."""
        self.put_away()
        if self._store is None:
            return dict(self.rows)
        for name, values in self.rows.items():
            self.stored.setdefault(name, StoredColumn(self._store, n_empty=self.n_stored // ROWS)).rest = values
        return {name: self.stored[name] for name in self.rows}
