"""What a file format provides: its suffixes, a reader and a writer."""

from __future__ import annotations

import io
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from ..lines import BadRows, Lines
from .encodings import Encoding, choose_encoding

ColumnValues = Mapping[str, Sequence[Any]]
UNITS = {"Excel": "row", "Parquet": "row", "folder": "file"}  # what is counted; others: lines


class Dialect(NamedTuple):
    """How a file was written, so that the output can be written in the same way."""

    format: str  # name of the format, such as "CSV"
    delimiter: str | None = None  # between the fields of CSV and TSV
    encoding: str = "utf-8"  # Python codec of a text format, without its byte order mark
    byte_order_mark: bool = False  # whether the file begins with one
    newline: str = "\n"  # end of the lines

    @property
    def unit(self) -> str:
        """What `Table.lines` counts: "line", "row" or "file"."""
        return UNITS.get(self.format, "line")

    @property
    def other_encoding(self) -> str | None:
        """The encoding if it is not Unicode, such as cp1252; otherwise None."""
        return None if self.encoding.startswith("utf") else self.encoding


class Parsed(NamedTuple):
    """The content of a file: columns, the line on which each row begins, and what is known about the file."""

    columns: Mapping[str, Sequence[Any]]
    lines: array[int]
    types: dict[str, Any] = {}  # noqa: RUF012  (never written to); Arrow type per column
    dialect: Dialect | None = None
    messages: tuple[str, ...] = ()


class InputFile(NamedTuple):
    """An open file and how to read it."""

    file: BinaryIO  # at its beginning, with `seek`
    name: str  # for messages
    encoding: str | None  # that the user names
    limit: int  # characters per line or cell
    bad: BadRows
    sheet: str | None = None  # of a workbook; None: the first
    max_unpacked: int | None = None  # bytes of a workbook; None: the limit of the format


class OutputFile(NamedTuple):
    """An open file and how to write it."""

    file: BinaryIO
    name: str  # for messages
    types: Mapping[str, Any]  # Arrow type per column, if known
    dialect: Dialect


def check_nothing(columns: ColumnValues, name: str) -> None:
    """The check of a format that can contain any value."""


@dataclass(frozen=True)
class Format:
    """A file format."""

    name: str  # name for messages, such as "CSV"
    suffixes: tuple[str, ...]  # suffixes in lower case. The first is the usual one
    read: Callable[[InputFile], Parsed]  # reads an `InputFile` and returns `Parsed`
    write: Callable[[ColumnValues, OutputFile], None]  # writes columns to an `OutputFile`
    # whether a file that begins with these bytes has this format; used if the suffix is unknown
    matches: Callable[[bytes], bool]
    is_text: bool  # whether it is a text format. Text formats can be written as .gz
    # raises an error if columns cannot be written to a file of this name. It runs before the labels are predicted
    check: Callable[[ColumnValues, str], None] = check_nothing
    keeps_encoding: bool = False  # whether the output has the encoding of the input. JSON is always UTF-8


def text_format(
    name: str,
    suffixes: tuple[str, ...],
    *,
    read_rows: Callable[[Lines, BadRows], Parsed],
    write_rows: Callable[[ColumnValues, Callable[[str], Any], Dialect], None],
    matches: Callable[[bytes], bool] = lambda start: False,
    check: Callable[[ColumnValues, str], None] = check_nothing,
    keeps_encoding: bool = False,
) -> Format:
    """Make a format from functions that read and write text."""

    def read(source: InputFile) -> Parsed:
        encoding = choose_encoding(source.file, source.encoding)
        text = io.TextIOWrapper(source.file, encoding.decoder, errors="surrogateescape", newline="")
        lines = Lines(text, source.name, source.limit, damaged=encoding.damaged)
        parsed = read_rows(lines, source.bad)
        dialect = (parsed.dialect or Dialect(name))._replace(
            encoding=encoding.name, byte_order_mark=encoding.mark, newline=lines.newline
        )
        messages = (f"{source.name}: {detected_message(encoding)}",) if encoding.detected else ()
        return parsed._replace(dialect=dialect, messages=(*messages, *parsed.messages))

    def write(columns: ColumnValues, out: OutputFile) -> None:
        text = io.TextIOWrapper(out.file, out.dialect.encoding, newline="")
        try:
            if out.dialect.byte_order_mark:
                text.write("\ufeff")
            write_rows(columns, text.write, out.dialect)
            text.flush()
        except UnicodeEncodeError:
            raise ValueError(f"cannot write {out.name}: {HALF_CHARACTER}. Write .jsonl.") from None
        finally:
            text.detach()

    return Format(name, suffixes, read, write, matches, is_text=True, check=check, keeps_encoding=keeps_encoding)


HALF_CHARACTER = "a text contains half a character (a surrogate), which only JSON lines can contain"
WRONG_ENCODING = "If it is wrong, pass --encoding (encoding=)."


def detected_message(encoding: Encoding, files: str = "") -> str:
    """The message about a detected encoding; `files` is the number of files if there may be several.

    >>> detected_message(Encoding("cp1252", few_letters=True), "2 files")
    'encoding cp1252 was detected in 2 files (few letters: check it). If it is wrong, pass --encoding (encoding=).'
    """
    where = f" in {files}" if files else ""
    check = " (few letters: check it)" if encoding.few_letters else ""
    return f"encoding {encoding.name} was detected{where}{check}. {WRONG_ENCODING}"
