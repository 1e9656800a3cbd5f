"""Where a damaged row of CSV ends: a quote that is not closed must not take the rows after it.

A quoted cell may have several lines, so the csv module reads from an unclosed quote to the next quote or to the end of
the file. Here a damaged row ends before the next line that begins a full row: one with as many fields as the header, in
which no cell ends with a stray quote. A row of several lines in which nothing is wrong is damaged only if each line
without its quotes is a full row, and a column has few values in all of them or values of earlier rows, such as labels.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

N_LINES = 3  # of a row that may be damaged although nothing is wrong; a cell can have two lines that look like rows
N_AHEAD = 20  # lines in which the next full row is looked for
N_REMEMBERED = 1000  # rows whose values are known


class Feed(Iterator[str]):
    """Lines for the csv module; those of the present row are held, and can be given back.

    More characters than `limit` are an error of the csv module.
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
        while len(self.ahead) < N_AHEAD and (line := next(self.source, None)) is not None:
            self.ahead.append(line)
        return [*self.held, *self.ahead]

    def hold(self, n_lines: int) -> None:
        """Hold only the first lines of the row, or some more lines."""
        self.ahead.extendleft(reversed(self.held[n_lines:]))
        del self.held[n_lines:]
        while len(self.held) < n_lines:
            self.held.append(self.ahead.popleft())


class Layout:
    """What full rows look like, and the values of the first ones."""

    def __init__(self, delimiter: str) -> None:
        self.delimiter = delimiter
        self.width = 0  # fields of the header
        self.values: list[set[str]] = []  # per column
        self.n_rows = 0

    def fields(self, record: str) -> list[str] | None:
        """The fields of a full row; None for any other record."""
        if '"' not in record:
            fields = record.rstrip("\r\n").split(self.delimiter)
        elif whole_record(self.delimiter).fullmatch(record):
            fields = next(csv.reader([record], delimiter=self.delimiter, strict=True))
        else:
            return None
        return fields if len(fields) == self.width else None

    def remember(self, row: list[str]) -> None:
        """Remember the values of a good row."""
        if self.n_rows < N_REMEMBERED:
            self.n_rows += 1
            self.values = self.values or [set() for _ in row]
            for values, value in zip(self.values, row, strict=False):
                values.add(value)

    def swallows_rows(self, held: Sequence[str]) -> bool:
        """Whether a row of several lines, in which nothing is wrong, is a damaged line and the rows after it."""
        rows = [fields for line in held if (fields := self.fields(line.replace('"', ""))) is not None]
        if len(rows) < max(len(held), N_LINES) or self.width == 1:
            return False
        for known, values in zip(self.values, map(set, zip(*rows, strict=True)), strict=True):
            is_known = values <= known and 2 * len(known) <= self.n_rows
            if "" not in values and (is_known or 2 * len(values) <= len(rows)):
                return True
        return False

    def n_damaged(self, feed: Feed, *, closed: bool) -> int:
        """The number of lines of a damaged row that begins with the held lines; `closed`: all its quotes are closed."""
        if not any('"' in line for line in feed.held):
            return len(feed.held)
        lines = feed.held if closed else feed.window()[: N_AHEAD + 1]
        for start in range(1, len(lines)):
            if self.fields(lines[start]) is not None or self.fields(record_at(lines, start)) is not None:
                return start
        return len(feed.held) if closed else 1


@lru_cache(maxsize=16)
def whole_record(delimiter: str) -> re.Pattern[str]:
    """A record whose quotes are around cells or inside of them."""
    between = re.escape(delimiter)
    quoted, plain = r'"(?:[^"]++|"")*+"', rf'(?:[^"{between}\r\n](?:[^"{between}\r\n]|"(?![{between}\r\n]|\Z))*+)?+'
    field = f"(?:{quoted}|{plain})"
    return re.compile(rf"{field}(?:{between}{field})*+[\r\n]*")


def record_at(lines: Sequence[str], start: int) -> str:
    """The record that begins at a line, up to the line with which its quotes are paired."""
    record, stop = lines[start], start + 1
    while record.count('"') % 2 and stop < len(lines):
        record += lines[stop]
        stop += 1
    return record
