"""A labelled file after answers: its columns with the labels that may be used, and the rows that have one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from ...certificate.sampling import NONE_OF_THESE
from ...labelling.column_names import ACCEPTED, PREDICTED_LABEL
from ...labelling.marks import MARK, Kind, mark_rows, read_marks
from ...tables import Table, take_rows
from ...tables.cells import as_text
from ...tables.spreadsheet import read_protected, write_labelled
from .population import certified_columns
from .usable import ANSWER, YES, Usable

ANSWERS = "answer"  # name of the column


def accepted_columns(columns: Mapping[str, Sequence[Any]], usable: Usable) -> dict[str, list[Any]]:
    """The columns of a labelled file with the column accepted.

    `label` is the answer of people if there is one, as in the file of a job; the predicted label is beside it, and the
    marks are those of the predicted labels. Labels that were accepted before the labels learned again are as they were.
    """
    marks, usable_labels = usable.column(), usable.labels
    frozen = usable.frozen
    certified = frozen.rows.widen([frozen.values[code] for code in frozen.labels.tolist()])
    names = [*frozen.classes, NONE_OF_THESE, None]
    said = frozen.rows.widen([names[usable.decided.get(place, -1)] for place in range(len(frozen.labels))])
    for row, code in usable.given.others.items():
        said[row] = names[code]
    before = {name: list(values) for name, values in columns.items()}
    n = len(marks)
    old_answers = before.get(ANSWERS, [None] * n)
    if MARK in before:  # answers to documents without a predicted label, which the file has already
        given = [mark is not None and mark.kind == Kind.GIVEN for mark in read_marks(before[MARK])]
        marks = [m or (ANSWER if g and as_text(a) else "") for m, g, a in zip(marks, given, old_answers, strict=True)]
    new = {
        **before,
        "label": [
            after if mark == YES or answer is not None else label
            for mark, answer, after, label in zip(marks, said, usable_labels, before["label"], strict=True)
        ],
        ACCEPTED: marks,
    }
    if any(answer is not None for answer in said):
        predicted = before.get(PREDICTED_LABEL, before["label"])
        new[PREDICTED_LABEL] = [
            label if label is not None else old for label, old in zip(certified, predicted, strict=True)
        ]
        new[ANSWERS] = [answer or as_text(old) for answer, old in zip(said, old_answers, strict=True)]
    if MARK in before:
        kinds = [Kind.NO_LABEL if mark is None else mark.kind for mark in read_marks(before[MARK])]
        new[MARK] = mark_rows(kinds, [a if a is not None else b for a, b in zip(certified, new["label"], strict=True)])
    return new


def write_usable(
    path: str | PathLike[str],
    usable: Usable,
    out: str | PathLike[str],
    *,
    encoding: str | None = None,
    ours: bool = True,
) -> int:
    """Write the rows of a labelled file that can be used, accepted or answered; returns their number.

    If the labels are not `ours`, they stay in their column, and `label` and `accepted` are new columns.
    """
    table = read_protected(path, encoding=encoding)
    if ours:
        columns = accepted_columns({name: table.columns[name] for name in certified_columns(table)[1]}, usable)
    else:
        columns = {"label": usable.labels, ACCEPTED: usable.column()}
    rows = [row for row, mark in enumerate(columns[ACCEPTED]) if mark]
    if not rows:
        raise ValueError(f"{table.name}: no label can be used yet, and nothing was answered. Answer a sample first.")
    own = {name: values for name, values in table.columns.items() if not ours or name not in columns}
    kept: Table = take_rows(replace(table, columns=own), rows)
    new = {name: [values[row] for row in rows] for name, values in columns.items()}
    write_labelled(kept, new, out, reserved=() if ours else new)
    return len(rows)
