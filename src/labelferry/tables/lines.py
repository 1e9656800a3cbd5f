"""The lines of a text file with their numbers, and the bad rows among them."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TextIO

UNDECODED = re.compile("[\udc80-\udcff]")  # how Python marks bytes that are not in the encoding
NUMBER = re.compile(r"\d[\d,]*|0x[0-9a-f]+|'[^']*'")  # differs between rows with the same problem
NEWLINES = ("\r\n", "\n", "\r")


class BadRow(NamedTuple):
    """A row that cannot be read."""

    line: int  # on which the row begins
    what: str  # is wrong with it
    n_before: int = 0  # good rows before it
    text: str = ""  # the row as it is in the file; empty if it is not known


class BadRows:
    """Collects bad rows. Without `skip` the first one is an error."""

    def __init__(self, name: str, skip: bool, unit: str = "line") -> None:
        self.name, self.skip, self.unit = name, skip, unit
        self.rows: list[BadRow] = []

    def add(self, line: int, what: str, n_before: int, text: str = "") -> None:
        """Record a bad row, or raise an error; the arguments are those of `BadRow`."""
        if not self.skip:
            way_out = "Fix the row, or skip all such rows with skip_bad=True (--skip-bad)."
            raise ValueError(f"{self.name} {self.unit} {line}: {what}. {way_out}")
        self.rows.append(BadRow(line, what, n_before, text))


def summarize(rows: Iterable[BadRow], name: str, *, unit: str = "line", outcome: str = "skipped") -> list[str]:
    """One message per kind of problem, the most frequent first, instead of one per row.

    >>> ragged = [BadRow(12, "1 field where the header has 2"), BadRow(14, "1 field where the header has 2")]
    >>> summarize(ragged, "old.csv")
    ['old.csv: 2 rows skipped (1 field where the header has 2); first: line 12']
    >>> summarize(ragged[:1], "old.csv")
    ['old.csv: 1 row skipped (1 field where the header has 2); line 12']
    """
    kinds: dict[str, list[BadRow]] = {}
    for row in rows:
        kinds.setdefault(NUMBER.sub("", row.what), []).append(row)
    messages = []
    for same in sorted(kinds.values(), key=len, reverse=True):
        what = min(same).what
        similar = ", or similar" if any(row.what != what for row in same) else ""
        messages.append(rows_message(name, [row.line for row in same], f"{outcome} ({what}{similar})", unit=unit))
    return messages


def rows_message(name: str, lines: Sequence[int], what: str, *, unit: str = "line") -> str:
    """A message with the number of rows and the place of the first.

    >>> rows_message("new.xlsx", [7, 9], "without a text, not labelled", unit="row")
    'new.xlsx: 2 rows without a text, not labelled; first: row 7'
    """
    count, first = ("1 row", "") if len(lines) == 1 else (f"{len(lines):,} rows", "first: ")
    return f"{name}: {count} {what}; {first}{unit} {min(lines)}"


class Lines:
    """The lines of a text file. A line that is too long is an error; lines with NUL bytes are recorded.

    Bytes that are not in the encoding are an error or, in a `damaged` file, recorded as well.
    """

    def __init__(self, file: TextIO, name: str, limit: int, *, damaged: bool = False) -> None:
        self.file, self.name, self.limit, self.damaged = file, name, limit, damaged
        self.count = 0
        self.newline = "\n"  # the end of the first line
        self.row: list[str] = []  # the lines of the row that a reader parses
        self.problems: list[BadRow] = []  # lines with NUL bytes or undecoded bytes

    def __iter__(self) -> Iterator[str]:
        while line := self.next_line():
            self.count += 1
            if len(line) > self.limit:
                raise self.too_long_error(self.count)
            if self.count == 1:
                self.newline = end_of(line)
            if not line.isascii() and (undecoded := UNDECODED.search(line)):
                byte = f"byte 0x{ord(undecoded[0]) - 0xDC00:02x} at character {undecoded.start() + 1}"
                if not self.damaged:
                    raise self.wrong_encoding(self.count, byte)
                self.problems.append(BadRow(self.count, f"{byte} is not {self.encoding}, as most of the file is"))
            if "\0" in line:
                self.problems.append(BadRow(self.count, "NUL bytes"))
            yield line

    def read_all(self, size: int) -> str:
        """The whole text, up to a number of characters. Undecoded bytes are left in it."""
        try:
            text = self.file.read(size)
        except UnicodeError as error:
            raise self.wrong_encoding(1, str(error)) from None
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(
                f"{self.name} cannot be read ({error}). It is cut short or damaged: get it again."
            ) from None
        if not self.damaged and (undecoded := UNDECODED.search(text)):
            line = text.count("\n", 0, undecoded.start()) + 1
            raise self.wrong_encoding(line, f"byte 0x{ord(undecoded[0]) - 0xDC00:02x}")
        self.newline = end_of(text[: text.find("\n") + 1])
        return text

    def next_line(self) -> str:
        """The next line, empty at the end of the file."""
        try:
            return self.file.readline(self.limit + 1)
        except UnicodeError as error:
            raise self.wrong_encoding(self.count + 1, str(error)) from None
        except (EOFError, OSError, zlib.error) as error:
            where = f"cannot be read beyond line {self.count}"
            raise ValueError(f"{self.name} {where} ({error}). It is cut short or damaged: get it again.") from None

    def problem(self, until: int) -> str | None:
        """What is wrong with the lines up to this one, since the last call."""
        if not self.problems or self.problems[0].line > until:
            return None
        what = self.problems[0].what
        self.problems = [row for row in self.problems if row.line > until]
        return what

    @property
    def encoding(self) -> str:
        """Name of the encoding for messages."""
        return self.file.encoding.removesuffix("-sig").upper()

    @property
    def too_long(self) -> str:
        """What is wrong with a line or cell above the limit."""
        return f"a line or cell may have {self.limit:,} characters and this one has more"

    def too_long_error(self, line: int) -> ValueError:
        """The error for a line above the limit."""
        return ValueError(f"{self.name} line {line}: {self.too_long}. Pass a higher limit= to read_table.")

    def wrong_encoding(self, line: int, byte: str) -> ValueError:
        """The error for bytes that are not in the encoding."""
        way_out = "Pass the encoding of the file, such as encoding='cp1252' (--encoding cp1252)."
        return ValueError(f"{self.name} line {line} is not {self.encoding}: {byte}. {way_out}")


def end_of(line: str) -> str:
    """The characters that end a line; a line feed if there are none."""
    return next((newline for newline in NEWLINES if line.endswith(newline)), "\n")
