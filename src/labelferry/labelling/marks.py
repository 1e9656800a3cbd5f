"""The mark of labelferry: one short cell per row that says what the label of the row is.

A name is no mark: people have columns `answer` or `predicted_label` of their own. The mark is in the column
`labelferry` of every file with labels that labelferry writes. It is a letter and eight hexadecimal digits, such as
`p3f9a1c07`:

    p  the label was predicted
    a  it was predicted, and the labels learned from an answer about the row
    g  it was given: by the user's file, or as an answer to a row without a predicted label
    n  there is no label

and four digits of the run, four of the label. A mark in each row survives sorting, filtering, further columns, other
programs and joined files. If somebody changes the label, its digits do not fit any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

from ..tables.cells import as_number, as_text

MARK = "labelferry"  # name of the column
DIGITS = 4
FORM = re.compile(rf"([pagn])([0-9a-f]{{{DIGITS}}})([0-9a-f]{{{DIGITS}}})")


class Kind(StrEnum):
    """What the label of a row is."""

    PREDICTED = "p"
    ANSWERED = "a"
    GIVEN = "g"
    NO_LABEL = "n"


class Mark(NamedTuple):
    """A mark that was read."""

    kind: str
    run: str
    digits: str

    @property
    def predicted(self) -> bool:
        """Whether the label was predicted, so that it is one of those to be certified."""
        return self.kind in (Kind.PREDICTED, Kind.ANSWERED)

    def fits(self, label: Any) -> bool:
        """Whether this is the label that was written."""
        return self.digits == digits_of(self.kind, self.run, label_key(label))


def label_key(label: Any) -> str:
    """A label as a text that is the same however a program writes numbers and truth values.

    >>> [label_key(value) for value in (" billing", 1, "1.0", "007", True, "TRUE", None)]
    ['billing', '1.0', '1.0', '7.0', 'true', 'true', '']
    """
    text = as_text(label)
    number = as_number(text)
    if number is not None:
        return repr(number)
    return text.lower() if text.lower() in ("true", "false") else text


def digits_of(*parts: str, n: int = DIGITS) -> str:
    """The first digits of a hash."""
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:n]


def mark_rows(kinds: Sequence[str], labels: Sequence[Any]) -> list[str]:
    """One mark per row; the same labels always get the same marks.

    >>> mark_rows(["p", "p", "n"], ["billing", "account", None])
    ['p83ce4378', 'p83cedd36', 'n83ce84f8']
    """
    keys: dict[tuple[type, Any], str] = {}
    for label in labels:
        pair = (type(label), label)
        if pair not in keys:
            keys[pair] = label_key(label)
    rows = [(kind, keys[type(label), label]) for kind, label in zip(kinds, labels, strict=True)]
    run = digits_of(*(text for row in rows for text in row))
    marks = {(kind, key): f"{kind}{run}{digits_of(kind, run, key)}" for kind, key in set(rows)}
    return [marks[row] for row in rows]


def read_marks(cells: Iterable[Any]) -> list[Mark | None]:
    """The marks of a column; None for a cell that has none.

    >>> read_marks(["p3f9a1c07", "", "yes"])
    [Mark(kind='p', run='3f9a', digits='1c07'), None, None]
    """
    known: dict[str, Mark | None] = {}
    for text in (texts := [as_text(cell) for cell in cells]):
        if text not in known:
            match = FORM.fullmatch(text)
            known[text] = Mark(*match.groups()) if match else None
    return [known[text] for text in texts]
