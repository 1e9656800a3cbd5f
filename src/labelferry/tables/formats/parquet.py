"""Parquet, which needs pyarrow. Rows are numbered from 1, and column types are kept for writing.

Columns of large files are read in chunks, also by other processes or machines.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from io import BufferedReader
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from ..sequences import GrowingColumns, Mapped, OnDemand, StoredColumn, blocks_of
from ..table import Table
from .base import ColumnValues, Format, InputFile, OutputFile
from .header import check_column_names

MAGIC = b"PAR1"
BATCH = 8192  # rows that are read at once
BUFFER = 1 << 20  # bytes of a column that are read at once
GROUP = 1 << 16  # rows that are written at once


def read_parquet(source: InputFile) -> Table:
    """Read the batches of a Parquet file."""
    name, limit = source.name, source.limit
    pyarrow = import_pyarrow(name)
    try:
        parquet = pyarrow.parquet.ParquetFile(source.file, buffer_size=BUFFER)
        schema = parquet.schema_arrow
        check_column_names(schema.names, name)
        growing = GrowingColumns(schema.names)
        count = 0
        for batch in parquet.iter_batches(BATCH):
            for column, values in zip(schema.names, batch.columns, strict=True):
                if pyarrow.types.is_dictionary(values.type):
                    values = values.dictionary_decode()
                if pyarrow.types.is_string(values.type) or pyarrow.types.is_large_string(values.type):
                    longest = pyarrow.compute.max(pyarrow.compute.utf8_length(values)).as_py()
                    if (longest or 0) > limit:
                        rows = f"one of rows {count + 1} to {count + len(values)} has {longest:,}"
                        rule = f"a cell of column {column!r} may have {limit:,} characters and {rows}"
                        raise ValueError(f"{name}: {rule}. Remove it, or pass a higher limit= to read_table.")
                growing.rows[column] += values.to_pylist()
            count += batch.num_rows
            growing.put_away()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name}: a text is not UTF-8 ({error.reason}). Write the file again with valid texts."
        ) from None
    except OverflowError as error:  # dates that Python cannot represent
        raise ValueError(f"{name}: a value is out of range ({error}). Remove it, or write it as text.") from None
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{name} is not a Parquet file, or damaged ({shorten(error)}). Write it again.") from None
    types = dict(zip(schema.names, schema.types, strict=True))
    columns = growing.finish()
    if isinstance(source.file, BufferedReader):  # the file itself, not a copy: other processes can read it too
        for column, values in columns.items():
            if isinstance(values, StoredColumn):
                values.origin = ParquetColumn(Chunk(os.path.abspath(source.file.name), 0, count), column)
    return Table(name, columns, array("q", range(1, count + 1)), types=types)


def import_pyarrow(name: str) -> Any:
    """The package, for a file of this name."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError:
        raise ValueError(
            f"{name} is Parquet, which needs pyarrow: pip install '.[parquet]' in a clone of labelferry."
        ) from None
    return pyarrow


def shorten(error: Exception) -> str:
    """The message of pyarrow on one line."""
    return " ".join(str(error).split())[:160]


def open_file(path: str) -> Any:
    """A Parquet file that is read in chunks."""
    pyarrow = import_pyarrow(path)
    try:
        return pyarrow.parquet.ParquetFile(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}.") from None
    except (pyarrow.ArrowException, OSError) as error:
        raise OSError(f"{path} is not a Parquet file, or damaged ({shorten(error)}). Write it again.") from None


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
        for size in _group_sizes(open_file(path)):
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
        file = open_file(path)
        if self.column not in (names := file.schema_arrow.names):
            raise ValueError(f"{path} has no column {self.column!r}. It has: {', '.join(names)}.")
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
            group, what = bisect_right(ends, first) - 1, shorten(error)
            raise OSError(
                f"{path} cannot be read in row group {group} ({what}). The file is damaged: write it again."
            ) from None


