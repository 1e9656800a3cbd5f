"""Some rows of a table, and what belongs to them: widened to all rows, narrowed to these, and numbered for people.

The sets are nested: lines of a file, rows that can be read, documents, documents with a known word. Each is a RowIndex
into the set that contains it, and `then` joins two steps into one. Rows count from 0 here; people count from 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cells import as_text

Rows = NDArray[Any]


class RowIndex:
    """Increasing positions of some of `n_rows` rows.

    >>> documents = RowIndex([0, 2, 3], 4)
    >>> documents.widen(["a", "b", "c"])
    ['a', None, 'b', 'c']
    >>> documents.then([1, 2]).numbers.tolist()
    [3, 4]
    """

    def __init__(self, rows: Any, n_rows: int) -> None:
        self.rows: Rows = np.asarray(rows, dtype=np.intp)
        self.n_rows = n_rows

    @classmethod
    def where(cls, mask: Any) -> RowIndex:
        """The rows for which a mask is true."""
        return cls(np.flatnonzero(mask), len(mask))

    @classmethod
    def without(cls, others: Any, n_rows: int) -> RowIndex:
        """All rows but `others`."""
        mask = np.ones(n_rows, dtype=bool)
        mask[np.asarray(others, dtype=np.intp)] = False
        return cls.where(mask)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def is_all(self) -> bool:
        """Whether no row is left out."""
        return len(self.rows) == self.n_rows

    @property
    def numbers(self) -> Rows:
        """The number of each row for people: the first row below the header is 1."""
        return self.rows + 1

    def number(self, position: int) -> int:
        """The number of one row for people."""
        return int(self.rows[position]) + 1

    @property
    def others(self) -> Rows:
        """The rows that are left out."""
        return np.setdiff1d(np.arange(self.n_rows), self.rows)

    def then(self, positions: Any) -> RowIndex:
        """Some of these rows, by their positions among them, as rows of the whole."""
        return RowIndex(self.rows[np.asarray(positions, dtype=np.intp)], self.n_rows)

    def widen(self, values: Sequence[Any], fill: Any = None) -> list[Any]:
        """Values of these rows as values of all rows."""
        everywhere = [fill] * self.n_rows
        for row, value in zip(self.rows.tolist(), values, strict=True):
            everywhere[row] = value
        return everywhere

    def widen_array(self, values: Any, fill: Any) -> Rows:
        """`widen` for an array; the result has the type of `fill` and the values together."""
        values = np.asarray(values)
        everywhere = np.full((self.n_rows, *values.shape[1:]), fill, dtype=np.result_type(values, np.asarray(fill)))
        everywhere[self.rows] = values
        return everywhere

    def contains(self, rows: Any) -> Rows:
        """True for those of the given rows that are among these."""
        return np.isin(rows, self.rows)

    def positions(self, rows: Any) -> Rows:
        """Positions of the given rows, which all have to be among these."""
        return np.asarray(np.searchsorted(self.rows, rows))

    @cached_property
    def by_number(self) -> Mapping[int, int]:
        """Position of each row by its number for people."""
        return {number: position for position, number in enumerate(self.numbers.tolist())}

    def position_of(self, cell: Any, where: str) -> int:
        """Position of the row whose number a person's file has in a cell; `where` names the place of the cell."""
        text = as_text(cell)
        if not text.isdecimal() or not 1 <= int(text) <= self.n_rows:
            raise ValueError(f"{where}: row must be a number from 1 to {self.n_rows}; got {text[:40]!r}. Restore it.")
        if int(text) not in self.by_number:
            raise ValueError(f"{where}: row {text} has no predicted label. Restore the column row.")
        return self.by_number[int(text)]
