"""The header of a table: names of columns, each once, and not the first document of a file that has no header."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..cells import as_number

NO_HEADER = "Write a header above it, such as text,label."
USUAL = {"text", "label", "id", "body", "subject", "category", "class", "message", "title", "date"}
SENTENCE = re.compile(r"\S+(?:\s+\S+){4,}[.!]\s*")  # five words or more; questions are names of columns in surveys
WORDS = re.compile(r"\S+(?:\s+\S+){4,}(?<![?:])\s*")  # the same with any end; a name in a file of several columns
LETTERS, DIGITS = re.compile(r"[^\W\d]+(?:\.[^\W\d]+)*"), re.compile(r"\d+")
SAME_SHAPE = 0.9  # share of the values
LONG = 120  # characters of a name
COMPARED = 1000  # rows


def check_header(names: Sequence[str], file_name: str, line: int) -> None:
    """Raise an error if all names are numbers, or if two columns have the same name."""
    if names and all(as_number(name) is not None for name in names):
        raise ValueError(
            f"{file_name} line {line} has numbers where the names of columns should be: {str(list(names))[:60]}. "
            f"{NO_HEADER}"
        )
    check_column_names(names, file_name)


def check_column_names(names: Sequence[str], file_name: str) -> None:
    """Raise an error if two columns have the same name."""
    if len(set(names)) < len(names):
        repeated = next(name for position, name in enumerate(names) if name in names[:position])
        shown = repeated if len(repeated) <= 60 else repeated[:57] + "..."
        way_out = "Give each a name of its own; if the file has no header, write one above it, such as text,label."
        raise ValueError(f"{file_name}, the header: two columns are called {shown!r}. {way_out}")


def looks_like_data(columns: Mapping[str, Sequence[Any]]) -> bool:
    """Whether the header of a table is probably its first document.

    Returns true if no name is usual, and one is a sentence, a number, very long, occurs twice in its own column, or
    has the shape of its values, such as T-1001 or 2024-05-01; or if there is one name, with five words or more.

    >>> looks_like_data({"The door is red again.": ["The house is green."], "yes": ["no"]})
    True
    >>> looks_like_data({"text": ["The house is green."], "label": ["no"]})
    False
    """
    if any(name.strip().lower() in USUAL for name in columns):
        return False
    sentence = WORDS if len(columns) == 1 else SENTENCE
    return any(
        len(name) > LONG
        or sentence.fullmatch(name) is not None
        or as_number(name) is not None
        or sum(value == name for value in values[:COMPARED]) >= 2
        or has_their_shape(name, values[:COMPARED])
        for name, values in columns.items()
    )


def has_their_shape(name: str, values: Sequence[Any]) -> bool:
    """Whether a name with two digits or an at sign has the shape of the values: T-1001 and T-2, but not q1 and q2."""
    if not re.search(r"\d\d|@", name):
        return False
    shapes = [shape(value) for value in values if isinstance(value, str) and value.strip()]
    return len(shapes) >= 2 and shapes.count(shape(name)) >= SAME_SHAPE * len(shapes)


def shape(cell: str) -> str:
    """A text with "0" for each number; in an address, with "a" for each word.

    >>> shape(" T-1001 "), shape("2024-05-01"), shape("eve.x@example.org")
    ('t-0', '0-0-0', 'a@a')
    """
    text = cell.strip().lower()
    return DIGITS.sub("0", LETTERS.sub("a", text) if "@" in text else text)


def header_messages(columns: Mapping[str, Sequence[Any]], file_name: str) -> tuple[str, ...]:
    """A message if the file has probably no header."""
    if not looks_like_data(columns):
        return ()
    first = ", ".join(repr(name if len(name) <= 40 else name[:37] + "...") for name in list(columns)[:4])
    return (f"{file_name}: the first row looks like a document, not like names of columns ({first}). {NO_HEADER}",)
