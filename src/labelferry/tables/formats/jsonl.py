"""JSON lines: one object per line. The keys are the columns, in the order in which they first appear."""

from __future__ import annotations

import json
import math
import re
from array import array
from collections.abc import Callable, Iterator
from typing import Any

from ..lines import BadRows, Lines
from ..sequences import ROWS, GrowingColumns
from ..table import Dialect, Table
from .base import ColumnValues, text_format

SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which JSON can escape and UTF-8 cannot encode
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_json_lines(lines: Lines, bad: BadRows) -> Table:
    """Read one object per line; a key that an object does not have is None."""
    growing = GrowingColumns()
    numbers = array("q")
    for line, text in enumerate(lines, 1):
        if text.isspace():
            continue
        row = (lines.problems and lines.problem(line)) or json_object(text)
        if isinstance(row, str):
            bad.add(line, row, len(numbers), text)
            continue
        add_row(growing.rows, row, len(numbers) - growing.n_stored)
        numbers.append(line)
        if not len(numbers) % ROWS:
            growing.put_away()
    return Table(lines.name, growing.finish(), numbers)


def add_row(columns: dict[str, list[Any]], row: dict[str, Any], n_rows: int) -> None:
    """Append an object to columns of `n_rows` values; new keys become new columns."""
    for name in row:
        if name not in columns:
            columns[name] = [None] * n_rows
    for name, column in columns.items():
        column.append(row.get(name))


def json_object(text: str) -> dict[str, Any] | str:
    """The object or, as a string, what is wrong."""
    try:
        value = DECODER.decode(text.rstrip())
    except RecursionError:
        return "JSON that is nested too deeply"
    except json.JSONDecodeError as error:
        return f"no JSON object ({error.msg} at character {error.colno})"
    except ValueError as error:
        return f"no JSON object ({error})"
    return value if isinstance(value, dict) else f"JSON that is a {type(value).__name__}, not an object"


def without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs as a dict; an error if a key occurs twice."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key occurs twice")
    return value


def exact_number(text: str) -> float | str:
    """A number of JSON; as a text if it is too large for a float, such as 1e400."""
    number = float(text)
    return number if math.isfinite(number) else text


def constant(text: str) -> str | None:
    """NaN, Infinity and -Infinity, which are no JSON but are written by some programs: NaN is a missing value."""
    return None if text == "NaN" else text


DECODER = json.JSONDecoder(object_pairs_hook=without_repeated_keys, parse_float=exact_number, parse_constant=constant)


def write_json_lines(columns: ColumnValues, write: Callable[[str], Any], dialect: Dialect) -> None:
    """Write one object per row."""
    for row in json_rows(columns):
        write(row + dialect.newline)


def json_rows(columns: ColumnValues) -> Iterator[str]:
    """Each row as a JSON object."""
    for values in zip(*columns.values(), strict=True):
        yield to_json(dict(zip(columns, values, strict=True)))


def to_json(value: Any) -> str:
    """JSON in which letters are not escaped. A value that JSON has no form for, such as a date, becomes a string.

    >>> to_json([1.5, float("nan"), float("inf")])
    '[1.5, null, "Infinity"]'
    """
    try:
        text = json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:  # NaN or infinity
        return to_json(finite(value))
    return json.dumps(value, default=str) if SURROGATE.search(text) else text


def finite(value: Any) -> Any:
    """The value with None for NaN and a text for infinity, which JSON has no form for."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    return [finite(inner) for inner in value] if isinstance(value, list | tuple) else value


def first_character(start: bytes) -> bytes:
    """The first byte that is neither white space nor part of a byte order mark."""
    return start.removeprefix(BYTE_ORDER_MARK).lstrip()[:1]


JSON_LINES = text_format(
    "JSON lines",
    (".jsonl", ".ndjson"),
    read_rows=read_json_lines,
    write_rows=write_json_lines,
    matches=lambda start: first_character(start) == b"{",
)
