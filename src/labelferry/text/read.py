"""Reading a file into a `Table`, in one pass and row by row.

A file may be gzipped. A row that cannot be read is an error that names its line; with `skip_bad` it is skipped and
listed in `Table.bad`. Every error is a ValueError in one line: the file, the line, the rule and the way out. Where the
content is certain, it decides before the suffix does: gzip, and a byte order mark.
"""

from __future__ import annotations

import gzip
import os
import zlib
from contextlib import ExitStack
from typing import Any, BinaryIO, cast

from .formats import Format, InputFile, Parsed, detect_format
from .formats.base import UTF16
from .lines import BadRows
from .tables import Table

MAX_CELL = 10_000_000  # characters per cell or line; a longer one is an error in the file, such as an unclosed quote


def read_table(
    path: str | os.PathLike[str], *, skip_bad: bool = False, encoding: str | None = None, limit: int = MAX_CELL
) -> Table:
    """Read a file of documents: CSV, TSV, JSON lines or Parquet, also gzipped.

    The delimiter of a CSV file is detected from its header: comma, semicolon, tab or bar. Empty lines are skipped.

    Parameters
    ----------
    path : path
        The file.
    skip_bad : bool, default=False
        Whether to skip rows that cannot be read instead of raising an error.
    encoding : str, default=None
        Encoding of a text file. None: UTF-8, or UTF-16 if the file has its byte order mark.
    limit : int, default=10_000_000
        Maximal number of characters per line or cell.

    Returns
    -------
    table : Table
        The rows of the file.
    """
    name = os.fsdecode(path)
    bad = BadRows(name, skip_bad)
    with ExitStack() as stack:
        try:
            file, start = unzipped(stack.enter_context(open(path, "rb")), name, stack)
        except FileNotFoundError:
            raise ValueError(f"there is no file {name!r}. Check the path.") from None
        except IsADirectoryError:
            raise ValueError(f"{name!r} is a folder. Name a file in it.") from None
        except OSError as error:
            raise ValueError(f"cannot read {name!r}: {error.strerror or error}. Check the file.") from None
        format_: Format = detect_format(start, name)
        parsed = format_.read(InputFile(file, name, encoding_of(start, encoding), limit, bad))
    return table_of(parsed, name, bad)


def unzipped(file: BinaryIO, name: str, stack: ExitStack) -> tuple[BinaryIO, bytes]:
    """The file, unzipped if it is gzipped, and its first bytes."""
    start = peek(file)
    if start[:2] != b"\x1f\x8b":
        return file, start
    content = cast(BinaryIO, stack.enter_context(gzip.GzipFile(fileobj=file)))
    try:
        return content, peek(content)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{name} is a damaged gzip file ({error}). Get or write it again.") from None


def encoding_of(start: bytes, encoding: str | None) -> str:
    """The encoding to decode with, which removes a byte order mark."""
    if encoding is None:
        encoding = "utf-16" if start[:2] in UTF16 else "utf-8"
    return "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding


def peek(file: Any) -> bytes:
    """The first bytes, without moving the position in the file."""
    start: bytes = file.peek(1024)[:1024]
    return start


def table_of(parsed: Parsed, name: str, bad: BadRows) -> Table:
    """The table; an error if it is empty."""
    if not parsed.lines or not parsed.columns:
        if bad.rows:
            line, what = bad.rows[0]
            raise ValueError(f"{name} has no good row: {len(bad.rows)} are bad, the first on line {line}: {what}.")
        what = "has a header and no rows" if parsed.columns else "is empty"
        raise ValueError(f"{name} {what}. Pass a file with a header and one document per row.")
    return Table(name, parsed.columns, parsed.lines, tuple(bad.rows), parsed.types)
