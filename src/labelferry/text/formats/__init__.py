"""File formats of tables, one file per format.

To add a format, write a file with a `Format` and add it to `FORMATS`. Suffixes, detection, messages and help texts are
derived from that list.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from .base import UTF16, Format, InputFile, OutputFile, Parsed
from .delimited import CSV, TSV
from .jsonl import JSON_LINES, first_character
from .parquet import PARQUET

__all__ = [
    "FORMATS",
    "FORMAT_NAMES",
    "OUTPUT_SUFFIXES",
    "Format",
    "InputFile",
    "OutputFile",
    "Parsed",
    "detect_format",
    "format_of",
    "is_table_file",
]

FORMATS: tuple[Format, ...] = (CSV, TSV, JSON_LINES, PARQUET)
DEFAULT = CSV  # for text with an unknown suffix

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
    """The format in which a file of this name is written, and whether it is gzipped.

    Parameters
    ----------
    path : path
        File to be written.

    Returns
    -------
    format : Format
        The format of the suffix.
    zipped : bool
        Whether the name ends with .gz.
    """
    suffix, zipped = split_suffix(path)
    format_ = BY_SUFFIX.get(suffix)
    if format_ is None or (zipped and not format_.is_text):
        rule = f"the suffix selects the format and must be {OUTPUT_SUFFIXES}"
        raise ValueError(f"cannot write {path}: {rule}. Give the file another name.")
    return format_, zipped


def detect_format(start: bytes, name: str) -> Format:
    """The format of an existing file: by its suffix or, if that is unknown, by its first bytes.

    Parameters
    ----------
    start : bytes
        The first bytes of the file, not gzipped.
    name : str
        Path of the file as the user wrote it.

    Returns
    -------
    format : Format
        The format in which to read it.
    """
    suffix, _ = split_suffix(PurePath(name))
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    for format_ in FORMATS:
        if format_.matches(start):
            return format_
    if start.startswith(b"PK\x03\x04"):
        raise ValueError(f"{name} is a workbook or a zip archive. Save it as {FORMAT_NAMES}.")
    if first_character(start) == b"[":
        raise ValueError(f"{name} is one JSON array. Write one object per line, as jq -c '.[]' does, to a file .jsonl.")
    if b"\0" in start and start[:2] not in UTF16:
        raise ValueError(f"{name} is a binary file with the suffix {suffix!r}. Save it as {FORMAT_NAMES}.")
    return DEFAULT


def is_table_file(value: Any) -> bool:
    """Whether this is a string with the suffix of a format that can be read.

    Parameters
    ----------
    value : object
        A text or a path, for example.

    Returns
    -------
    is_file : bool
        True for the name of a table file.

    Examples
    --------
    >>> is_table_file("tickets.csv.gz"), is_table_file("Please open the file tickets.csv.")
    (True, False)
    """
    suffixes = tuple(suffix + zipped for suffix in BY_SUFFIX for zipped in ("", ".gz"))
    return isinstance(value, str) and len(value) < MAX_PATH and "\n" not in value and value.lower().endswith(suffixes)
