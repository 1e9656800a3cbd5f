"""Labels of answered rows by fits that did not learn from their answers, for a result of `label`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..certificate.sampling import NONE_OF_THESE, UNCLEAR
from ..ensemble.auto_transfer import AutoTransfer
from ..ensemble.labelled_pool import held_out
from ..linalg.matrix import Array
from ..tables.row_index import RowIndex
from .column_names import HELD_OUT, NOT_KNOWN
from .labelling import Labelling


def rows_in_panel(result: Labelling) -> RowIndex:
    """The documents that the panel has labelled: those with words."""
    return RowIndex.where(getattr(result.estimator, "in_fit_", np.ones(len(result.labels), dtype=bool)))


def held_out_codes(result: Labelling) -> tuple[Array, Array | None]:
    """The rows whose answers were learned from, and their codes by fits without them; None if there are no such fits.

    Returns their class codes. A document without words has the most frequent class of the sources.
    """
    n_classes = len(result.estimator.classes_)
    if result.answers is None or not result.answers.named(n_classes).any():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    named = result.answers.named(n_classes)
    rows, codes = result.answers.rows[named], result.answers.codes[named]
    if not isinstance(result.estimator, AutoTransfer):
        return rows, None
    in_panel = rows_in_panel(result)
    inside = in_panel.contains(rows)
    frequent = np.bincount(result.domains.labelled()[1], minlength=n_classes).argmax()
    without = np.full(len(rows), frequent)
    positions = in_panel.positions(rows[inside])
    without[inside] = held_out(result.estimator.pool_inputs_, positions, codes[inside]).argmax(axis=1)
    return rows, without


def has_learned(result: Labelling) -> bool:
    """Whether there are answers to the documents."""
    return result.answers is not None and len(result.answers.rows) > 0


def count_predicted(result: Labelling) -> tuple[int, int | None]:
    """How many answers were learned from, and how many of them fits without them predict; None without such fits."""
    rows, codes = held_out_codes(result)
    if result.answers is None or codes is None:
        return len(rows), None
    named = result.answers.named(len(result.estimator.classes_))
    return len(rows), int((codes == result.answers.codes[named]).sum())


def learned_message(result: Labelling) -> list[str]:
    """How many answers were learned from, and how many of them the other answers predict."""
    n, n_correct = count_predicted(result)
    if not n:
        return []
    tested = "" if n_correct is None else f"; without its own answer, {n_correct} of these labels are correct"
    return [f"learned from {n} answers{tested}"]


def answer_columns(result: Labelling) -> dict[str, list[Any]]:
    """Columns `answer` and `held_out` of labels that learned from answers; none without answers."""
    if result.answers is None or not has_learned(result):
        return {}
    classes, labels = result.estimator.classes_.tolist(), result.labels.tolist()
    without: list[Any] = [None] * len(labels)
    for row in result.answers.rows.tolist():  # none of these, unclear: nothing was learned from the answer
        without[row] = labels[row]
    rows, codes = held_out_codes(result)
    for i, row in enumerate(rows.tolist()):
        without[row] = NOT_KNOWN if codes is None else classes[codes[i]]
    return {"answer": answer_values(result), HELD_OUT: without}


def answer_values(result: Labelling) -> list[Any]:
    """Per row, its answer: a class, none_of_these or unclear; None for a row without an answer."""
    names = [*result.estimator.classes_.tolist(), NONE_OF_THESE, UNCLEAR]  # the code of unclear is -1: the last one
    answers: list[Any] = [None] * len(result.labels)
    if result.answers is not None:
        for row, code in zip(result.answers.rows.tolist(), result.answers.codes.tolist(), strict=True):
            answers[row] = names[code]
    return answers
