"""Reading users' files: CSV, TSV, JSON lines and Parquet become a `Table`, in one pass and row by row.

The text formats may be gzipped. A row that cannot be read is an error that names its line; with `skip_bad` it is left
out and listed in `Table.bad`. Every error is a ValueError in one line: the file, the line, the rule and the way out.
What the content says goes before the suffix where it is certain: gzip, and a byte order mark.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, BinaryIO, NamedTuple

from .formats import Parsed, read_delimited, read_json_lines, read_parquet
from .lines import BadRow, BadRows, Lines

MAX_CELL = 10_000_000  # characters of a cell or a line; longer ones are junk, such as an unclosed quote
DELIMITERS = {"csv": ",;\t|", "tsv": "\t"}  # several: the header decides
FORMATS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Table:
    """The rows of a file, by column.

    name : the path as the user wrote it, for messages
    columns : name -> values, in the file's order; strings in CSV and TSV, else what the file holds, None if missing
    lines : where each row begins: its line in the file; its number, from 1, where there are no lines
    bad : the rows left out, with the reason
    types : name -> Arrow type of the columns of a Parquet file, so that they are written back as they were
    """

    name: str
    columns: dict[str, list[Any]]
    lines: Sequence[int]
    bad: tuple[BadRow, ...] = ()
    types: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)


class Opened(NamedTuple):
    """A file with its layers off."""

    file: BinaryIO
    format: str
    encoding: str


def read_table(
    path: str | os.PathLike[str], *, skip_bad: bool = False, encoding: str | None = None, limit: int = MAX_CELL
) -> Table:
    """The table in a file. Text is UTF-8, or UTF-16 with a byte order mark, unless `encoding` says otherwise.

    The delimiter of a CSV file is the one of comma, semicolon, tab and bar that its header is split by. Empty lines are
    no rows. `limit` is the greatest number of characters in a line or a cell.
    """
    name = os.fsdecode(path)
    bad = BadRows(name, skip_bad)
    with ExitStack() as stack:
        try:
            file = stack.enter_context(open(path, "rb"))
            opened = open_layers(file, name, encoding, stack)
        except FileNotFoundError:
            raise ValueError(f"there is no file {name!r}. Check the path.") from None
        except IsADirectoryError:
            raise ValueError(f"{name!r} is a folder. Name a file in it.") from None
        except OSError as error:
            raise ValueError(f"cannot read {name!r}: {error.strerror or error}. Check the file.") from None
        parsed = parse(opened, name, bad, limit)
    return table_of(parsed, name, bad)


def parse(opened: Opened, name: str, bad: BadRows, limit: int) -> Parsed:
    if opened.format == "parquet":
        return read_parquet(opened.file, name, limit)
    try:
        text = io.TextIOWrapper(opened.file, opened.encoding, errors="surrogateescape", newline="")
    except LookupError:
        raise ValueError(f"encoding={opened.encoding!r} is not known. Pass one such as utf-8 or cp1252.") from None
    lines = Lines(text, name, limit)
    if opened.format == "jsonl":
        return read_json_lines(lines, bad)
    return read_delimited(lines, DELIMITERS[opened.format], bad)


def table_of(parsed: Parsed, name: str, bad: BadRows) -> Table:
    """The table, unless it is empty."""
    if not parsed.lines or not parsed.columns:
        if bad.rows:
            line, what = bad.rows[0]
            raise ValueError(f"{name} has no good row: {len(bad.rows)} are bad, the first on line {line}: {what}.")
        what = "has a header and no rows" if parsed.columns else "is empty"
        raise ValueError(f"{name} {what}. Pass a file with a header and one document a row.")
    return Table(name, parsed.columns, parsed.lines, tuple(bad.rows), parsed.types)


def open_layers(file: BinaryIO, name: str, encoding: str | None, stack: ExitStack) -> Opened:
    """Take off gzip and find out format and encoding, from the first bytes and the name."""
    path = PurePath(name)
    start = peek(file)
    if start[:2] == b"\x1f\x8b":
        file = stack.enter_context(gzip.GzipFile(fileobj=file))  # type: ignore[assignment]
        try:
            start = peek(file)
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"{name} is a damaged gzip file ({error}). Get or write it again.") from None
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    if encoding is None:
        encoding = "utf-16" if start[:2] in UTF16 else "utf-8"
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        encoding = "utf-8-sig"  # the same, without the byte order mark
    return Opened(file, FORMATS.get(suffix) or guess_format(start, name, suffix), encoding)


def peek(file: Any) -> bytes:
    """The first bytes, which remain to be read."""
    return file.peek(1024)[:1024]


def guess_format(start: bytes, name: str, suffix: str) -> str:
    """The format of a file whose suffix is none of ours."""
    known = "CSV, TSV, JSON lines or Parquet"
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"PK\x03\x04"):
        raise ValueError(f"{name} is a workbook or a zip archive. Save it as {known}.")
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"["):
        raise ValueError(f"{name} is one JSON array. Write one object a line, as jq -c '.[]' does, to a file .jsonl.")
    if text.startswith(b"{"):
        return "jsonl"
    if b"\0" in start and start[:2] not in UTF16:
        raise ValueError(f"{name} is a binary file with the suffix {suffix!r}. Save it as {known}.")
    return "csv"


def with_texts(table: Table, column: str, *, skip_bad: bool = False) -> Table:
    """The table, where every row has a text in this column. One that has none is a bad row.

    >>> with_texts(from_texts(["a red door", " "]), "text", skip_bad=True).bad
    (BadRow(line=2, what="no text in column 'text'"),)
    """

    def wrong(value: Any) -> str | None:
        if isinstance(value, str) and value.strip():
            return None
        if value is None or isinstance(value, str):
            return f"no text in column {column!r}"
        return f"column {column!r} holds a {type(value).__name__}, not a text"

    return without(table, column, "text", wrong, skip_bad)


def with_labels(table: Table, column: str, *, skip_bad: bool = False) -> Table:
    """The table, where every row has a label in this column: a text, a number, true or false.

    >>> with_labels(from_texts(["a red door", "a green house"], [1, None]), "label", skip_bad=True).columns
    {'text': ['a red door'], 'label': [1]}
    """

    def wrong(value: Any) -> str | None:
        if value is None or value != value or (isinstance(value, str) and not value.strip()):
            return f"no label in column {column!r}"
        if isinstance(value, list | tuple | dict | set | bytes):
            return f"column {column!r} holds a {type(value).__name__}, not a label"
        return None

    return without(table, column, "label", wrong, skip_bad)


def without(table: Table, column: str, what: str, wrong: Callable[[Any], str | None], skip_bad: bool) -> Table:
    """The table less the rows in whose column something is `wrong`, which are bad rows."""
    bad = BadRows(table.name, skip_bad)
    kept = []
    for position, value in enumerate(table.columns[column]):
        if (why := wrong(value)) is None:
            kept.append(position)
        else:
            bad.add(table.lines[position], why)
    if not kept:
        raise ValueError(f"{table.name} has no {what} at all in column {column!r}. Name another column.")
    if len(kept) == len(table):
        return table
    columns = {name: [values[i] for i in kept] for name, values in table.columns.items()}
    lines = [table.lines[i] for i in kept]
    return replace(table, columns=columns, lines=lines, bad=tuple(sorted((*table.bad, *bad.rows))))


def from_texts(texts: Iterable[str], labels: Iterable[Any] | None = None, *, name: str = "texts") -> Table:
    """A table of a list or an array: columns `text` and, where there are labels, `label`.

    >>> from_texts(["a red door", "a green house"], [0, 1]).columns
    {'text': ['a red door', 'a green house'], 'label': [0, 1]}
    """
    if isinstance(texts, str):
        raise ValueError(f"{name} must be a list of texts; got one text, {texts[:20]!r}. Put it in a list.")
    columns = {"text": to_list(texts)}
    if labels is not None:
        columns["label"] = to_list(labels)
        if len(columns["label"]) != len(columns["text"]):
            sizes = f"{len(columns['label'])} labels and {len(columns['text'])} texts"
            raise ValueError(f"{name}: labels must be as many as texts; got {sizes}. Pass one a text.")
    return Table(name, columns, range(1, len(columns["text"]) + 1))


def to_list(values: Iterable[Any]) -> list[Any]:
    """A list of Python's own values; numpy's scalars would not be written as numbers."""
    return values.tolist() if hasattr(values, "tolist") else list(values)


def is_table_file(one: Any) -> bool:
    """Is this a string with the suffix of a format that can be read?"""
    suffixes = tuple(suffix + packed for suffix in FORMATS for packed in ("", ".gz"))
    return isinstance(one, str) and len(one) < 4096 and "\n" not in one and one.lower().endswith(suffixes)
