"""How a table has several labels per document: one cell is read, and written back in the same form."""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, NamedTuple

from ..tables.cells import as_number, as_text
from ..tables.labels import is_missing, strip_label
from ..tables.names import listed

SEPARATORS = (";", "|", ",")
NO_LABEL, EMPTY = "none", frozenset(("none", "none_of_these", "none of these", "[]"))  # a cell: no label applies
UNCLEAR = frozenset(("unclear", "?"))
TEXTS, LISTS, COLUMNS = "texts", "lists", "columns"

Labels = frozenset[str]  # of a document


class Form(NamedTuple):
    """How a table has several labels, so that others are written in the same way."""

    kind: str  # TEXTS with a separator, LISTS, or COLUMNS
    names: tuple[str, ...]  # all labels, sorted
    separator: str = ""  # as it is written, with its blank; empty: a text is a list in JSON
    as_python: bool = False  # whether a text is a list as Python writes it
    values: Mapping[str, Any] = MappingProxyType({})  # of LISTS: the labels as they are there, such as numbers
    cells: tuple[Any, Any] = (0, 1)  # of COLUMNS: no and yes
    spellings: Mapping[str, str] = MappingProxyType({})  # other spellings of a name that are merged

    def plain(self) -> dict[str, Any]:
        """The form as values that JSON can contain; `Form.of_plain` reads them."""
        return {**self._asdict(), "values": dict(self.values), "spellings": dict(self.spellings)}

    @classmethod
    def of_plain(cls, values: Mapping[str, Any]) -> Form:
        """The form of plain values; ValueError if they are none."""
        try:
            form = cls(**{**values, "names": tuple(values["names"]), "cells": tuple(values["cells"])})
            _no, _yes = form.cells
            same = form.read(form.text(form.names)) == frozenset(form.names) and form.values.keys() <= set(form.names)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"this is no form of several labels ({type(error).__name__})") from None
        if not same or form.spellings.keys() & set(form.names):
            raise ValueError("this is no form of several labels: its labels cannot be read back")
        return form

    def text(self, labels: Collection[str]) -> str:
        """The labels of a document as one text; equal sets have equal texts.

        >>> Form(TEXTS, ("bug", "ui"), "; ").text({"ui", "bug"})
        'bug; ui'
        """
        ordered = [name for name in self.names if name in labels]
        if self.separator:
            return self.separator.join(ordered) or NO_LABEL
        return repr(ordered) if self.as_python else json.dumps(ordered, ensure_ascii=False)

    def cell(self, labels: Collection[str]) -> Any:
        """The labels of a document as the cell of a table: a list if they came as lists, else their text."""
        if self.kind == LISTS and self.values:
            return [self.values[name] for name in self.names if name in labels]
        return self.text(labels)

    def columns(self, rows: Sequence[Collection[str] | None]) -> dict[str, list[Any]]:
        """One column per label if they came so, else nothing; None for rows without labels."""
        if self.kind != COLUMNS:
            return {}
        return {name: [None if row is None else self.cells[name in row] for row in rows] for name in self.names}

    def read(self, value: Any) -> Labels | None:
        """The labels of a cell; None if it is empty."""
        parts = parts_of(value, self)
        return None if parts is None else frozenset(self.spellings.get(part, part) for part in parts)

    def read_answer(self, value: Any, where: str) -> Labels | None:
        """The labels of a cell that a person filled in; None if it is empty. A name that is no label is an error."""
        found = self.read(value)
        if found is None:
            return None
        folded = {name.casefold(): name for name in self.names}
        if not found <= folded.keys() | set(self.names) and isinstance(value, str):  # another separator
            pieces = [[strip_label(part) for part in value.split(s) if part.strip()] for s in SEPARATORS]
            found = next((frozenset(p) for p in pieces if all(part.casefold() in folded for part in p)), found)
        for name in found:
            if name.casefold() not in folded:
                near = get_close_matches(name, self.names, n=1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise ValueError(
                    f"{where}: {name[:60]!r} is no label; the labels are {listed(self.names)}.{hint} Write them as in "
                    f"{self.text(self.names[:2])!r}, {NO_LABEL} if none applies, or unclear."
                )
        return frozenset(name if name in self.names else folded[name.casefold()] for name in found)


class SetTexts(Collection[str]):
    """All sets of labels as texts, each in one way: `in` says whether a text is such a set.

    >>> texts = SetTexts(Form(TEXTS, ("bug", "ui"), ";"))
    >>> "bug;ui" in texts, "ui;bug" in texts, "none" in texts
    (True, False, True)
    """

    def __init__(self, form: Form) -> None:
        self.form = form

    def __contains__(self, text: object) -> bool:
        labels = self.form.read(text) if isinstance(text, str) else None
        return labels is not None and labels <= set(self.form.names) and self.form.text(labels) == text

    def __iter__(self) -> Iterator[str]:
        """The sets of one label, for messages."""
        return (self.form.text([name]) for name in self.form.names)

    def __len__(self) -> int:
        return len(self.form.names)


def written_form(cells: Sequence[Any], names: tuple[str, ...]) -> Form:
    """The form of cells whose labels are known."""
    lists = [cell for cell in cells if is_list(cell)]
    if lists:
        values = {strip_label(as_text(item)): item for cell in lists for item in cell}
        return Form(LISTS, names, values={name: values.get(name, name) for name in names})
    texts = [as_text(cell) for cell in cells if not is_missing(cell)]
    if any(list_in(text, True) is not None or list_in(text, False) is not None for text in texts):
        return Form(LISTS, names, as_python=any("'" in text and list_in(text, False) is None for text in texts))
    for separator in SEPARATORS:
        form = Form(TEXTS, names, separator)
        parts = [parts_of(text, form) or [] for text in texts]
        if any(len(row) > 1 for row in parts) and all(part in names for row in parts for part in row):
            return form._replace(
                separator=f"{separator} " if any(f"{separator} " in text for text in texts) else separator
            )
    return Form(TEXTS, names, SEPARATORS[0])


def is_list(cell: Any) -> bool:
    """Whether a cell is a list, a set or an array of labels."""
    return hasattr(cell, "__len__") and hasattr(cell, "__iter__") and not isinstance(cell, str | bytes | Mapping)


def list_in(text: str, as_python: bool) -> list[Any] | None:
    """The list that a text is; None if it is none."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        found = ast.literal_eval(text) if as_python else json.loads(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    plain = isinstance(found, list) and all(isinstance(item, str | int | float) for item in found)
    return found if plain else None


def parts_of(value: Any, form: Form) -> list[str] | None:
    """The names in a cell, without blanks around them; None if the cell is empty."""
    if is_list(value):
        return [strip_label(as_text(item)) for item in value if not is_missing(item)]
    if is_missing(value):
        return None
    text = as_text(value)
    if text.casefold() in EMPTY:
        return []
    found = list_in(text, False) if not form.separator else None
    found = list_in(text, True) if found is None and not form.separator else found
    if found is not None:
        return [strip_label(as_text(item)) for item in found if not is_missing(item)]
    if not form.separator:
        return [strip_label(text)]
    return [part for piece in text.split(form.separator.strip()) if (part := strip_label(piece))]


def in_order(names: Collection[str]) -> tuple[str, ...]:
    """Names in alphabetical order; numbers by their size.

    >>> in_order({"b", "a"}), in_order({"10", "9"})
    (('a', 'b'), ('9', '10'))
    """
    numbers = {name: as_number(name) for name in names}
    return tuple(sorted(names) if None in numbers.values() else sorted(names, key=float))
