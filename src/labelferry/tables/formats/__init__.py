"""File formats of tables, one file per format.

To add a format, write a file with a `Format` and add it to `FORMATS`. Suffixes, detection, messages and help texts are
derived from that list.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from .base import Format
from .delimited import CSV, TSV
from .encodings import MARKS, without_mark
from .excel import EXCEL
from .json_array import JSON
from .jsonl import JSON_LINES
from .parquet import PARQUET

FORMATS: tuple[Format, ...] = (CSV, TSV, EXCEL, JSON, JSON_LINES, PARQUET)
DEFAULT = CSV  # for text with an unknown suffix, and for standard output
STANDARD = "-"  # standard input or output

BY_SUFFIX = {suffix: format_ for format_ in FORMATS for suffix in format_.suffixes}
MAX_PATH = 4096  # characters; a longer string is a text


def join_names(names: Iterable[str], word: str = "or") -> str:
    """Names as a phrase.

    >>> join_names(["a", "b", "c"])
    'a, b or c'
    """
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last


FORMAT_NAMES = join_names(format_.name for format_ in FORMATS)
OUTPUT_SUFFIXES = (
    f"{join_names(format_.suffixes[0] for format_ in FORMATS)}; "
    f"{join_names((format_.suffixes[0] for format_ in FORMATS if format_.is_text), 'and')} also with .gz"
)


def split_suffix(path: PurePath) -> tuple[str, bool]:
    """The suffix in lower case without .gz, and whether there is a .gz.

    >>> split_suffix(PurePath("tickets.CSV.gz"))
    ('.csv', True)
    """
    zipped = path.suffix.lower() == ".gz"
    return (path.with_suffix("") if zipped else path).suffix.lower(), zipped


def format_of(path: PurePath) -> tuple[Format, bool]:
    """The format in which a file of this name is written, and whether it is gzipped; CSV for standard output."""
    if str(path) == STANDARD:
        return DEFAULT, False
    suffix, zipped = split_suffix(path)
    format_ = BY_SUFFIX.get(suffix)
    if format_ is None or (zipped and not format_.is_text):
        rule = f"the suffix selects the format and must be {OUTPUT_SUFFIXES}"
        raise ValueError(f"cannot write {path}: {rule}. Give the file another name.")
    return format_, zipped


def detect_format(start: bytes, name: str) -> Format:
    """The format of an existing file: by its suffix or, if that is unknown, by its first bytes (not gzipped)."""
    suffix, _ = split_suffix(PurePath(name))
    by_suffix = BY_SUFFIX.get(suffix)
    by_content = [format_ for format_ in FORMATS if format_.matches(start)]
    binary = [format_ for format_ in by_content if not format_.is_text]
    if by_suffix is not None:
        return binary[0] if binary and by_suffix.is_text else by_suffix
    if by_content:
        return by_content[0]
    if b"\0" in start and not any(start.startswith(mark) for mark, _ in MARKS) and without_mark(start) is None:
        raise ValueError(f"{name} is a binary file with the suffix {suffix!r}. Save it as {FORMAT_NAMES}.")
    return DEFAULT


def split_sheet(name: str) -> tuple[str, str | None]:
    """The file and the sheet of a path such as tickets.xlsx#May; a file whose name has # has no sheet.

    >>> split_sheet("tickets.xlsx#May"), split_sheet("tickets#1.csv")
    (('tickets.xlsx', 'May'), ('tickets#1.csv', None))
    """
    file, mark, sheet = name.rpartition("#")
    if mark and sheet and file.lower().endswith(EXCEL.suffixes):
        return file, sheet
    return name, None


def is_table_file(value: Any) -> bool:
    """Whether this is a string with the suffix of a format that can be read, or "-" for standard input.

    >>> is_table_file("tickets.csv.gz"), is_table_file("Please open the file tickets.csv.")
    (True, False)
    """
    suffixes = tuple(suffix + zipped for suffix in BY_SUFFIX for zipped in ("", ".gz"))
    if not isinstance(value, str) or len(value) >= MAX_PATH or "\n" in value:
        return False
    return value == STANDARD or split_sheet(value)[0].lower().endswith(suffixes)
