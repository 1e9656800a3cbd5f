"""What people write as an answer: a class label, "none of these" or "unclear"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from ..certificate import UNCLEAR_CODE
from ..certificate.sampling import LABEL, NO_CLASS, NONE_OF_THESE, UNCLEAR

MAX_LISTED = 12  # classes in a message
SPECIAL = {
    NONE_OF_THESE: {NONE_OF_THESE, NO_CLASS},
    UNCLEAR: {UNCLEAR, "?"},
}


class Given(NamedTuple):
    """An answer that was read."""

    kind: str  # "label", "none_of_these" or "unclear"
    answer: str | None  # the class label

    @property
    def value(self) -> str:
        """The class label, or the kind of an answer that is no class label."""
        return self.kind if self.answer is None else self.answer

    def code(self, classes: Sequence[str]) -> int:
        """Position among the classes; K for none of these, -1 for unclear."""
        return code_of(self.kind, self.answer, classes)


def code_of(kind: str, answer: str | None, classes: Sequence[str]) -> int:
    """Position of an answer among the classes; K for none of these, -1 for unclear.

    >>> code_of("none_of_these", None, ["billing", "technical"])
    2
    """
    if answer is not None:
        return classes.index(answer)
    return len(classes) if kind == NONE_OF_THESE else UNCLEAR_CODE


def read_answer(value: Any, classes: Sequence[str], where: str) -> Given | None:
    """Read a cell.

    Parameters
    ----------
    value : object
        Content of the cell. A class label counts first, so that a class may be called "unclear".
    classes : sequence of str
        The class labels.
    where : str
        Place of the cell, for messages.

    Returns
    -------
    given : Given or None
        The answer; None if the cell is empty.

    Examples
    --------
    >>> read_answer(" Billing", ["billing", "technical"], "row 1")
    Given(kind='label', answer='billing')
    >>> read_answer("?", ["billing", "technical"], "row 1")
    Given(kind='unclear', answer=None)
    """
    text = as_text(value)
    if not text:
        return None
    label = class_named(text, classes)
    if label is not None:
        return Given(LABEL, label)
    for kind, words in SPECIAL.items():
        if text.casefold() in words:
            return Given(kind, None)
    near = get_close_matches(text, classes, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(
        f"{where}: {text[:60]!r} is no class; the classes are {listed(classes)}.{hint} Write a class, {NONE_OF_THESE} "
        f"or {UNCLEAR}."
    )


def class_named(text: str, classes: Sequence[str]) -> str | None:
    """The class of this name: the same text, in upper or lower case, or the same number; None if there is none.

    >>> class_named("1", ["0.0", "1.0"])
    '1.0'
    """
    if text in classes:
        return text
    folded = [name for name in classes if name.strip().casefold() == text.casefold()]
    equal = folded or [
        name for name in classes if (number := as_number(name)) is not None and number == as_number(text)
    ]
    return equal[0] if len(equal) == 1 else None


def as_number(text: str) -> float | None:
    """A text as a number; None if it is none."""
    try:
        return float(text)
    except ValueError:
        return None


def as_text(value: Any) -> str:
    """A value as the text of a cell: empty if missing; 1.0, as a spreadsheet may write it, is 1."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def position_of(value: Any, positions: Mapping[int, int], where: str) -> int:
    """Position of a document by its row number in the user's file."""
    text, most = as_text(value), max(positions)
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise ValueError(f"{where}: row must be a number from 1 to {most}; got {text[:40]!r}. Restore it.")
    if int(text) not in positions:
        raise ValueError(f"{where}: row {text} has no predicted label. Restore the column row.")
    return positions[int(text)]


def listed(classes: Sequence[str]) -> str:
    """Names of classes for a message."""
    more = f" and {len(classes) - MAX_LISTED} more" if len(classes) > MAX_LISTED else ""
    return ", ".join(classes[:MAX_LISTED]) + more
