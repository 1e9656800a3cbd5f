"""CSV and TSV: rows of fields below a header of column names.

Quotes are read strictly, and a damaged row ends where full rows follow (`quotes.py`).
"""

from __future__ import annotations

import csv
import re
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Any

from ..lines import BadRows, Lines
from ..sequences import ROWS, GrowingColumns
from ..table import Dialect, Table
from .base import HALF_CHARACTER, ColumnValues, text_format
from .header import check_header, header_messages
from .jsonl import SURROGATE, to_json
from .quotes import Feed, Layout

SNIFFED_LINES = 50  # lines that decide on the delimiter
CSV_LIMIT = threading.Lock()  # the csv module has one limit per process: it is raised and restored under this lock
UNCLOSED = "a quote is opened and never closed"
PLAIN = re.compile(r"[\w .-]+")  # a column name that needs no quotes with any delimiter


def read_delimited(lines: Lines, bad: BadRows, *, delimiters: str, name: str = "CSV") -> Table:
    """Read rows of fields; of several delimiters the one that splits the header best is used."""
    with CSV_LIMIT:
        limit_before = csv.field_size_limit(lines.limit)
        try:
            source = iter(lines)
            head = list(islice(source, SNIFFED_LINES))
            delimiter = max(delimiters, key=lambda d: fitness(head, d)) if len(delimiters) > 1 else delimiters
            table = fill(records(chain(head, source), lines, delimiter, delimiters), head, lines, bad)
            return replace(table, dialect=Dialect(name, delimiter if len(table.columns) > 1 else None))
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


def records(source: Iterable[str], lines: Lines, delimiter: str, others: str) -> Iterator[tuple[int, list[str] | str]]:
    """Per row: its line, and its fields or, as a string, what is wrong."""
    # Empty lines are skipped. If the header has one column, an empty line is a row with an empty cell, except at the
    # end of the file.
    empty: list[int] = []  # empty lines in a file of one column, until a row follows
    header: list[str] | str = []
    for line, row in parsed_rows(source, lines, delimiter, others):
        if row:
            header = header or row
            yield from ((number, [""]) for number in empty)
            empty.clear()
            yield line, row
        elif isinstance(header, list) and len(header) == 1:
            empty.append(line)


def parsed_rows(
    source: Iterable[str], lines: Lines, delimiter: str, others: str
) -> Iterator[tuple[int, list[str] | str]]:
    """Per row: its line, and its fields, none for an empty line, or, as a string, what is wrong."""
    feed = Feed(source, lines.limit)
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    layout = Layout(delimiter)
    while True:
        line = feed.begin()
        row: list[str] = []
        problem = None
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = what_is_wrong(str(error), feed, layout, lines, others)
        if row and not layout.width:
            layout.width = len(row)
            feed.limit = lines.limit * len(row)
        if row and len(row) != layout.width:
            problem = wrong_width(len(row), layout.width)
        if problem is not None:
            feed.hold(layout.n_damaged(feed, closed=len(row) > layout.width) if layout.width else 1)
            problem += f", up to line {feed.last}" if len(feed.held) > 1 else ""
        elif row and len(feed.held) > 1 and layout.swallows_rows(feed.held):
            feed.hold(1)
            problem = UNCLOSED
        undecoded = lines.problem(feed.last) if lines.problems else None
        if not (problem or undecoded):
            layout.remember(row)
        lines.row = feed.held
        yield line, problem or undecoded or row


def what_is_wrong(error: str, feed: Feed, layout: Layout, lines: Lines, others: str) -> str:
    """What is wrong with the held lines, from an error of the csv module."""
    if error.startswith("field larger"):
        return f"{lines.too_long}; is a quote not closed there?"
    if error.startswith("unexpected end"):
        return UNCLOSED
    if layout.width and len(feed.held) == 1 and (n_fields := most_fields(feed.held[0], others)) > layout.width:
        return wrong_width(n_fields, layout.width)
    return "text follows a closing quote; quotes inside a quoted field are written twice"


def most_fields(line: str, delimiters: str) -> int:
    """The number of fields of a line with the delimiter that splits it best; 0 if none can."""
    counts = [0]
    for delimiter in delimiters:
        with suppress(csv.Error):
            counts += [len(row) for row in csv.reader([line], delimiter=delimiter, strict=True)]
    return max(counts)


def wrong_width(n_fields: int, width: int) -> str:
    """What is wrong with a row that has more or fewer fields than the header."""
    return f"{n_fields} {'field' if n_fields == 1 else 'fields'} where the header has {width}"


def fill(rows: Iterator[tuple[int, list[str] | str]], head: list[str], lines: Lines, bad: BadRows) -> Table:
    """The columns of the header, filled row by row."""
    numbers = array("q")
    if head and head[0].lstrip().startswith('{"'):
        raise ValueError(f"{lines.name} line 1 is JSON, not a header of names. Give the file the suffix .jsonl.")
    line, header = next(rows, (1, []))
    if isinstance(header, str):
        raise ValueError(f"{lines.name} line {line}, the header: {header}. Fix it: it must name the columns.")
    check_header(header, lines.name, line)
    growing = GrowingColumns(header)
    appends = [column.append for column in growing.rows.values()]
    for line, row in rows:
        if isinstance(row, str):
            bad.add(line, row, len(numbers), "".join(lines.row))
        else:
            numbers.append(line)
            for append, cell in zip(appends, row, strict=True):
                append(cell)
            if not len(numbers) % ROWS:
                growing.put_away()
    columns = growing.finish()
    return Table(lines.name, columns, numbers, messages=header_messages(columns, lines.name))


def write_delimited(
    columns: ColumnValues, write: Callable[[str], Any], dialect: Dialect, *, delimiter: str = ","
) -> None:
    """Write a header and one row per line, with the delimiter and the line ends of the dialect."""
    delimiter, newline = dialect.delimiter or delimiter, dialect.newline

    class Out:  # the csv module quotes the characters of its line end, so both are named here
        def write(self, row: str) -> None:
            write(row[:-2] + newline)

    header = csv.writer(Out(), delimiter=delimiter, lineterminator="\r\n")
    if not all(PLAIN.fullmatch(name) for name in columns):  # otherwise a reader may detect another delimiter
        header = csv.writer(Out(), delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    header.writerow(columns)
    rows = csv.writer(Out(), delimiter=delimiter, lineterminator="\r\n")
    rows.writerows([cell(value) for value in row] for row in zip(*columns.values(), strict=True))


def check_characters(columns: ColumnValues, name: str) -> None:
    """Raise an error if a text has half a character, which no encoding can contain."""
    texts = chain(columns, *columns.values())
    if any(isinstance(text, str) and SURROGATE.search(text) for text in texts):
        raise ValueError(f"cannot write {name}: {HALF_CHARACTER}. Write .jsonl.")


def cell(value: Any) -> str:
    """A value as the text of a cell: empty if missing, JSON if it is neither text nor number."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return to_json(value) if isinstance(value, bool | list | dict) else str(value)


CSV, TSV = (
    text_format(
        name,
        suffixes,
        read_rows=partial(read_delimited, delimiters=delimiters, name=name),
        write_rows=partial(write_delimited, delimiter=delimiters[0]),
        check=check_characters,
        keeps_encoding=True,
    )
    for name, suffixes, delimiters in (("CSV", (".csv",), ",;\t|"), ("TSV", (".tsv", ".tab"), "\t"))
)