def parquet_texts(chunk: Chunk, column: str) -> Sequence[str]:
    """The texts of a chunk; a missing one is empty."""
    return Mapped(ParquetColumn(chunk, column), partial(_as_texts, name=f"column {column!r} of {chunk.path}"))


def has_parquet_column(path: str, column: str) -> bool:
    """Whether a Parquet file has a column."""
    return column in open_file(path).schema_arrow.names


def _as_texts(values: list[Any], name: str) -> list[str]:
    wrong = next((value for value in values if not isinstance(value, str | None)), None)
    if wrong is not None:
        raise ValueError(f"{name} must contain texts; got {wrong!r}.")
    return ["" if value is None else value for value in values]


def _group_sizes(file: Any) -> list[int]:
    return [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]


def check_parquet(columns: ColumnValues, name: str) -> None:
    """Raise an error if pyarrow is missing, or if a column has values of several types."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ValueError(
            f"{name}: Parquet needs pyarrow: pip install '.[parquet]' in a clone of labelferry. Or write .csv."
        ) from None
    for column, values in columns.items():
        arrow_type(column, values, name)


def write_parquet(columns: ColumnValues, out: OutputFile) -> None:
    """Write columns block by block, those of known type with that type."""
    check_parquet({}, out.name)
    import pyarrow
    import pyarrow.parquet

    types = {name: out.types.get(name) or arrow_type(name, values, out.name) for name, values in columns.items()}
    with pyarrow.parquet.ParquetWriter(out.file, pyarrow.schema(types.items())) as writer:
        for blocks in zip(*(blocks_of(values, GROUP) for values in columns.values()), strict=True):
            pairs = zip(types.items(), blocks, strict=True)
            arrays = [to_arrow(name, block, type_, out.name) for (name, type_), block in pairs]
            writer.write_table(pyarrow.table(arrays, names=list(types)))


def arrow_type(column: str, values: Sequence[Any], name: str) -> Any:
    """The Arrow type of the values of a column; `name` is that of the file."""
    import pyarrow
    import pyarrow.parquet

    types = dict.fromkeys(to_arrow(column, block, None, name).type for block in blocks_of(values, GROUP))
    try:
        schemas = [pyarrow.schema([(column, type_)]) for type_ in types or [pyarrow.null()]]
        schema = pyarrow.unify_schemas(schemas, promote_options="permissive")
        pyarrow.parquet.ParquetWriter(
            pyarrow.BufferOutputStream(), schema
        ).close()  # Arrow has types that Parquet lacks
        return schema.field(0).type
    except (pyarrow.ArrowException, UnicodeEncodeError) as error:  # of the types, or of the name
        raise several_types(column, name, error) from None


def to_arrow(column: str, values: Any, type_: Any, name: str) -> Any:
    """A column as an Arrow array; `name` is that of the file."""
    import pyarrow

    try:
        array = pyarrow.array(values, type=type_)
    except (pyarrow.ArrowException, UnicodeEncodeError, OverflowError) as error:
        raise several_types(column, name, error) from None
    if pyarrow.types.is_nested(array.type) and array.to_pylist() != list(values):
        raise several_types(column, name, TypeError("objects with different fields"))  # Arrow would add the others
    is_number = pyarrow.types.is_integer(array.type) or pyarrow.types.is_floating(array.type)
    if type_ is None and is_number and any(isinstance(value, bool) for value in values):
        raise several_types(column, name, TypeError("numbers, true and false"))  # Arrow would make them numbers
    return array


def several_types(column: str, name: str, error: Exception) -> ValueError:
    """The error for a column that Arrow cannot represent."""
    what = " ".join(str(error).split())[:120]
    rule = f"column {column!r} has values of several types, or that Parquet cannot contain ({what})"
    return ValueError(f"cannot write {name}: {rule}. Write .jsonl, which accepts any.")


PARQUET = Format(
    "Parquet",
    (".parquet",),
    read_parquet,
    write_parquet,
    lambda start: start.startswith(MAGIC),
    is_text=False,
    check=check_parquet,
)
