"""The lines of a text file with their numbers, and the bad rows among them."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple, TextIO

UNDECODED = re.compile("[\udc80-\udcff]")  # how Python marks bytes that are not in the encoding


class BadRow(NamedTuple):
    """A row that cannot be read.

    Attributes
    ----------
    line : int
        Line on which the row begins.
    what : str
        What is wrong with it.
    """

    line: int
    what: str


class BadRows:
    """Collects bad rows. Without `skip` the first one is an error.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    skip : bool
        Whether to skip bad rows.
    """

    def __init__(self, name: str, skip: bool) -> None:
        self.name, self.skip = name, skip
        self.rows: list[BadRow] = []

    def add(self, line: int, what: str) -> None:
        """Record a bad row, or raise an error."""
        if not self.skip:
            way_out = "Fix the row, or skip all such rows with skip_bad=True (--skip-bad)."
            raise ValueError(f"{self.name} line {line}: {what}. {way_out}")
        self.rows.append(BadRow(line, what))


class Lines:
    """The lines of a text file. A wrong encoding or a line that is too long is an error; NUL bytes are recorded.

    Parameters
    ----------
    file : TextIO
        The open file.
    name : str
        Name of the file, for messages.
    limit : int
        Maximal number of characters per line.
    """

    def __init__(self, file: TextIO, name: str, limit: int) -> None:
        self.file, self.name, self.limit = file, name, limit
        self.count = 0
        self.with_nul: list[int] = []

    def __iter__(self) -> Iterator[str]:
        while line := self.next_line():
            self.count += 1
            if len(line) > self.limit:
                raise self.too_long(self.count)
            if not line.isascii() and (undecoded := UNDECODED.search(line)):
                byte = f"byte 0x{ord(undecoded[0]) - 0xDC00:02x} at character {undecoded.start() + 1}"
                raise self.wrong_encoding(self.count, byte)
            if "\0" in line:
                self.with_nul.append(self.count)
            yield line

    def next_line(self) -> str:
        """The next line, empty at the end of the file."""
        try:
            return self.file.readline(self.limit + 1)
        except UnicodeError as error:
            raise self.wrong_encoding(self.count + 1, str(error)) from None
        except (EOFError, OSError, zlib.error) as error:
            where = f"cannot be read beyond line {self.count}"
            raise ValueError(f"{self.name} {where} ({error}). It is cut short or damaged: get it again.") from None

    def had_nul(self, until: int) -> bool:
        """Whether there was a NUL byte up to this line, since the last call."""
        had = bool(self.with_nul) and self.with_nul[0] <= until
        if had:
            self.with_nul = [line for line in self.with_nul if line > until]
        return had

    def too_long(self, line: int) -> ValueError:
        """The error for a line or cell above the limit."""
        rule = f"a line or cell may have {self.limit:,} characters and this one has more"
        way_out = "Check for an unclosed quote there, or pass a higher limit= to read_table."
        return ValueError(f"{self.name} line {line}: {rule}. {way_out}")

    def wrong_encoding(self, line: int, byte: str) -> ValueError:
        """The error for bytes that are not in the encoding."""
        encoding = self.file.encoding.removesuffix("-sig").upper()
        way_out = "Pass the encoding of the file, such as encoding='cp1252' (--encoding cp1252)."
        return ValueError(f"{self.name} line {line} is not {encoding}: {byte}. {way_out}")
