"""Labels to be certified: of a labelled file, of a result of `label`, or of a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..certificate import UNCLEAR_CODE, Answers
from ..certificate.sampling import no_answers
from ..linalg.matrix import Array
from ..store.records import NONE_OF_THESE
from ..text import choose_text
from .cells import as_text
from .job_data import source_only_codes
from .spreadsheet import read_protected

if TYPE_CHECKING:
    from ..text import Table
    from .job import Job
    from .labelling import Labelling

HELD_OUT = "held_out"  # column of labels of fits without the answer of the row; empty if it was not learned from
NOT_KNOWN = "?"  # in this column
PREDICTED = "predicted_label"  # column of a job's file, in which `label` is the answer if there is one
NEW_COLUMNS = (
    *("label", "confidence", "alternative", "evidence", "needs_review", NONE_OF_THESE, "source_only"),
    *(HELD_OUT, PREDICTED, "answer"),
)


class Population(NamedTuple):
    """All documents with their labels. A document has the number of its row, from 1, without the header."""

    name: str
    texts: Sequence[str]
    labels: Array  # class codes
    source_only: Array | None  # class codes; None if unknown
    needs_review: Array
    confidence: Array | None  # None if it has learned from answers
    classes: list[str]
    known: Answers  # answers that the labels learned from
    text: str = "text"  # name of the column of the texts
    own: Mapping[str, Sequence[Any]] = MappingProxyType({})  # the user's other columns
    numbers: Array | None = None  # row of each document, from 1; None: all rows are documents

    def row_numbers(self) -> list[int]:
        """Row of each document, from 1."""
        return list(range(1, len(self.texts) + 1)) if self.numbers is None else [int(n) for n in self.numbers]


def population_of_file(
    path: str | PathLike[str], *, text: str | None = None, classes: Sequence[str] = (), encoding: str | None = None
) -> Population:
    """The population of a file that `labelferry label` wrote. Rows that could not be labelled are not part of it.

    Parameters
    ----------
    path : path
        The labelled file.
    text : str, default=None
        Name of the text column; detected if not given.
    classes : sequence of str, default=()
        Classes beside those that occur in the file.
    encoding : str, default=None
        Encoding of the file if it is not UTF-8.

    Returns
    -------
    population : Population
        All documents with their labels.
    """
    table = read_protected(path, encoding=encoding)
    if "label" not in table.columns:
        raise ValueError(f"{table.name} has no column 'label'. Pass a file that `labelferry label` wrote.")
    column = choose_text(table, table, text, NEW_COLUMNS, [])
    labelled = labelled_rows(table.columns)
    if not labelled:
        raise ValueError(f"{table.name} has no row with a label. Pass a file that `labelferry label` wrote.")
    table = replace(
        table,
        columns={name: [values[row] for row in labelled] for name, values in table.columns.items()},
        lines=[table.lines[row] for row in labelled],
    )
    texts = [as_text(value) for value in table.columns[column]]
    labels = [as_text(value) for value in table.columns[PREDICTED if PREDICTED in table.columns else "label"]]
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
        np.array([known.index(label) if label else 0 for label in labels]),  # without a label: none of these
        source_only,
        np.array(
            [as_text(v).lower() in ("true", "1") for v in table.columns.get("needs_review", [False] * len(table))]
        ),
        None if any(table.columns.get(HELD_OUT, ())) else numbers(table.columns.get("confidence")),
        known,
        answers,
        column,
        {name: values for name, values in table.columns.items() if name not in (*NEW_COLUMNS, column)},
        np.array(labelled) + 1,
    )


def labelled_rows(columns: Mapping[str, Sequence[Any]]) -> list[int]:
    """Positions of the rows that `label` has labelled: the others have neither a label nor a confidence."""
    contents = [columns[name] for name in ("label", "confidence", "answer", HELD_OUT) if name in columns]
    return [row for row, cells in enumerate(zip(*contents, strict=True)) if any(as_text(cell) for cell in cells)]


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
    """The population of a result of `label`."""
    classes = result.estimator.classes_
    answers = no_answers() if result.answers is None else Answers(result.answers.rows, result.answers.codes)
    return Population(
        result._inputs.target.name,
        result._inputs.texts,
        np.searchsorted(classes, result.labels),
        source_only_codes(result),
        result.needs_review,
        None if len(answers.rows) else np.clip(result.confidence, 0, 1),
        [str(c) for c in classes],
        answers,
        result._inputs.columns.text,
        {n: values for n, values in result._inputs.target.columns.items() if n != result._inputs.columns.text},
    )


def population_of_job(job: Job) -> Population:
    """The population of a job; texts and columns are read one by one."""
    state = job.state()
    arrays = state.fit.arrays
    return Population(
        job.store.name,
        StoredColumn(job),
        arrays["labels"],
        job.store.source_only(),
        arrays["needs_review"],
        None,
        job.classes,
        state.seen,
        job.store.settings["text"],
        {name: StoredColumn(job, name) for name in job.columns},
    )


class StoredColumn(Sequence[Any]):
    """The texts of a job or one of its columns, read when they are needed."""

    def __init__(self, job: Job, name: str | None = None) -> None:
        self._job, self._name = job, name

    def __len__(self) -> int:
        return self._job.n_documents

    def __getitem__(self, number: Any) -> Any:
        document = self._job.store.document(number)
        return document.text if self._name is None else document.own[self._name]
