"""CSV and TSV: rows of fields below a header of column names.

Quotes are read strictly: a quote that is opened and not closed would otherwise swallow the rows after it.
"""

from __future__ import annotations

import csv
import re
import threading
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from typing import Any

from ..lines import BadRows, Lines
from .base import ColumnValues, Parsed, check_column_names, text_format
from .jsonl import to_json

SNIFFED_LINES = 50  # lines that decide on the delimiter
CSV_LIMIT = threading.Lock()  # the csv module has one limit per process: it is raised and restored under this lock
PLAIN = re.compile(r"[\w .-]+")  # a column name that needs no quotes with any delimiter


def read_delimited(lines: Lines, bad: BadRows, *, delimiters: str) -> Parsed:
    """Read rows of fields; of several delimiters the one that splits the header best is used."""
    with CSV_LIMIT:
        limit_before = csv.field_size_limit(lines.limit)
        try:
            source = iter(lines)
            head = list(islice(source, SNIFFED_LINES))
            delimiter = max(delimiters, key=lambda d: fitness(head, d)) if len(delimiters) > 1 else delimiters
            reader = csv.reader(chain(head, source), delimiter=delimiter, strict=True)
            return fill(records(reader, lines), head, lines, bad)
        finally:
            csv.field_size_limit(limit_before)


def fitness(head: list[str], delimiter: str) -> tuple[bool, float, int]:
    """How well a delimiter splits the first lines: the header first, then rows of the same width."""
    widths = []
    with suppress(csv.Error):  # the last row may be incomplete, or quotes show that this is not the delimiter
        for row in csv.reader(head, delimiter=delimiter, strict=True):
            if row:
                widths.append(len(row))
    if not widths:
        return False, 0.0, 0
    header, *rows = widths
    return header > 1, sum(width == header for width in rows) / max(1, len(rows)), header


def records(reader: Any, lines: Lines) -> Iterator[tuple[int, list[str] | str]]:
    """Per row: its line, and its fields or, as a string, what is wrong."""
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
    """The columns of the header, filled row by row."""
    numbers = array("q")
    if head and head[0].lstrip().startswith('{"'):
        raise ValueError(f"{lines.name} line 1 is JSON, not a header of names. Give the file the suffix .jsonl.")
    line, header = next(rows, (1, []))
    if isinstance(header, str):
        raise ValueError(f"{lines.name} line {line}, the header: {header}. Fix it: it must name the columns.")
    if header and all(is_number(cell) for cell in header):
        raise ValueError(
            f"{lines.name} line {line} has numbers where the names of columns should be: {str(header)[:60]}. "
            "Write a header above it, such as text,label."
        )
    check_column_names(header, lines.name)
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


def is_number(cell: str) -> bool:
    """Whether the text is a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def write_delimited(columns: ColumnValues, write: Callable[[str], Any], *, delimiter: str) -> None:
    """Write a header and one row per line. Rows end with a line feed."""

    class Out:  # the csv module quotes the characters of its line end, so both are named here; rows end with one
        def write(self, row: str) -> None:
            write(row[:-2] + "\n")

    header = csv.writer(Out(), delimiter=delimiter, lineterminator="\r\n")
    if not all(PLAIN.fullmatch(name) for name in columns):  # otherwise a reader may detect another delimiter
        header = csv.writer(Out(), delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    header.writerow(columns)
    rows = csv.writer(Out(), delimiter=delimiter, lineterminator="\r\n")
    rows.writerows([cell(value) for value in row] for row in zip(*columns.values(), strict=True))


def cell(value: Any) -> str:
    """A value as the text of a cell: empty if missing, JSON if it is neither text nor number."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return to_json(value) if isinstance(value, bool | list | dict) else str(value)


CSV = text_format(
    "CSV",
    (".csv",),
    read_rows=partial(read_delimited, delimiters=",;\t|"),
    write_rows=partial(write_delimited, delimiter=","),
)
TSV = text_format(
    "TSV",
    (".tsv", ".tab"),
    read_rows=partial(read_delimited, delimiters="\t"),
    write_rows=partial(write_delimited, delimiter="\t"),
)
