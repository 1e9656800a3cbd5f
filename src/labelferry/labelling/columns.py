"""The new columns of the output, one value per row of the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..review.job.other_rows import GIVEN, PREDICTED
from ..tables.sequences import mapped
from .all_rows import spread
from .held_out import answer_columns, answer_values

if TYPE_CHECKING:
    from .labelling import Labelling


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
