"""One row per class of a result: what the terminal and the report show."""

from __future__ import annotations

from typing import Any, NamedTuple

from .labelling import Labelling


class ClassRow(NamedTuple):
    """The predicted labels of one class."""

    label: Any
    documents: int
    share: float  # of all predicted labels
    low: float  # range of the methods for this share
    high: float
    confidence: float | None  # mean; None without documents
    to_review: int


def class_table(result: Labelling) -> list[ClassRow]:
    """The classes in their order, without the rows that have no predicted label."""
    predicted, proportions = result.predicted, result.assessment.proportions
    n_predicted = max(1, int(predicted.sum()))
    rows = []
    for c, label in enumerate(result.domains.classes):
        inside = predicted & (result.labels == label)
        n = int(inside.sum())
        rows.append(
            ClassRow(
                label=label,
                documents=n,
                share=n / n_predicted,
                low=float(proportions.low[c]),
                high=float(proportions.high[c]),
                confidence=float(result.confidence[inside].mean()) if n else None,
                to_review=int(result.needs_review[inside].sum()),
            )
        )
    return rows
