"""Where a damaged row of CSV ends: a quote that is not closed must not take the rows after it.

A quoted cell may have several lines, so the csv module reads from an unclosed quote to the next quote or to the end of
the file. Here a damaged row ends with its line, unless a line that closes a quoted cell follows and the lines before it
are no full rows: then these are the rest of its cell. A full row has as many fields as the header, and no stray quotes.

What is not damaged is read as it is written: a quoted cell may contain lines that look like rows. It is taken for
damage only if its lines are full rows, and either its last line begins a full row as well and the line after it closes
a cell, or a column has values in all of them that are known from earlier rows, such as labels.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

N_ROWS = 3  # lines in a row that are full rows, and not part of a cell
N_AHEAD = 20  # lines that are read ahead to find the end of a row
N_REMEMBERED = 1000  # rows whose values are known


class Feed(Iterator[str]):
    """Lines for the csv module: those of the present row are held, and can be given back.

    Parameters
    ----------
    source : iterable of str
        The lines.
    limit : int
        Maximal number of characters that are held; more are an error of the csv module.
    """

    def __init__(self, source: Iterable[str], limit: int) -> None:
        self.source, self.limit = iter(source), limit
        self.first = 1  # number of the first held line
        self.held: list[str] = []
        self.size = 0
        self.ahead: deque[str] = deque()

    def __next__(self) -> str:
        line = self.ahead.popleft() if self.ahead else next(self.source)
        self.held.append(line)
        self.size += len(line)
        if self.size > self.limit:
            raise csv.Error("field larger than the limit")
        return line

    @property
    def last(self) -> int:
        """Number of the last held line."""
        return self.first + len(self.held) - 1

    def begin(self) -> int:
        """Begin a row; returns the number of its first line."""
        self.first += len(self.held)
        self.held = []
        self.size = 0
        return self.first

    def window(self) -> list[str]:
        """The held lines, and some lines after them."""
        for line in self.source:
            self.ahead.append(line)
            if len(self.ahead) >= N_AHEAD:
                break
        return [*self.held, *self.ahead]

    def hold(self, n_lines: int) -> None:
        """Hold only the first lines of the row, or some more lines."""
        self.ahead.extendleft(reversed(self.held[n_lines:]))
        del self.held[n_lines:]
        while len(self.held) < n_lines:
            self.held.append(self.ahead.popleft())


class Layout(NamedTuple):
    """What a full row looks like."""

    delimiter: str
    width: int  # fields of the header

    def fields(self, record: str) -> list[str] | None:
        """The fields of a record; None if it has stray quotes."""
        if '"' not in record:
            return record.rstrip("\r\n").split(self.delimiter)
        if not patterns(self.delimiter)[0].fullmatch(record):
            return None
        return next(csv.reader([record], delimiter=self.delimiter, strict=True), [])

    def row(self, record: str) -> list[str] | None:
        """The fields of a full row; None for any other record."""
        if '"' not in record and record.count(self.delimiter) != self.width - 1:  # most lines, and fast
            return None
        fields = self.fields(record)
        return fields if fields is not None and len(fields) == self.width else None

    def closes(self, line: str) -> bool:
        """Whether the line is the end of a row with a quoted cell."""
        return line.count('"') % 2 == 1 and 0 < len(self.fields('"' + line) or ()) <= self.width

    def begins_quoted(self, line: str) -> bool:
        """Whether the first field with something wrong begins with a quote."""
        return line.startswith('"', patterns(self.delimiter)[1].match(line).end())  # type: ignore[union-attr]


@lru_cache(maxsize=16)
def patterns(delimiter: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A record without stray quotes, and the fields at its begin that have none."""
    between = re.escape(delimiter)
    field = rf'(?:"(?:[^"]++|"")*+"|[^"{between}\r\n]*+)'
    return re.compile(rf"{field}(?:{between}{field})*+[\r\n]*"), re.compile(rf"(?:{field}{between})*+")


