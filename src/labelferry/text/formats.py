"""How each format is read: delimited fields, JSON objects, Parquet batches.

A quote that is opened and not closed would swallow the rows behind it, so quotes are read strictly.
"""

from __future__ import annotations

import csv
import json
import threading
from array import array
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any, BinaryIO, NamedTuple

from .lines import BadRows, Lines

SNIFFED_LINES = 50
CSV_LIMIT = threading.Lock()  # the csv module has one limit for the whole process: raised and put back under this lock


class Parsed(NamedTuple):
    columns: dict[str, list[Any]]
    lines: array[int]
    types: dict[str, Any] = {}  # noqa: RUF012  (never written to)


def read_delimited(lines: Lines, delimiters: str, bad: BadRows) -> Parsed:
    """Rows of fields below a header of names."""
    with CSV_LIMIT:
        before = csv.field_size_limit(lines.limit)
        try:
            source = iter(lines)
            head = list(islice(source, SNIFFED_LINES))
            delimiter = max(delimiters, key=lambda d: fitness(head, d)) if len(delimiters) > 1 else delimiters
            reader = csv.reader(chain(head, source), delimiter=delimiter, strict=True)
            return fill(records(reader, lines), head, lines, bad)
        finally:
            csv.field_size_limit(before)


def fitness(head: list[str], delimiter: str) -> tuple[bool, float, int]:
    """How well a delimiter splits the first lines: the header most of all, then the rows alike."""
    widths = []
    with suppress(csv.Error):  # the last row may be cut, or quotes show that this is not the delimiter
        for row in csv.reader(head, delimiter=delimiter, strict=True):
            if row:
                widths.append(len(row))
    if not widths:
        return False, 0.0, 0
    header, *rows = widths
    return header > 1, sum(width == header for width in rows) / max(1, len(rows)), header


def records(reader: Any, lines: Lines) -> Iterator[tuple[int, list[str] | str]]:
    """(line, fields), or (line, what is wrong)."""
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            what = str(error)
            if what.startswith("field larger"):
                raise lines.too_long(line) from None
            if what.startswith("unexpected end"):
                yield line, f"a quote is opened and never closed, up to line {reader.line_num}"
            else:
                yield line, "text follows a closing quote; quotes inside a quoted field are written twice"
            continue
        if lines.with_nul and lines.had_nul(reader.line_num):
            yield line, "NUL bytes"
        elif row:
            yield line, row


def fill(rows: Iterator[tuple[int, list[str] | str]], head: list[str], lines: Lines, bad: BadRows) -> Parsed:
    """The header's columns, filled row by row."""
    numbers = array("q")
    if head and head[0].lstrip().startswith('{"'):
        raise ValueError(f"{lines.name} line 1 is JSON, not a header of names. Give the file the suffix .jsonl.")
    line, header = next(rows, (1, []))
    if isinstance(header, str):
        raise ValueError(f"{lines.name} line {line}, the header: {header}. Mend it: it must name the columns.")
    if header and all(is_number(cell) for cell in header):
        raise ValueError(
            f"{lines.name} line {line} has numbers where the names of columns should be: {str(header)[:60]}. "
            "Write a header above it, such as text,label."
        )
    check_names(header, lines.name)
    columns: dict[str, list[Any]] = {name: [] for name in header}
    width, appends = len(columns), [column.append for column in columns.values()]
    for line, row in rows:
        if isinstance(row, str):
            bad.add(line, row)
        elif len(row) != width:
            bad.add(line, f"{len(row)} {'field' if len(row) == 1 else 'fields'} where the header has {width}")
        else:
            numbers.append(line)
            for append, cell in zip(appends, row, strict=True):
                append(cell)
    return Parsed(columns, numbers)


def check_names(names: list[str], name: str) -> None:
    if len(set(names)) < len(names):
        twice = next(column for position, column in enumerate(names) if column in names[:position])
        raise ValueError(f"{name}, the header: two columns are called {twice!r}. Give each a name of its own.")


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def read_json_lines(lines: Lines, bad: BadRows) -> Parsed:
    """One object a line; its keys are the columns, in the order in which they first appear."""
    columns: dict[str, list[Any]] = {}
    numbers = array("q")
    for line, text in enumerate(lines, 1):
        if text.isspace():
            continue
        row = json_object(text)
        if lines.with_nul and lines.had_nul(line):
            row = "NUL bytes"
        if isinstance(row, str):
            bad.add(line, row)
            continue
        for name in row:
            if name not in columns:
                columns[name] = [None] * len(numbers)
        for name, column in columns.items():
            column.append(row.get(name))
        numbers.append(line)
    return Parsed(columns, numbers)


def json_object(text: str) -> dict[str, Any] | str:
    """The object, or what is wrong."""
    try:
        value = json.loads(text.rstrip(), object_pairs_hook=without_twins)
    except RecursionError:
        return "JSON that is nested too deeply"
    except json.JSONDecodeError as error:
        return f"no JSON object ({error.msg} at character {error.colno})"
    except ValueError as error:
        return f"no JSON object ({error})"
    return value if isinstance(value, dict) else f"JSON that is a {type(value).__name__}, not an object"


def without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key stands in it twice")
    return value


def read_parquet(file: BinaryIO, name: str, limit: int) -> Parsed:
    """Batches of a Parquet file; the rows are numbered from 1."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError:
        raise ValueError(f"{name} is Parquet, which needs pyarrow: pip install 'labelferry[parquet]'.") from None
    try:
        parquet = pyarrow.parquet.ParquetFile(file)
        schema = parquet.schema_arrow
        check_names(schema.names, name)
        columns: dict[str, list[Any]] = {column: [] for column in schema.names}
        count = 0
        for batch in parquet.iter_batches():
            for column, values in zip(columns, batch.columns, strict=True):
                if pyarrow.types.is_string(values.type) or pyarrow.types.is_large_string(values.type):
                    longest = pyarrow.compute.max(pyarrow.compute.utf8_length(values)).as_py()
                    if (longest or 0) > limit:
                        rows = f"one of rows {count + 1} to {count + len(values)} has {longest:,}"
                        rule = f"a cell of column {column!r} may have {limit:,} characters and {rows}"
                        raise ValueError(f"{name}: {rule}. Take it out, or pass a higher limit= to read_table.")
                columns[column] += values.to_pylist()
            count += batch.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        what = " ".join(str(error).split())[:160]
        raise ValueError(f"{name} is not a Parquet file, or damaged ({what}). Write it again.") from None
    return Parsed(columns, array("q", range(1, count + 1)), dict(zip(schema.names, schema.types, strict=True)))
