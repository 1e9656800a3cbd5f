"""Parquet, which needs pyarrow. Rows are numbered from 1, and column types are kept for writing."""

from __future__ import annotations

import os
from array import array
from collections.abc import Sequence
from io import BufferedReader
from typing import Any

from ..parquet_chunks import Chunk, ParquetColumn
from ..sequences import GrowingColumns, StoredColumn, blocks_of
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
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError:
        raise ValueError(
            f"{name} is Parquet, which needs pyarrow: pip install '.[parquet]' in a clone of labelferry."
        ) from None
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
        what = " ".join(str(error).split())[:160]
        raise ValueError(f"{name} is not a Parquet file, or damaged ({what}). Write it again.") from None
    types = dict(zip(schema.names, schema.types, strict=True))
    columns = growing.finish()
    if isinstance(source.file, BufferedReader):  # the file itself, not a copy: other processes can read it too
        for column, values in columns.items():
            if isinstance(values, StoredColumn):
                values.origin = ParquetColumn(Chunk(os.path.abspath(source.file.name), 0, count), column)
    return Table(name, columns, array("q", range(1, count + 1)), types=types)


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
