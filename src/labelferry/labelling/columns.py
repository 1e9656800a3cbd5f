"""The new columns of the output, one value per row of the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..tables.row_index import RowIndex
from ..tables.sequences import mapped
from .accept_rank import file_confidence
from .column_names import ACCEPT_RANK, CHILD, GIVEN, PREDICTED
from .evidence import join_words
from .held_out import answer_columns, answer_values
from .labelling import Labelling
from .marks import MARK, Kind, mark_rows


def new_columns(result: Labelling) -> dict[str, Sequence[Any]]:
    """The new columns by name; see `labelferry.api.Result.columns`."""
    documents, index = result.documents, result.inputs.documents
    if result.of_documents is None:  # a result of documents only
        index = RowIndex(range(len(result.labels)), len(result.labels))
    source_only = index.widen(result.estimator.classes_[documents.source_only].tolist())
    confidence = file_confidence(result.confidence).tolist()
    columns: dict[str, Sequence[Any]] = {
        "label": result.labels.tolist(),
        "confidence": [None if np.isnan(value) else value for value in confidence],
        "alternative": result.alternative.tolist(),
        "evidence": mapped(result.evidence, join_words),
        "needs_review": result.needs_review.tolist(),
        "source_only": [None if reason else name for name, reason in zip(source_only, result.reasons, strict=True)],
        ACCEPT_RANK: [rank or None for rank in result.accept_rank.tolist()],
    }
    if documents.children is not None:
        for name, values in zip(CHILD, documents.children, strict=True):
            wide = index.widen(values.tolist())
            columns[name] = [None if reason else value for value, reason in zip(wide, result.reasons, strict=True)]
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
    columns[MARK] = mark_rows(label_kinds(result, index), columns["label"])
    return columns


def label_kinds(result: Labelling, index: RowIndex) -> list[str]:
    """What the label of each row is; `index` has the rows of the documents."""
    # A document without a known word has no predicted label: an answer to it is a given label.
    documents = result.documents
    kinds = np.where(result.given, Kind.GIVEN, np.where(result.predicted, Kind.PREDICTED, Kind.NO_LABEL))
    changes = [(documents.estimator.transduction_empty_, Kind.GIVEN)]
    if documents.answers is not None:
        answered = np.isin(np.arange(len(index)), documents.answers.rows)
        changes.append((answered, Kind.ANSWERED))
    for mask, kind in changes:
        rows = index.rows[mask]
        kinds[rows[kinds[rows] == Kind.PREDICTED]] = kind
    return [str(kind) for kind in kinds.tolist()]
