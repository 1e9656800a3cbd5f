"""What a file format provides: its suffixes, a reader and a writer."""

from __future__ import annotations

import io
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from ..lines import BadRows, Lines

ColumnValues = Mapping[str, Sequence[Any]]
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks


class Parsed(NamedTuple):
    """The content of a file: columns, the line on which each row begins, and Arrow types if the file has them."""

    columns: dict[str, list[Any]]
    lines: array[int]
    types: dict[str, Any] = {}  # noqa: RUF012  (never written to)


class InputFile(NamedTuple):
    """An open file and how to read it."""

    file: BinaryIO
    name: str  # for messages
    encoding: str  # of text formats
    limit: int  # characters per line or cell
    bad: BadRows


class OutputFile(NamedTuple):
    """An open file and how to write it."""

    file: BinaryIO
    name: str  # for messages
    types: Mapping[str, Any]  # Arrow type per column, if known


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    name : str
        Name for messages, such as "CSV".
    suffixes : tuple of str
        Suffixes in lower case. The first is the usual one.
    read : callable
        Reads an `InputFile` and returns `Parsed`.
    write : callable
        Writes columns to an `OutputFile`.
    matches : callable
        Whether a file that begins with these bytes has this format; used if the suffix is unknown.
    is_text : bool
        Whether it is a text format. Text formats can be written as .gz.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[InputFile], Parsed]
    write: Callable[[ColumnValues, OutputFile], None]
    matches: Callable[[bytes], bool]
    is_text: bool


def text_format(
    name: str,
    suffixes: tuple[str, ...],
    *,
    read_rows: Callable[[Lines, BadRows], Parsed],
    write_rows: Callable[[ColumnValues, Callable[[str], Any]], None],
    matches: Callable[[bytes], bool] = lambda start: False,
) -> Format:
    """Make a format from functions that read and write text."""

    def read(source: InputFile) -> Parsed:
        try:
            text = io.TextIOWrapper(source.file, source.encoding, errors="surrogateescape", newline="")
        except LookupError:
            raise ValueError(f"encoding={source.encoding!r} is unknown. Pass one such as utf-8 or cp1252.") from None
        return read_rows(Lines(text, source.name, source.limit), source.bad)

    def write(columns: ColumnValues, out: OutputFile) -> None:
        text = io.TextIOWrapper(out.file, "utf-8", newline="")
        try:
            write_rows(columns, text.write)
            text.flush()
        except UnicodeEncodeError:
            rule = "a text contains half a character (a surrogate)"
            raise ValueError(f"cannot write {out.name}: {rule}. Write .jsonl.") from None
        finally:
            text.detach()

    return Format(name, suffixes, read, write, matches, is_text=True)


def check_column_names(names: Sequence[str], file_name: str) -> None:
    """Raise an error if two columns have the same name."""
    if len(set(names)) < len(names):
        repeated = next(name for position, name in enumerate(names) if name in names[:position])
        raise ValueError(f"{file_name}, the header: two columns are called {repeated!r}. Give each a name of its own.")
