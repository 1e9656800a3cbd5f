"""Labels to be certified: of a labelled file, of a result of `label`, or of a job."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from ..text import Table, choose_text, read_table
from .cells import as_text
from .job_data import source_only_codes
from .refit import not_learned

if TYPE_CHECKING:
    from .job import Job
    from .labelling import Labelling

HELD_OUT = "held_out"  # column of labels of fits without the answer of the row
NOT_KNOWN = "?"  # in this column
NEW_COLUMNS = (
    *("label", "confidence", "alternative", "evidence", "needs_review", "none_of_these", "source_only"),
    *(HELD_OUT, "answer"),
)


class Population(NamedTuple):
    """All documents with their labels. A row whose answer was learned from has the label of a fit without it."""

    name: str
    texts: Sequence[str]
    labels: Array  # class codes
    source_only: Array | None  # class codes; None if unknown
    needs_review: Array
    confidence: Array | None  # None if it has learned from answers
    classes: list[str]
    cross_fitted: Array  # rows whose answer was learned from


def population_of_file(
    path: str | PathLike[str], *, text: str | None = None, classes: Sequence[str] = (), encoding: str | None = None
) -> Population:
    """The population of a file that `labelferry label` wrote.

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
    table = read_table(path, encoding=encoding)
    if "label" not in table.columns:
        raise ValueError(f"{table.name} has no column 'label'. Pass a file that `labelferry label` wrote.")
    column = choose_text(table, table, text, NEW_COLUMNS, [])
    texts = [as_text(value) for value in table.columns[column]]
    labels = not_learned_labels(table)
    names = {*labels, *classes}
    for other in ("alternative", "source_only"):
        names |= {as_text(value) for value in table.columns.get(other, ())}
    known = sorted(names - {""})
    if "" in labels:
        raise ValueError(
            f"{table.name}, line {table.lines[labels.index('')]}: no label. Certify a file in which every row has one."
        )
    source_only = None
    if "source_only" in table.columns:
        source_only = np.array([known.index(as_text(value)) for value in table.columns["source_only"]])
    return Population(
        table.name,
        texts,
        np.array([known.index(label) for label in labels]),
        source_only,
        np.array(
            [as_text(v).lower() in ("true", "1") for v in table.columns.get("needs_review", [False] * len(table))]
        ),
        None if any(table.columns.get(HELD_OUT, ())) else numbers(table.columns.get("confidence")),
        known,
        np.flatnonzero([bool(as_text(value)) for value in table.columns.get(HELD_OUT, ())]),
    )


def not_learned_labels(table: Table) -> list[str]:
    """The labels of a file; for rows whose answer was learned from, the label of a fit without it."""
    labels = [as_text(value) for value in table.columns["label"]]
    held_out = [as_text(value) for value in table.columns.get(HELD_OUT, [""] * len(table))]
    if NOT_KNOWN in held_out:
        raise no_held_out(table.name)
    return [value or label for value, label in zip(held_out, labels, strict=True)]


def no_held_out(name: str) -> ValueError:
    return ValueError(
        f"{name}: these labels learned from answers by a method that has no held-out labels, so that answers cannot "
        "certify them. Label with method 'auto' (--method auto), or without answers."
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
    from .held_out import held_out_codes

    classes = result.estimator.classes_
    labels = np.searchsorted(classes, result.labels)
    rows, codes = held_out_codes(result)
    if codes is None:
        raise no_held_out(result._inputs.target.name)
    labels[rows] = codes
    return Population(
        result._inputs.target.name,
        result._inputs.texts,
        labels,
        source_only_codes(result),
        result.needs_review,
        None if len(rows) else np.clip(result.confidence, 0, 1),
        [str(c) for c in classes],
        rows,
    )


def population_of_job(job: Job) -> Population:
    """The population of a job; texts are read one by one."""
    arrays = job.store.labels().arrays
    labels, review = not_learned(arrays)
    rows = np.asarray(arrays.get("held_out/rows", ()), dtype=np.int64)
    return Population(job.store.name, Texts(job), labels, job.store.source_only(), review, None, job.classes, rows)


class Texts(Sequence[str]):
    """Texts of a job, read when they are needed."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def __len__(self) -> int:
        return self._job.n_documents

    def __getitem__(self, number: Any) -> Any:
        return self._job.store.document(number).text
