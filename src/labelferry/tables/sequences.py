"""Sequences whose values are read when they are needed, block by block: columns of files that are too large for memory.

A `StoredColumn` has its values in a temporary file. `mapped`, `picked` and `chained` make a sequence from others: lists
become lists, and stored values stay stored. So code that iterates, or takes single values, works for both.
"""

from __future__ import annotations

import pickle
from abc import abstractmethod
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, cast, overload

if TYPE_CHECKING:  # the command line starts without it
    import numpy as np

ROWS = 256  # values per block
IN_MEMORY = 50_000_000  # characters of all cells; a table with more is stored in a temporary file
OTHER = 8  # characters that a value other than a text counts as


class OnDemand(Sequence[Any]):
    """A sequence that reads its values block by block."""

    @abstractmethod
    def read(self, start: int, stop: int) -> list[Any]:
        """The values from `start` to `stop`."""

    def part(self, start: int, stop: int) -> Sequence[Any]:
        """The values from `start` to `stop` for another process: see `part_of`."""
        return self.read(start, stop)

    @overload
    def __getitem__(self, which: int) -> Any: ...
    @overload
    def __getitem__(self, which: slice) -> list[Any]: ...
    def __getitem__(self, which: int | slice) -> Any:
        if isinstance(which, slice):
            start, stop, step = which.indices(len(self))
            return self.read(start, max(start, stop)) if step == 1 else [self[i] for i in range(start, stop, step)]
        position = which + len(self) if which < 0 else which
        if not 0 <= position < len(self):
            raise IndexError(f"index {which} is out of range for {len(self)} values")
        return self.read(position, position + 1)[0]

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(blocks_of(self, ROWS))


def blocks_of(values: Sequence[Any], n: int) -> Iterator[list[Any]]:
    """The values in lists of `n`, the last one shorter.

    >>> list(blocks_of(["a", "b", "c"], 2))
    [['a', 'b'], ['c']]
    """
    for start in range(0, len(values), n):
        yield list(values[start : start + n])


def part_of(values: Sequence[Any], start: int, stop: int) -> Sequence[Any]:
    """The values from `start` to `stop`, for another process, which may be on another machine. Read them at once: [:].

    >>> part_of(["a", "b", "c"], 1, 3)
    ['b', 'c']
    """
    if isinstance(values, OnDemand):  # of a large Parquet file: a sequence that reads the file
        return values.part(start, stop)
    return list(values[start:stop])


class TemporaryBlocks:
    """Lists of values in a temporary file that has no name: it disappears with the process, however that ends."""

    def __init__(self) -> None:
        self.file = cast(BinaryIO, TemporaryFile())  # noqa: SIM115  (closed when the last column is gone)
        self.end = 0

    def write(self, values: list[Any]) -> tuple[int, int]:
        """Append a list; return where it begins and its size."""
        content = pickle.dumps(values, protocol=5)
        try:
            self.file.seek(self.end)
            self.file.write(content)
            self.file.flush()  # otherwise a full folder is noticed by the next read
        except OSError as error:
            what = error.strerror or error
            raise ValueError(
                f"the temporary folder has no room for the documents ({what}). Set TMPDIR to a larger folder."
            ) from None
        place = (self.end, len(content))
        self.end += len(content)
        return place

    def read(self, place: tuple[int, int]) -> list[Any]:
        """The list at this place; only what this process wrote is unpickled."""
        self.file.seek(place[0])
        values: list[Any] = pickle.loads(self.file.read(place[1]))
        return values


