"""JSON: one array of objects, which is read as a whole. A .json file of one object per line is read as JSON lines."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable
from typing import Any

from ..lines import UNDECODED, BadRows, Lines
from ..table import Dialect, Table
from .base import ColumnValues, text_format
from .jsonl import DECODER, add_row, first_character, json_object, json_rows, read_json_lines

MAX_CHARACTERS = 500_000_000  # of a file; it is in memory as a whole
BLANK = re.compile(r"[ \t\r\n]*")


def read_json(lines: Lines, bad: BadRows) -> Table:
    """Read an array of objects, or one object per line."""
    text = lines.read_all(MAX_CHARACTERS + 1)
    if len(text) > MAX_CHARACTERS:
        rule = f"a .json file may have {MAX_CHARACTERS:,} characters and this one has more"
        raise ValueError(f"{lines.name}: {rule}. Write one object per line to a file .jsonl.")
    position = skip_blanks(text, 0)
    if text[position : position + 1] == "[":
        return read_array(text, position + 1, lines, bad)
    check_not_wrapped(text, lines.name)
    lines.file.seek(0)
    return read_json_lines(lines, bad)


def check_not_wrapped(text: str, name: str) -> None:
    """Raise an error if the whole file is one object on several lines, or one that contains the array of documents."""
    value = json_object(text)  # several objects, one per line, are no JSON
    if not isinstance(value, dict):
        return
    arrays = [key for key, inner in value.items() if isinstance(inner, list) and inner and isinstance(inner[0], dict)]
    if arrays or "\n" in text.strip():
        keys = ", ".join(map(repr, list(value)[:4]))
        rule = f"is one JSON object with the keys {keys}; it must be an array of objects, one per document"
        way_out = f"Write only the array {arrays[0]!r}." if arrays else "Write the objects as an array."
        raise ValueError(f"{name} {rule}. {way_out}")


def read_array(text: str, position: int, lines: Lines, bad: BadRows) -> Table:
    """Read the objects of an array from its first character on."""
    columns: dict[str, list[Any]] = {}
    numbers = array("q")
    counted, line = 0, 1
    expected_comma = False
    while True:
        position = skip_blanks(text, position)
        if text[position : position + 1] == "]":
            break
        if expected_comma:
            if text[position : position + 1] != ",":
                raise broken(lines.name, text, position, "Expecting ',' or ']'")
            position = skip_blanks(text, position + 1)
        line += text.count("\n", counted, position)
        counted = position
        row, position = element(text, position, lines)
        if not isinstance(row, dict):
            what = f"JSON that is a {type(row).__name__}, not an object"
            bad.add(line, what, len(numbers), text[counted:position])
        elif position - counted > lines.limit:
            raise lines.too_long_error(line)
        elif UNDECODED.search(text, counted, position) and lines.damaged:
            what = f"bytes that are not {lines.encoding}, as most of the file is"
            bad.add(line, what, len(numbers), text[counted:position])
        else:
            add_row(columns, row, len(numbers))
            numbers.append(line)
        expected_comma = True
    if rest := text[position + 1 :].strip():
        raise broken(lines.name, text, text.rindex(rest), "text after the end of the array")
    return Table(lines.name, columns, numbers)


def element(text: str, position: int, lines: Lines) -> tuple[Any, int]:
    """The value that begins at a position, and the position behind it."""
    try:
        return DECODER.raw_decode(text, position)
    except RecursionError:
        raise broken(lines.name, text, position, "JSON that is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise broken(lines.name, text, error.pos, error.msg) from None
    except ValueError as error:
        raise broken(lines.name, text, position, str(error)) from None


def broken(name: str, text: str, position: int, what: str) -> ValueError:
    """The error for text that is not JSON."""
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    way_out = "Fix it there; the rest of an array cannot be read without it."
    return ValueError(f"{name} line {line}, character {column}: no JSON ({what}). {way_out}")


def skip_blanks(text: str, position: int) -> int:
    """The position of the next character that is not white space."""
    match = BLANK.match(text, position)
    return match.end() if match else position


def write_json(columns: ColumnValues, write: Callable[[str], Any], dialect: Dialect) -> None:
    """Write an array with one object per line."""
    before = "["
    for row in json_rows(columns):
        write(before + dialect.newline + row)
        before = ","
    write(dialect.newline + "]" + dialect.newline if before == "," else "[]" + dialect.newline)


JSON = text_format(
    "JSON", (".json",), read_rows=read_json, write_rows=write_json, matches=lambda start: first_character(start) == b"["
)
