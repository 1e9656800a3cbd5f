"""Columns of Parquet files in chunks, which other processes or machines read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from .sequences import Mapped, OnDemand

BATCH = 8192  # rows that are decoded at once


class Chunk(NamedTuple):
    """Consecutive rows of a Parquet file."""

    path: str
    first: int
    n_rows: int


def parquet_chunks(paths: Sequence[str], rows: int) -> list[Chunk]:
    """The files in chunks of about `rows` rows: small row groups together, large ones in parts."""
    chunks: list[Chunk] = []
    for path in paths:
        pending = Chunk(path, 0, 0)
        for size in _group_sizes(_open(path)):
            if pending.n_rows + size > rows:
                chunks.append(pending)
                pending = Chunk(path, pending.first + pending.n_rows, 0)
            pending = pending._replace(n_rows=pending.n_rows + size)
            if size > rows:
                end = pending.first + size
                chunks += [Chunk(path, i, min(rows, end - i)) for i in range(pending.first, end, rows)]
                pending = Chunk(path, end, 0)
        chunks.append(pending)
    chunks = [chunk for chunk in chunks if chunk.n_rows]
    if not chunks:
        raise ValueError(f"there are no rows in {', '.join(paths)}.")
    return chunks


class ParquetColumn(OnDemand):
    """Values of a column of a Parquet file, which are read from the file when they are needed."""

    def __init__(self, chunk: Chunk, column: str) -> None:
        self.chunk, self.column = chunk, column

    def __len__(self) -> int:
        return self.chunk.n_rows

    def part(self, start: int, stop: int) -> ParquetColumn:
        return ParquetColumn(Chunk(self.chunk.path, self.chunk.first + start, stop - start), self.column)

    def read(self, start: int, stop: int) -> list[Any]:
        begin, end = self.chunk.first + start, self.chunk.first + min(stop, len(self))
        values: list[Any] = []
        for first, batch in self._batches(begin, end):
            low, high = max(begin - first, 0), min(end - first, len(batch))
            values += batch.slice(low, high - low).to_pylist() if low < high else []
        if len(values) < end - begin:
            raise OSError(f"{self.chunk.path} has become shorter while it was read. Run the command again.")
        return values

    def _batches(self, begin: int, end: int) -> Iterator[tuple[int, Any]]:
        """The batches of the row groups with the rows from `begin` to `end`, with the number of their first row."""
        import pyarrow

        path = self.chunk.path
        file = _open(path)
        if not has_parquet_column(path, self.column):
            names = ", ".join(file.schema_arrow.names)
            raise ValueError(f"{path} has no column {self.column!r}. It has: {names}.")
        ends = list(accumulate(_group_sizes(file), initial=0))
        groups = [i for i, (a, b) in enumerate(pairwise(ends)) if a < end and b > begin]
        first = ends[groups[0]] if groups else end
        try:
            for batch in file.iter_batches(BATCH, row_groups=groups, columns=[self.column]):
                yield first, batch.column(0)
                first += batch.num_rows
                if first >= end:
                    return
        except (pyarrow.ArrowException, OSError) as error:
            group, what = bisect_right(ends, first) - 1, " ".join(str(error).split())[:160]
            raise OSError(
                f"{path} cannot be read in row group {group} ({what}). The file is damaged: write it again."
            ) from None


def parquet_texts(chunk: Chunk, column: str) -> Sequence[str]:
    """The texts of a chunk; a missing one is empty."""
    return Mapped(ParquetColumn(chunk, column), partial(_as_texts, name=f"column {column!r} of {chunk.path}"))


def has_parquet_column(path: str, column: str) -> bool:
    """Whether a Parquet file has a column."""
    return column in _open(path).schema_arrow.names


def _as_texts(values: list[Any], name: str) -> list[str]:
    wrong = next((value for value in values if not isinstance(value, str | None)), None)
    if wrong is not None:
        raise ValueError(f"{name} must contain texts; got {wrong!r}.")
    return ["" if value is None else value for value in values]


def _group_sizes(file: Any) -> list[int]:
    return [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]


def _open(path: str) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ValueError(
            f"{path} is Parquet, which needs pyarrow: pip install '.[parquet]' in a clone of labelferry."
        ) from None
    try:
        return pyarrow.parquet.ParquetFile(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}.") from None
    except (pyarrow.ArrowException, OSError) as error:
        what = " ".join(str(error).split())[:160]
        raise OSError(f"{path} is not a Parquet file, or damaged ({what}). Write it again.") from None