class StoredColumn(OnDemand):
    """Values in a temporary file, with the last block that was read in memory."""

    def __init__(self, store: TemporaryBlocks, *, n_empty: int = 0) -> None:
        self.store = store
        self.places: list[tuple[int, int] | None] = [None] * n_empty  # of the blocks; None: it has no values
        self.rest: list[Any] = []  # values behind the last full block
        self.origin: OnDemand | None = None  # the same values in a file that other processes can read
        self.number = -1  # of the block in memory
        self.block: list[Any] = []

    def __len__(self) -> int:
        return ROWS * len(self.places) + len(self.rest)

    def add(self, values: list[Any]) -> None:
        """Append a block of `ROWS` values."""
        self.places.append(self.store.write(values))

    def read(self, start: int, stop: int) -> list[Any]:
        values: list[Any] = []
        for number in range(start // ROWS, -(-stop // ROWS)):
            first = number * ROWS
            values += self.load(number)[max(start - first, 0) : stop - first]
        return values

    def part(self, start: int, stop: int) -> Sequence[Any]:
        return self.read(start, stop) if self.origin is None else self.origin.part(start, stop)

    def load(self, number: int) -> list[Any]:
        """A block."""
        if number == len(self.places):
            return self.rest
        if number != self.number:
            place = self.places[number]
            self.block = [None] * ROWS if place is None else self.store.read(place)
            self.number = number
        return self.block


class GrowingColumns:
    """Columns of a table while its file is read: lists and, as soon as they are large, values in a temporary file."""

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


class Mapped(OnDemand):
    """What a function makes of other values, computed when it is needed."""

    def __init__(self, values: Sequence[Any], function: Callable[[list[Any]], list[Any]]) -> None:
        self.values, self.function = values, function

    def __len__(self) -> int:
        return len(self.values)

    def read(self, start: int, stop: int) -> list[Any]:
        return self.function(list(self.values[start:stop]))

    def part(self, start: int, stop: int) -> Sequence[Any]:  # which another process computes
        return Mapped(part_of(self.values, start, stop), self.function)


class Zipped(OnDemand):
    """Tuples of the values of several sequences."""

    def __init__(self, columns: Sequence[Sequence[Any]]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns[0])

    def read(self, start: int, stop: int) -> list[Any]:
        return list(zip(*(column[start:stop] for column in self.columns), strict=True))

    def part(self, start: int, stop: int) -> Sequence[Any]:
        return Zipped([part_of(column, start, stop) for column in self.columns])


class Picked(OnDemand):
    """Some of the values, at increasing positions; `at_once` if all between the first and the last are to be read."""

    def __init__(self, values: Sequence[Any], rows: Sequence[int] | np.ndarray, *, at_once: bool = False) -> None:
        self.values, self.rows, self.at_once = values, array("q", rows), at_once

    def __len__(self) -> int:
        return len(self.rows)

    def read(self, start: int, stop: int) -> list[Any]:
        rows = self.rows[start:stop]
        is_near = len(rows) and rows[-1] - rows[0] < 2 * ROWS  # one block of the values is enough
        if self.at_once or is_near:
            first = int(rows[0])
            near = self.values[first : int(rows[-1]) + 1]
            return [near[row - first] for row in rows]
        return [self.values[row] for row in rows]

    def part(self, start: int, stop: int) -> Sequence[Any]:
        rows = self.rows[start:stop]
        if not len(rows):
            return []
        first, last = rows[0], rows[-1] + 1
        near = part_of(self.values, first, last)
        return near if last - first == len(rows) else Picked(near, [row - first for row in rows], at_once=True)


class Chained(OnDemand):
    """Several sequences one after the other."""

    def __init__(self, parts: Sequence[Sequence[Any]]) -> None:
        self.parts = parts
        self.starts = list(accumulate(map(len, parts), initial=0))

    def __len__(self) -> int:
        return self.starts[-1]

    def read(self, start: int, stop: int) -> list[Any]:
        values: list[Any] = []
        for i in range(bisect_right(self.starts, start) - 1, min(bisect_left(self.starts, stop), len(self.parts))):
            first = self.starts[i]
            values += self.parts[i][max(start - first, 0) : stop - first]
        return values

    def part(self, start: int, stop: int) -> Sequence[Any]:
        inside = [
            part_of(values, max(start - first, 0), min(stop - first, len(values)))
            for values, first in zip(self.parts, self.starts, strict=False)
            if first < stop and start < first + len(values)
        ]
        return inside[0] if len(inside) == 1 else Chained(inside)


def mapped(values: Sequence[Any], function: Callable[[list[Any]], list[Any]]) -> Sequence[Any]:
    """What a function makes of values, each on its own: a list of a list; for others computed when it is needed."""
    return Mapped(values, function) if isinstance(values, OnDemand) else function(list(values))


def zipped(columns: Sequence[Sequence[Any]]) -> Sequence[tuple[Any, ...]]:
    """Tuples of the values of several sequences of the same length, at least one."""
    if any(isinstance(column, OnDemand) for column in columns):
        return Zipped(columns)
    return list(zip(*columns, strict=True))


def picked(values: Sequence[Any], rows: Sequence[int] | np.ndarray) -> Sequence[Any]:
    """The values at these positions.

    >>> picked(["a", "b", "c"], [0, 2])
    ['a', 'c']
    """
    if isinstance(values, OnDemand):
        return values if len(rows) == len(values) else Picked(values, rows)
    return [values[row] for row in rows]


def chained(parts: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """The values of several sequences, one after the other."""
    return Chained(parts) if any(isinstance(part, OnDemand) for part in parts) else [v for part in parts for v in part]
