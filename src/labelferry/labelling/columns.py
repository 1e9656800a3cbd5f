"""The new columns of the output, one value per row of the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificate.sampling import NONE_OF_THESE, UNCLEAR
from ..tables.sequences import mapped
from ..tables.unreadable import UNREADABLE
from .all_rows import spread
from .held_out import held_out_codes

if TYPE_CHECKING:
    from .labelling import Labelling


HELD_OUT = "held_out"  # column of labels of fits without the answer of the row; empty if it was not learned from
NOT_KNOWN = "?"  # in this column
PREDICTED_LABEL = "predicted_label"  # column of a job's file, in which `label` is the answer if there is one
GIVEN, PREDICTED = "given", "predicted"  # in the column origin
NEW_COLUMNS = (
    *("label", "confidence", "alternative", "evidence", "needs_review", NONE_OF_THESE, "source_only"),
    *("other_language", HELD_OUT, PREDICTED_LABEL, "answer", "reason", "origin", UNREADABLE),
)


def join_words(lists: list[list[str]]) -> list[str]:
    """Words as the text of a cell."""
    return [", ".join(words) for words in lists]


def new_columns(result: Labelling) -> dict[str, Sequence[Any]]:
    """The columns of `Labelling.columns`."""
    documents, rows, n_rows = result.documents, result._inputs.new_rows.tolist(), len(result.labels)
    source_only = spread(result.estimator.classes_[documents._source_only].tolist(), rows, n_rows)
    confidence = np.round(result.confidence.astype(float), 4).tolist()
    columns: dict[str, Sequence[Any]] = {
        "label": result.labels.tolist(),
        "confidence": [None if np.isnan(value) else value for value in confidence],
        "alternative": result.alternative.tolist(),
        "evidence": mapped(result.evidence, join_words),
        "needs_review": result.needs_review.tolist(),
        "source_only": [None if reason else name for name, reason in zip(source_only, result.reasons, strict=True)],
    }
    if result.none_of_these.any():
        columns["none_of_these"] = result.none_of_these.tolist()
    if any(result.other_language):
        columns["other_language"] = [name or None for name in result.other_language]
    columns |= {name: spread(values, rows, n_rows) for name, values in answer_columns(documents).items()}
    if result.answers is not None and len(result.answers.rows):
        columns["answer"] = answer_values(result)
    if any(result.reasons):
        columns["reason"] = [reason or None for reason in result.reasons]
    if result.given.any():
        pairs = zip(result.given.tolist(), result.predicted.tolist(), strict=True)
        columns["origin"] = [GIVEN if given else PREDICTED if predicted else None for given, predicted in pairs]
    return columns


def answer_columns(result: Labelling) -> dict[str, list[Any]]:
    """Columns `answer` and `held_out` of labels that learned from answers; none without answers."""
    if result.answers is None or not len(result.answers.rows):
        return {}
    classes = result.estimator.classes_.tolist()
    without: list[Any] = [None] * len(result.labels)
    for row in result.answers.rows.tolist():  # none of these, unclear: nothing was learned from the answer
        without[row] = result.labels.tolist()[row]
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
