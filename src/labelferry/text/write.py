"""Writing a table back: every column of the input, then the new ones, in the order of the rows.

The file appears whole or not at all. Data is not altered: a cell that begins with = + - or @ is written as it is,
though a spreadsheet may take it for a formula; import such a file as text. A new column whose name the input has
already takes the name, and the old one is kept as `<name>_before`.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

from ..files import whole
from .tables import FORMATS, Table, to_list

PLAIN = re.compile(r"[\w .-]+")  # a name in the header that needs no quotes, whatever the delimiter is taken to be
SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which JSON can escape and UTF-8 cannot hold


def write_table(table: Table, extra: Mapping[str, Sequence[Any]], path: str | os.PathLike[str]) -> list[str]:
    """Write the table and the columns of `extra`; return what there is to say about it.

    The suffix of `path` is the format: .csv, .tsv, .jsonl, .parquet; the text formats also with .gz. They are UTF-8. In
    CSV and TSV a missing value is an empty cell, and what is neither text nor number is JSON.
    """
    path = Path(path)
    format_, zipped = format_of(path)
    names = new_names(list(table.columns), list(extra))
    columns = joined(table, extra, names)
    said = [f"column {old!r} of {table.name} is kept as {new!r}" for old, new in names.items()]
    with appearing(path) as file, ExitStack() as stack:
        if format_ == "parquet":
            types = {names.get(name, name): type_ for name, type_ in table.types.items()}
            write_parquet(columns, types, file, path)
            return said
        if zipped:
            file = stack.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0))  # type: ignore[assignment]
        text = TextIOWrapper(file, "utf-8", newline="")
        try:
            if format_ == "jsonl":
                write_json_lines(columns, text.write)
            else:
                write_delimited(columns, "\t" if format_ == "tsv" else ",", text.write)
            text.flush()
        except UnicodeEncodeError:
            raise ValueError(f"cannot write {path}: a text has half a character (a surrogate). Write .jsonl.") from None
        finally:
            text.detach()
    return said


def with_columns(table: Table, extra: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The columns as `write_table` writes them.

    >>> from .tables import from_texts
    >>> with_columns(from_texts(["a red door"], ["old"]), {"label": ["new"]})
    {'text': ['a red door'], 'label_before': ['old'], 'label': ['new']}
    """
    return joined(table, extra, new_names(list(table.columns), list(extra)))


def joined(table: Table, extra: Mapping[str, Sequence[Any]], names: Mapping[str, str]) -> dict[str, list[Any]]:
    """The columns of the table under their new names, and the extra ones."""
    columns = {names.get(name, name): values for name, values in table.columns.items()}
    for name, values in extra.items():
        columns[name] = to_list(values)
        if len(columns[name]) != len(table):
            raise ValueError(
                f"column {name!r} must have a value for each of the {len(table)} rows of {table.name}; "
                f"got {len(columns[name])}. Pass one a row."
            )
    return columns


def new_names(columns: list[str], extra: list[str]) -> dict[str, str]:
    """old -> new name of the columns whose names are needed.

    >>> new_names(["text", "label", "label_before"], ["label"])
    {'label': 'label_before2'}
    """
    taken = {*columns, *extra}
    names = {}
    for name in extra:
        if name in columns:
            new, number = f"{name}_before", 1
            while new in taken:
                number += 1
                new = f"{name}_before{number}"
            taken.add(new)
            names[name] = new
    return names


def format_of(path: Path) -> tuple[str, bool]:
    """The format that the suffix says, and whether it is gzipped."""
    zipped = path.suffix.lower() == ".gz"
    suffix = (path.with_suffix("") if zipped else path).suffix.lower()
    if suffix not in FORMATS or (zipped and suffix == ".parquet"):
        rule = "the suffix says the format and must be .csv, .tsv, .jsonl or .parquet, the first three also with .gz"
        raise ValueError(f"cannot write {path}: {rule}. Give the file another name.")
    return FORMATS[suffix], zipped


def check_place(path: Path) -> Path:
    """Where a file of this name would be written, unless it is plain beforehand that it cannot be."""
    final = Path(os.path.realpath(path))  # behind a link, the file
    if not final.parent.is_dir():
        raise ValueError(f"cannot write {path}: there is no folder {path.parent}. Make it first.")
    if final.exists() and not final.is_file():
        raise ValueError(f"cannot write {path}: it is a folder or a device. Name a file.")
    if not os.access(final.parent, os.W_OK):
        raise ValueError(f"cannot write {path}: the folder may not be written to. Name another.")
    return final


@contextmanager
def appearing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which becomes `path` when the block ends well."""
    final = check_place(path)
    try:
        with whole(final) as draft, draft.open("wb") as file:
            yield file
    except OSError as error:  # such as a full disk
        raise ValueError(f"cannot write {path}: {error.strerror or error}. Nothing was written.") from None


def write_delimited(columns: dict[str, list[Any]], delimiter: str, write: Callable[[str], Any]) -> None:
    class Out:  # the csv module quotes the characters of its line end, so both are named; rows end in one
        def write(self, row: str) -> None:
            write(row[:-2] + "\n")

    header = csv.writer(Out(), delimiter=delimiter, lineterminator="\r\n")
    if not all(PLAIN.fullmatch(name) for name in columns):  # a reader that guesses the delimiter shall not be misled
        header = csv.writer(Out(), delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    header.writerow(columns)
    rows = csv.writer(Out(), delimiter=delimiter, lineterminator="\r\n")
    rows.writerows([cell(value) for value in row] for row in zip(*columns.values(), strict=True))


def cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return to_json(value) if isinstance(value, bool | list | dict) else str(value)


def write_json_lines(columns: dict[str, list[Any]], write: Callable[[str], Any]) -> None:
    for values in zip(*columns.values(), strict=True):
        write(to_json(dict(zip(columns, values, strict=True))) + "\n")


def to_json(value: Any) -> str:
    """JSON with letters as they are; what JSON has no form for, such as a date, is a string."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return json.dumps(value, default=str) if SURROGATE.search(text) else text


def write_parquet(columns: dict[str, list[Any]], types: dict[str, Any], file: BinaryIO, path: Path) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ValueError(f"{path}: Parquet needs pyarrow: pip install 'labelferry[parquet]'. Or write .csv.") from None
    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = pyarrow.array(values, type=types.get(name))
        except (pyarrow.ArrowException, UnicodeEncodeError) as error:
            what = " ".join(str(error).split())[:120]
            rule = f"column {name!r} has values of several types ({what})"
            raise ValueError(f"cannot write {path}: {rule}. Write .jsonl, which takes any.") from None
    pyarrow.parquet.write_table(pyarrow.table(arrays), file)
