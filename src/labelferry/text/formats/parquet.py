"""Parquet, which needs pyarrow. Rows are numbered from 1, and column types are kept for writing."""

from __future__ import annotations

from array import array
from typing import Any

from .base import ColumnValues, Format, InputFile, OutputFile, Parsed
from .header import check_column_names

MAGIC = b"PAR1"


def read_parquet(source: InputFile) -> Parsed:
    """Read the batches of a Parquet file."""
    name, limit = source.name, source.limit
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError:
        raise ValueError(f"{name} is Parquet, which needs pyarrow: pip install 'labelferry[parquet]'.") from None
    try:
        parquet = pyarrow.parquet.ParquetFile(source.file)
        schema = parquet.schema_arrow
        check_column_names(schema.names, name)
        columns: dict[str, list[Any]] = {column: [] for column in schema.names}
        count = 0
        for batch in parquet.iter_batches():
            for column, values in zip(columns, batch.columns, strict=True):
                if pyarrow.types.is_dictionary(values.type):
                    values = values.dictionary_decode()
                if pyarrow.types.is_string(values.type) or pyarrow.types.is_large_string(values.type):
                    longest = pyarrow.compute.max(pyarrow.compute.utf8_length(values)).as_py()
                    if (longest or 0) > limit:
                        rows = f"one of rows {count + 1} to {count + len(values)} has {longest:,}"
                        rule = f"a cell of column {column!r} may have {limit:,} characters and {rows}"
                        raise ValueError(f"{name}: {rule}. Remove it, or pass a higher limit= to read_table.")
                columns[column] += values.to_pylist()
            count += batch.num_rows
    except OverflowError as error:  # dates that Python cannot represent
        raise ValueError(f"{name}: a value is out of range ({error}). Remove it, or write it as text.") from None
    except (pyarrow.ArrowException, OSError) as error:
        what = " ".join(str(error).split())[:160]
        raise ValueError(f"{name} is not a Parquet file, or damaged ({what}). Write it again.") from None
    return Parsed(columns, array("q", range(1, count + 1)), dict(zip(schema.names, schema.types, strict=True)))


def check_parquet(columns: ColumnValues, name: str) -> None:
    """Raise an error if pyarrow is missing, or if a column has values of several types."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ValueError(f"{name}: Parquet needs pyarrow: pip install 'labelferry[parquet]'. Or write .csv.") from None
    for column, values in columns.items():
        to_arrow(column, values, None, name)


def write_parquet(columns: ColumnValues, out: OutputFile) -> None:
    """Write columns, those of known type with that type."""
    check_parquet({}, out.name)
    import pyarrow
    import pyarrow.parquet

    arrays = {name: to_arrow(name, values, out.types.get(name), out.name) for name, values in columns.items()}
    pyarrow.parquet.write_table(pyarrow.table(arrays), out.file)


def to_arrow(column: str, values: Any, type_: Any, name: str) -> Any:
    """A column as an Arrow array; `name` is that of the file."""
    import pyarrow

    try:
        return pyarrow.array(values, type=type_)
    except (pyarrow.ArrowException, UnicodeEncodeError, OverflowError) as error:
        what = " ".join(str(error).split())[:120]
        rule = f"column {column!r} has values of several types, or out of range ({what})"
        raise ValueError(f"cannot write {name}: {rule}. Write .jsonl, which accepts any.") from None


PARQUET = Format(
    "Parquet",
    (".parquet",),
    read_parquet,
    write_parquet,
    lambda start: start.startswith(MAGIC),
    is_text=False,
    check=check_parquet,
)
