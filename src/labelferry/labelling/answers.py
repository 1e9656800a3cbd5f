"""Answers: what people said about documents, checked and put into the domains.

An answer is a class label, "none of these" (the document has a class that the source lacks) or "unclear".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from ..certificate import UNCLEAR_CODE
from ..certificate.sampling import LABEL, NO_CLASS, NONE_OF_THESE, UNCLEAR
from ..core.domains import Domains
from ..core.labels import UNKNOWN
from ..inputs.inputs import Inputs
from ..linalg.matrix import Array
from ..tables.cells import as_number, as_text
from ..tables.labels import strip_label
from ..tables.names import listed
from ..tables.row_index import RowIndex

MAX_NAMED = 5  # unknown labels in a message
SPECIAL = {NONE_OF_THESE: {NONE_OF_THESE, NO_CLASS}, UNCLEAR: {UNCLEAR, "?"}}


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

    `value`: content of the cell. A class label counts first, so that a class may be called "unclear".

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
    folded = [name for name in classes if strip_label(name).casefold() == strip_label(text).casefold()]
    equal = folded or [
        name for name in classes if (number := as_number(name)) is not None and number == as_number(text)
    ]
    return equal[0] if len(equal) == 1 else None


class AnsweredRows(NamedTuple):
    """Checked answers."""

    rows: Array  # of the target, increasing
    codes: Array  # of the classes; the number of classes for none of these, -1 for unclear

    def named(self, n_classes: int) -> Array:
        """True for the answers that name a class."""
        return np.asarray((self.codes >= 0) & (self.codes < n_classes))


def read_answers(answers: Any, classes: Array, n_documents: int) -> AnsweredRows:
    """Check answers."""
    # `answers`: row of the target (from 0) to answer, or one entry per target row; None, NaN and "" mean no answer.
    if isinstance(answers, Mapping):
        pairs = list(answers.items())
    else:
        values = list(answers)
        if len(values) != n_documents:
            raise ValueError(
                f"answers must have one entry per target row, {n_documents}; got {len(values)}. Pass a mapping of row "
                "to answer for some rows."
            )
        pairs = list(enumerate(values))
    names = [str(label) for label in classes.tolist()]
    by_row: dict[int, Given] = {}
    for row, value in pairs:
        given = read_answer(value, names, f"the answer to row {row}")
        if given is None:
            continue
        if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < n_documents:
            raise ValueError(f"the rows of answers must be integers from 0 to {n_documents - 1}; got {row!r}.")
        by_row[int(row)] = given
    rows = sorted(by_row)
    return AnsweredRows(
        np.array(rows, dtype=np.intp), np.array([by_row[row].code(names) for row in rows], dtype=np.intp)
    )


def with_answers(domains: Domains, answers: AnsweredRows) -> Domains:
    """The domains with the answers that name a class as labels of the target."""
    named = answers.named(domains.n_classes)
    rows, codes = domains.target_rows[answers.rows[named]], answers.codes[named]

    def labelled(target: Any) -> Any:
        inside = np.isin(rows, target.rows)
        known = np.full_like(target.codes, UNKNOWN)
        known[np.searchsorted(target.rows, rows[inside])] = codes[inside]
        return replace(target, codes=known)

    return replace(domains, domains=tuple(labelled(d) if d.is_target else d for d in domains))


def join_answers(first: AnsweredRows, second: AnsweredRows) -> AnsweredRows:
    """Answers to different rows as one value."""
    rows, codes = np.concatenate([first.rows, second.rows]), np.concatenate([first.codes, second.codes])
    order = np.argsort(rows)
    return AnsweredRows(rows[order], codes[order])


def of_documents(answers: AnsweredRows, documents: RowIndex) -> AnsweredRows:
    """Answers to rows of the target as answers to documents, without those to rows that are none."""
    inside = documents.contains(answers.rows)
    return AnsweredRows(documents.positions(answers.rows[inside]), answers.codes[inside])


def answers_of_target(inputs: Inputs, classes: Sequence[Any]) -> tuple[dict[int, str], list[str]]:
    """Answers from the labels of the target, and messages."""
    # Returns row of the target to class. A label that is no class is not used, except "none of these" and "unclear".
    names = [str(name) for name in classes]
    answers: dict[int, str] = {}
    unknown: Counter[str] = Counter()
    special = {NONE_OF_THESE, NO_CLASS, UNCLEAR}
    for row, label in inputs.own_labels.items():
        name = class_named(as_text(label), names)
        if name is None and as_text(label).casefold() in special:
            name = as_text(label).casefold()
        if name is None:
            unknown[as_text(label)] += 1
        else:
            answers[row] = name
    column, target = inputs.columns.label_target, inputs.all_rows.name
    if column is None or not inputs.own_labels:
        where = f"in column {column!r}" if column is not None else "of its own: name them with label_target="
        return {}, [f"no labels are used as answers: {target} has none {where}"]
    messages = [f"{len(answers)} labels of {target} in column {column!r} are used as answers"]
    if unknown:
        shown = ", ".join(f"{label!r} ({n})" for label, n in unknown.most_common(MAX_NAMED))
        more = f" and {len(unknown) - MAX_NAMED} more" if len(unknown) > MAX_NAMED else ""
        messages.append(
            f"{sum(unknown.values())} labels of {target} are no class of the source and are not used: {shown}{more}. "
            f"The classes are {listed(names)}; write {NO_CLASS!r} if none of them is correct"
        )
    return answers, messages
