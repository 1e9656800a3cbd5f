"""Reading a file or a folder into a `Table`.

A file may be gzipped. A row that cannot be read is an error that names its line; with `skip_bad` it is skipped and
listed in `Table.bad`. Every error is a ValueError in one line: the file, the line, the rule and the way out. Where the
content is certain, it decides before the suffix does: gzip, workbooks, and a byte order mark.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import zlib
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from .formats import STANDARD, detect_format, split_sheet
from .formats.base import InputFile
from .formats.encodings import first_bytes
from .formats.folder import read_folder
from .lines import BadRows
from .table import Dialect, Table

MAX_CELL = 10_000_000  # characters per cell or line; a longer one is an error in the file, such as an unclosed quote
IN_MEMORY = 1 << 26  # bytes of a pipe; more are stored in a temporary file
MAX_UNPACKED = 4_000_000_000  # bytes of a gzipped file after unpacking; one may be made to fill the memory
STDIN = "standard input"
ONLY_HEADER, EMPTY = "has a header and no rows", "is empty"  # how an error says it


class LimitedGzip(gzip.GzipFile):
    """A gzipped file that is not read beyond a number of unpacked bytes."""

    def __init__(self, file: BinaryIO, name: str, max_bytes: int) -> None:
        super().__init__(fileobj=file, mode="rb")
        self.shown, self.max_bytes = name, max_bytes

    def read(self, size: int | None = -1) -> bytes:
        """Read bytes; ValueError beyond the limit."""
        return self._checked(super().read(self.max_bytes + 1 if size is None or size < 0 else size))

    def read1(self, size: int = -1) -> bytes:
        """Read bytes that are available; ValueError beyond the limit."""
        return self._checked(super().read1(size))

    def readline(self, size: int | None = -1) -> bytes:
        """Read a line; ValueError beyond the limit."""
        return self._checked(super().readline(self.max_bytes + 1 if size is None or size < 0 else size))

    def _checked(self, content: bytes) -> bytes:
        if self.tell() > self.max_bytes:
            raise ValueError(
                f"{self.shown}: an unpacked file may have {self.max_bytes:,} bytes and this one has more. Unpack it "
                "yourself, or pass a higher max_unpacked= to read_table."
            )
        return content


def read_table(
    path: str | os.PathLike[str],
    *,
    skip_bad: bool = False,
    encoding: str | None = None,
    limit: int = MAX_CELL,
    max_unpacked: int | None = None,
) -> Table:
    """Read documents: CSV, TSV, Excel, JSON, JSON lines or Parquet, also gzipped; or a folder of texts.

    `path`: "-" is standard input, "tickets.xlsx#May" one sheet of a workbook. `encoding`: of a text file that is not
    UTF-8; None: detected, with a message. `limit`: characters per line or cell. `max_unpacked`: bytes after unpacking;
    None: 4,000,000,000 for a gzipped file, 1,000,000,000 for a workbook.
    """
    given = os.fsdecode(path)
    name = STDIN if given == STANDARD else given
    file_name, sheet = (given, None) if os.path.exists(given) else split_sheet(given)
    bad = BadRows(name, skip_bad)
    with ExitStack() as stack:
        try:
            if os.path.isdir(file_name):
                bad.unit = "file"
                table = read_folder(Path(file_name), name, encoding=encoding, limit=limit, bad=bad)
                return with_bad_rows(table, bad, "Put one text per file into it.")
            raw = standard_input() if given == STANDARD else stack.enter_context(open(file_name, "rb"))
            file, start = unzipped(with_seek(raw, stack), name, stack, max_unpacked or MAX_UNPACKED)
        except FileNotFoundError:
            raise ValueError(f"there is no file {name!r}. Check the path.") from None
        except OSError as error:
            raise ValueError(f"cannot read {name!r}: {error.strerror or error}. Check the file.") from None
        format_ = detect_format(start, file_name)
        bad.unit = Dialect(format_.name).unit
        table = format_.read(InputFile(file, name, encoding, limit, bad, sheet, max_unpacked))
    table = replace(table, dialect=table.dialect or Dialect(format_.name))
    return with_bad_rows(table, bad, "Pass a file with a header and one document per row.")


def standard_input() -> BinaryIO:
    """Standard input as bytes."""
    if sys.stdin is None or sys.stdin.isatty():
        raise ValueError(f"{STDIN} is a terminal. Send a file to it, as in: cat new.csv | labelferry ...")
    return sys.stdin.buffer


def with_seek(file: BinaryIO, stack: ExitStack) -> BinaryIO:
    """The file or, if it is a pipe or standard input, a temporary copy that can be read twice."""
    if file.seekable() and file is not getattr(sys.stdin, "buffer", None):
        return file
    copy = cast(BinaryIO, stack.enter_context(SpooledTemporaryFile(IN_MEMORY)))  # noqa: SIM115
    shutil.copyfileobj(file, copy)
    copy.seek(0)
    return copy


def unzipped(file: BinaryIO, name: str, stack: ExitStack, max_unpacked: int) -> tuple[BinaryIO, bytes]:
    """The file, unzipped if it is gzipped, and its first bytes."""
    start = first_bytes(file)
    if start[:2] != b"\x1f\x8b":
        return file, start
    content = cast(BinaryIO, stack.enter_context(LimitedGzip(file, name, max_unpacked)))
    try:
        return content, first_bytes(content)
    except EOFError:  # the file is cut short: the reader names the line
        return content, b""
    except (OSError, zlib.error) as error:
        raise ValueError(f"{name} is a damaged gzip file ({error}). Get or write it again.") from None


def with_bad_rows(table: Table, bad: BadRows, way_out: str) -> Table:
    """The table with its bad rows; an error if it is empty."""
    if not table.lines or not table.columns:
        if bad.rows:
            first, n = bad.rows[0], len(bad.rows)
            raise ValueError(
                f"{table.name} has no readable row: {n} bad, the first on {bad.unit} {first.line}: {first.what}."
            )
        raise ValueError(f"{table.name} {ONLY_HEADER if table.columns else EMPTY}. {way_out}")
    return replace(table, bad=tuple(bad.rows))