def record_at(lines: Sequence[str], start: int) -> str:
    """The record that begins at a line, up to the line with which its quotes are paired."""
    record, stop = lines[start], start + 1
    while record.count('"') % 2 and stop < min(len(lines), start + N_AHEAD):
        record += lines[stop]
        stop += 1
    return record


def end_of_cell(lines: Sequence[str], start: int, layout: Layout) -> int | None:
    """The line that closes the quoted cell to which the lines from `start` on belong; None if they are rows."""
    n_rows, n_others = 0, 0
    for position in range(start, min(len(lines), start + N_AHEAD)):
        line = lines[position]
        if not line.strip():
            continue
        if layout.row(line) is not None:
            n_rows += 1
            if n_rows >= N_ROWS and not n_others:
                return None
        elif layout.closes(line) and not layout.begins_quoted(line):
            return position if n_others or not n_rows else None
        elif layout.fields(line) is None and layout.begins_quoted(line):
            return None
        elif layout.row(line.replace('"', "")) is None:  # with quotes as ordinary characters it is neither
            n_others += 1
    return None


class Known:
    """Values of the first rows, to recognize rows inside of a quoted cell."""

    def __init__(self) -> None:
        self.values: list[set[str]] = []
        self.n_rows = 0
        self.has_stray_quotes = False  # in good rows, as if quotes were ordinary characters

    @property
    def is_full(self) -> bool:
        """Whether no more rows are remembered."""
        return self.n_rows >= N_REMEMBERED

    def add(self, row: list[str], held: list[str], layout: Layout) -> None:
        """Remember the values of a row, and whether it has stray quotes."""
        if len(held) == 1 and '"' in held[0] and layout.fields(held[0]) is None:
            self.has_stray_quotes = True
        self.n_rows += 1
        self.values = self.values or [set() for _ in row]
        for values, value in zip(self.values, row, strict=False):
            values.add(value)

    def has(self, rows: Sequence[list[str]]) -> bool:
        """Whether a column has known values in all of these rows, and is one in which values are repeated."""
        return any(
            2 * len(known) <= self.n_rows and all(value and value in known for value in column)
            for known, column in zip(self.values, zip(*rows, strict=True), strict=False)
        )


def full_rows(lines: Sequence[str], layout: Layout) -> list[list[str]] | None:
    """The lines as rows; None if one of them is no full row."""
    rows = []
    for line in lines:
        row = layout.row(line)
        if row is None:
            return None
        rows.append(row)
    return rows


def swallows_rows(feed: Feed, layout: Layout, known: Known) -> bool:
    """Whether a row of several lines, in which nothing is wrong, is a damaged line and the rows after it."""
    if feed.held[0].count(layout.delimiter) < layout.width - 1:  # the first line alone is too short for a row
        return False
    inside, least = feed.held[1:-1], N_ROWS
    if known.has_stray_quotes:
        inside, least = [line.replace('"', "") for line in inside], 1
    rows = full_rows(inside, layout)
    if rows is None:
        return False
    if len(rows) >= least and layout.width > 1 and known.has(rows):
        return True
    if not layout.begins_quoted(feed.held[-1]):
        return False
    lines, n_held = feed.window(), len(feed.held)
    return end_of_cell(lines, n_held, layout) is not None and layout.row(record_at(lines, n_held - 1)) is not None


def n_damaged(feed: Feed, layout: Layout, known: Known, *, closed: bool) -> int:
    """The number of lines of a damaged row that begins with the held lines; `closed`: all its quotes are closed."""
    if not any('"' in line for line in feed.held):
        return len(feed.held)
    lines, n_held = feed.window(), len(feed.held) if closed else 1
    if n_held > 1:
        last_begins_row = layout.row(record_at(lines, n_held - 1)) is not None
        rows = full_rows(feed.held[1:-1], layout)
        if rows or (rows is not None and last_begins_row):
            n_held = 1
        elif last_begins_row:
            n_held -= 1
    end = None if known.has_stray_quotes else end_of_cell(lines, n_held, layout)
    return n_held if end is None else end + 1
