"""Writing a table: every column of the input, then the new ones, in the order of the rows.

The file is written completely or not at all. Values are not changed: in CSV a cell that begins with = + - or @ is
written as it is, and a spreadsheet may read it as a formula; import such a file as text, or write .xlsx. An input
column with the name of a new column, or with another reserved name, is written as `<name>_before`.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, cast

from ..files import open_atomic
from .formats import STANDARD, format_of
from .formats.base import Format, OutputFile
from .formats.delimited import cell
from .formats.encodings import SAMPLE, choose_by_sample
from .sequences import OnDemand
from .table import Dialect, Table, to_list

IN_MEMORY = 1 << 26  # bytes for standard output; more are stored in a temporary file


def write_table(
    table: Table, extra: Mapping[str, Sequence[Any]], path: str | os.PathLike[str], *, reserved: Iterable[str] = ()
) -> list[str]:
    """Write a table with new columns to a file whose suffix selects the format; "-" is standard output, as CSV.

    Returns one message per renamed column (no column of the table keeps the name of a new one, or a reserved one), and
    one if the encoding is not that of the input.

    CSV and TSV are written as the table was read if it was the same format: delimiter, encoding, byte order
    mark and line ends; otherwise with comma or tab, as UTF-8. If a character is not in the encoding, or the bytes would
    be read as UTF-8, the file is UTF-8 with a byte order mark. In CSV and TSV a missing value is an empty cell, and a
    value that is neither text nor number is JSON.
    """
    path = Path(path)
    format_, zipped = format_of(path)
    columns, names = with_columns(table, extra, reserved=reserved), new_names(table.columns, (*extra, *reserved))
    types = {names.get(name, name): type_ for name, type_ in table.types.items()}
    chosen, messages = output_dialect(format_, table.dialect, columns, path)
    with open_output(path) as file, ExitStack() as stack:
        if zipped:
            file = cast(BinaryIO, stack.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0)))
        format_.write(columns, OutputFile(file, shown(path), types, chosen))
    return [*(f"column {old!r} of {table.name} is kept as {new!r}" for old, new in names.items()), *messages]


def check_output(table: Table, path: str | os.PathLike[str]) -> None:
    """Check that the rows of a table can be written to a file, before the work that gives the new columns."""
    path = Path(path)
    format_of(path)[0].check(table.columns, shown(path))


def output_dialect(
    format_: Format, before: Dialect | None, columns: Mapping[str, Sequence[Any]], path: Path
) -> tuple[Dialect, list[str]]:
    """How to write columns: as the input was if it has the same format; a message if its encoding cannot be used."""
    if before is None or before.format != format_.name:
        return Dialect(format_.name), []
    if not format_.keeps_encoding:
        return before._replace(encoding="utf-8", byte_order_mark=False), []
    missing = not_encodable(columns, before.encoding)
    if missing is None and not is_mistaken_for_utf8(columns, before.encoding):
        return before, []
    reason = "has bytes that are read as UTF-8" if missing is None else f"has no {missing!r}"
    message = f"{shown(path)} is UTF-8 with a byte order mark, because {before.encoding} {reason}"
    return before._replace(encoding="utf-8", byte_order_mark=True), [message]


def not_encodable(columns: Mapping[str, Sequence[Any]], encoding: str) -> str | None:
    """The first character that an encoding does not have; None if it has all of them, as UTF-8 and UTF-16 do."""
    if encoding.startswith("utf"):
        return None
    for values in (list(columns), *columns.values()):
        for value in values:
            text = cell(value)
            if text.isascii():
                continue
            try:
                if text.encode(encoding).decode(encoding) == text:
                    continue
                return next((c for c in text if c.encode(encoding).decode(encoding) != c), text[0])
            except UnicodeEncodeError as error:
                return text[error.start]
    return None


def is_mistaken_for_utf8(columns: Mapping[str, Sequence[Any]], encoding: str) -> bool:
    """Whether a reader takes the cells in this encoding for UTF-8: then not even the name of the encoding helps."""
    if encoding.startswith("utf"):
        return False
    sample = bytearray()
    for row in chain([list(columns)], zip(*columns.values(), strict=True)):
        sample += b"".join(text.encode(encoding) for text in map(cell, row) if not text.isascii())
        if len(sample) > SAMPLE:
            break
    return not sample.isascii() and choose_by_sample(bytes(sample), encoding).name == "utf-8"


def shown(path: Path) -> str:
    """Name of an output for messages."""
    return "standard output" if str(path) == STANDARD else str(path)


def with_columns(
    table: Table, extra: Mapping[str, Sequence[Any]], *, reserved: Iterable[str] = ()
) -> dict[str, Sequence[Any]]:
    """The columns of the table, then the new ones, as `write_table` writes them.

    >>> from labelferry.tables import from_texts
    >>> with_columns(from_texts(["a red door"], ["old"]), {"label": ["new"]})
    {'text': ['a red door'], 'label_before': ['old'], 'label': ['new']}
    """
    names = new_names(table.columns, (*extra, *reserved))
    columns = {names.get(name, name): values for name, values in table.columns.items()}
    return columns | {name: new_column(table, name, values) for name, values in extra.items()}


def new_column(table: Table, name: str, values: Sequence[Any]) -> Sequence[Any]:
    """The values of a new column as a list, or as they are if they are made on demand; an error if not one per row."""
    as_list = values if isinstance(values, OnDemand) else to_list(values)
    if len(as_list) != len(table):
        raise ValueError(
            f"column {name!r} must have a value for each of the {len(table)} rows of {table.name}; "
            f"got {len(as_list)}. Pass one per row."
        )
    return as_list


def new_names(columns: Collection[str], reserved: Iterable[str]) -> dict[str, str]:
    """Old and new name of the columns that have a reserved name.

    >>> new_names(["text", "label", "label_before"], ["label"])
    {'label': 'label_before2'}
    """
    distinct = dict.fromkeys(reserved)
    taken = {*columns, *distinct}
    names = {}
    for name in distinct:
        if name in columns:
            new, number = f"{name}_before", 1
            while new in taken:
                number += 1
                new = f"{name}_before{number}"
            taken.add(new)
            names[name] = new
    return names


def check_place(path: Path) -> Path:
    """Check that a file can be written, before the work that gives its content; returns it with links resolved."""
    if str(path) == STANDARD:
        return path
    final = Path(os.path.realpath(path))
    if final.is_symlink():
        raise ValueError(f"cannot write {path}: it is a link that leads to itself. Remove it, or name another file.")
    if not final.parent.is_dir():
        raise ValueError(f"cannot write {path}: there is no folder {final.parent}. Create it first.")
    if final.exists() and not final.is_file():
        raise ValueError(f"cannot write {path}: it is a folder or a device. Name a file.")
    if not os.access(final.parent, os.W_OK):
        raise ValueError(f"cannot write {path}: no permission to write to the folder. Name another.")
    return final


@contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """Open a file that appears only if the block ends without an error."""
    if str(path) == STANDARD:
        with cast(BinaryIO, SpooledTemporaryFile(IN_MEMORY)) as copy:
            yield copy
            copy.seek(0)
            copy_to_stdout(copy)
        return
    final = check_place(path)
    try:
        with open_atomic(final) as file:
            yield file
    except OSError as error:  # such as a full disk
        raise ValueError(f"cannot write {path}: {error.strerror or error}. Nothing was written.") from None


def copy_to_stdout(file: BinaryIO) -> None:
    """Copy a file to standard output. If nobody reads it any more, as in `... | head`, the rest is dropped."""
    out = getattr(sys.stdout, "buffer", None)
    if out is None:  # such as in a notebook
        raise ValueError("standard output takes no bytes here. Name a file.")
    try:
        sys.stdout.flush()
        shutil.copyfileobj(file, out)
        out.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it again when it ends
    except OSError as error:
        raise ValueError(f"cannot write standard output: {error.strerror or error}.") from None
