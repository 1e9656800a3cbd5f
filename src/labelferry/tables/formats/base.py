"""What a file format provides: its suffixes, a reader and a writer."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, NamedTuple

from ..lines import BadRows, Lines
from ..table import Dialect, Table
from .encodings import Encoding, choose_encoding

ColumnValues = Mapping[str, Sequence[Any]]


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


@dataclass(frozen=True)
class Format:
    """A file format."""

    name: str  # name for messages, such as "CSV"
    suffixes: tuple[str, ...]  # suffixes in lower case. The first is the usual one
    read: Callable[[InputFile], Table]
    write: Callable[[ColumnValues, OutputFile], None]  # writes columns to an `OutputFile`
    # whether a file that begins with these bytes has this format; used if the suffix is unknown
    matches: Callable[[bytes], bool]
    is_text: bool  # whether it is a text format. Text formats can be written as .gz
    # raises an error if columns cannot be written to a file of this name. It runs before the labels are predicted
    check: Callable[[ColumnValues, str], None] = lambda columns, name: None
    keeps_encoding: bool = False  # whether the output has the encoding of the input. JSON is always UTF-8


def text_format(
    name: str,
    suffixes: tuple[str, ...],
    *,
    read_rows: Callable[[Lines, BadRows], Table],
    write_rows: Callable[[ColumnValues, Callable[[str], Any], Dialect], None],
    matches: Callable[[bytes], bool] = lambda start: False,
    check: Callable[[ColumnValues, str], None] = lambda columns, name: None,
    keeps_encoding: bool = False,
) -> Format:
    """Make a format from functions that read and write text."""

    def read(source: InputFile) -> Table:
        encoding = choose_encoding(source.file, source.encoding)
        text = io.TextIOWrapper(source.file, encoding.decoder, errors="surrogateescape", newline="")
        lines = Lines(text, source.name, source.limit, damaged=encoding.damaged)
        table = read_rows(lines, source.bad)
        dialect = (table.dialect or Dialect(name))._replace(
            encoding=encoding.name, byte_order_mark=encoding.mark, newline=lines.newline
        )
        messages = (f"{source.name}: {detected_message(encoding)}",) if encoding.detected else ()
        return replace(table, dialect=dialect, messages=(*messages, *table.messages))

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
