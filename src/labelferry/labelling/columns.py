"""The new columns of the output, one value per row of the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..certificate.sampling import NONE_OF_THESE
from ..tables.row_index import RowIndex
from ..tables.sequences import mapped
from ..tables.unreadable import UNREADABLE
from .evidence import join_words
from .held_out import HELD_OUT, answer_columns, answer_values
from .labelling import Labelling

PREDICTED_LABEL = "predicted_label"  # column of a job's file, in which `label` is the answer if there is one
GIVEN, PREDICTED = "given", "predicted"  # in the column origin
NEW_COLUMNS = (
    *("label", "confidence", "alternative", "evidence", "needs_review", NONE_OF_THESE, "source_only"),
    *("other_language", HELD_OUT, PREDICTED_LABEL, "answer", "reason", "origin", UNREADABLE),
)


def new_columns(result: Labelling) -> dict[str, Sequence[Any]]:
    """The new columns by name; see `labelferry.api.Result.columns`."""
    documents, index = result.documents, result.inputs.documents
    if result.of_documents is None:  # a result of documents only
        index = RowIndex(range(len(result.labels)), len(result.labels))
    source_only = index.widen(result.estimator.classes_[documents.source_only].tolist())
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
    columns |= {name: index.widen(values) for name, values in answer_columns(documents).items()}
    if result.answers is not None and len(result.answers.rows):
        columns["answer"] = answer_values(result)
    if any(result.reasons):
        columns["reason"] = [reason or None for reason in result.reasons]
    if result.given.any():
        pairs = zip(result.given.tolist(), result.predicted.tolist(), strict=True)
        columns["origin"] = [GIVEN if given else PREDICTED if predicted else None for given, predicted in pairs]
    return columns
