"""Labels to be certified: of a labelled file, or of a result of `label`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ...certificate import UNCLEAR_CODE, Answers
from ...certificate.sampling import NONE_OF_THESE, no_answers
from ...inputs.rows import REASONS
from ...labelling.columns import GIVEN, NEW_COLUMNS, PREDICTED, PREDICTED_LABEL
from ...labelling.held_out import HELD_OUT
from ...labelling.labelling import Labelling
from ...linalg.matrix import Array
from ...tables import Dialect, Table, choose_text, join_texts, joined_name, take_rows
from ...tables.cells import as_text
from ...tables.row_index import RowIndex
from ...tables.sequences import picked
from ...tables.spreadsheet import read_protected

ORIGINS = ("", GIVEN, PREDICTED)


class Population(NamedTuple):
    """All documents with their labels."""

    name: str
    texts: Sequence[str]
    rows: RowIndex  # their rows in the user's file
    labels: Array  # class codes
    source_only: Array | None  # class codes; None if unknown
    needs_review: Array
    confidence: Array | None  # None if it has learned from answers
    classes: list[str]
    known: Answers  # answers that the labels learned from
    text: str = "text"  # name of the column of the texts
    own: Mapping[str, Sequence[Any]] = MappingProxyType({})  # the user's other columns
    messages: Sequence[str] = ()  # about the columns that were detected
    dialect: Dialect | None = None  # how the file was written

    @property
    def encoding(self) -> str | None:
        """Encoding of the file if it is not Unicode: a sample of it is written and read in the same one."""
        return None if self.dialect is None else self.dialect.other_encoding


def population_of_file(
    path: str | PathLike[str],
    *,
    text: str | Sequence[str] | None = None,
    classes: Sequence[str] = (),
    encoding: str | None = None,
) -> Population:
    """The population of a file that `labelferry label` wrote. Rows that could not be labelled are not part of it.

    `text` names the text column, or several that are joined; it is detected if not given. `classes` are classes beside
    those that occur in the file.
    """
    everything = read_protected(path, encoding=encoding)
    if "label" not in everything.columns:
        raise ValueError(f"{everything.name} has no column 'label'. Pass a file that `labelferry label` wrote.")
    predicted = predicted_rows(everything)
    if not len(predicted):
        raise ValueError(f"{everything.name} has no predicted label. Pass a file that `labelferry label` wrote.")
    table = take_rows(everything, predicted.rows.tolist())
    messages: list[str] = []
    columns = choose_text(table, text, NEW_COLUMNS, messages)
    texts = [as_text(value) for value in join_texts(table, columns)]
    labels = [
        as_text(value) for value in table.columns[PREDICTED_LABEL if PREDICTED_LABEL in table.columns else "label"]
    ]
    names = {*labels, *classes}
    for other in ("alternative", "source_only"):
        names |= {as_text(value) for value in table.columns.get(other, ())}
    known = sorted(names - {""})
    answers = known_answers(table, known)
    empty = [row for row, label in enumerate(labels) if not label and row not in answers.rows]
    if empty:
        raise ValueError(
            f"{table.name}, line {table.lines[empty[0]]}: no label. Certify a file in which every row has one."
        )
    source_only = None
    if "source_only" in table.columns:
        source_only = np.array([known.index(as_text(value)) for value in table.columns["source_only"]])
    return Population(
        table.name,
        texts,
        predicted,
        np.array([known.index(label) if label else 0 for label in labels]),  # without a label: none of these
        source_only,
        np.array(
            [as_text(v).lower() in ("true", "1") for v in table.columns.get("needs_review", [False] * len(table))]
        ),
        None if any(table.columns.get(HELD_OUT, ())) else numbers(table.columns.get("confidence")),
        known,
        answers,
        joined_name(columns),
        {name: values for name, values in table.columns.items() if name not in (*NEW_COLUMNS, *columns)},
        messages,
        table.dialect,
    )


def predicted_rows(table: Table) -> RowIndex:
    """The rows whose label was predicted: not those that had one, those with a reason to have none, or empty ones."""
    nothing = [None] * len(table)
    reasons, origins = (table.columns.get(name, nothing) for name in ("reason", "origin"))
    if not all(as_text(value) in ORIGINS for value in origins):  # a column of the user
        origins = nothing
    results = [table.columns[name] for name in ("label", "confidence", "answer", HELD_OUT) if name in table.columns]
    rows = zip(reasons, origins, zip(*results, strict=True), strict=True)
    return RowIndex.where(
        [
            as_text(reason) not in REASONS and as_text(origin) != GIVEN and any(map(as_text, cells))
            for reason, origin, cells in rows
        ]
    )


def known_answers(table: Table, classes: Sequence[str]) -> Answers:
    """The answers that were there when the labels of a file were fitted: those with a held-out label."""
    held_out = [as_text(value) for value in table.columns.get(HELD_OUT, ())]
    if any(held_out) and "answer" not in table.columns:
        raise ValueError(f"{table.name} has a column {HELD_OUT!r} but no column 'answer'. Restore it.")
    given = {row: as_text(table.columns["answer"][row]) for row, label in enumerate(held_out) if label}
    codes = {name: code for code, name in enumerate([*classes, NONE_OF_THESE])}
    return Answers(
        np.array(list(given), dtype=np.int64), np.array([codes.get(a, UNCLEAR_CODE) for a in given.values()])
    )


def numbers(values: Sequence[Any] | None) -> Array | None:
    """Confidences as an array; None if a value is no number from 0 to 1."""
    try:
        array = np.array([float(value) for value in values or ()])
    except (TypeError, ValueError):
        return None
    return array if len(array) and ((array >= 0) & (array <= 1)).all() else None


def population_of_result(result: Labelling) -> Population:
    """The population of a result of `label`: the documents with a predicted label."""
    documents, classes, inputs = result.documents, result.estimator.classes_, result.inputs
    labelled = RowIndex.where(documents.predicted)
    kept, answers = labelled.rows, no_answers()
    if documents.answers is not None:
        inside = labelled.contains(documents.answers.rows)
        answers = Answers(labelled.positions(documents.answers.rows[inside]), documents.answers.codes[inside])
    return Population(
        inputs.target.name,
        picked(inputs.texts, kept),
        inputs.documents.then(kept),
        np.searchsorted(classes, documents.labels[kept]),
        documents.source_only[kept],
        documents.needs_review[kept],
        None if len(answers.rows) else np.clip(documents.confidence[kept], 0, 1),
        [str(c) for c in classes],
        answers,
        inputs.columns.text_name,
        {
            name: picked(values, kept)
            for name, values in inputs.target.columns.items()
            if name not in inputs.columns.text_target
        },
        dialect=inputs.target.dialect,
    )
