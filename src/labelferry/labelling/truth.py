"""Predicted labels compared with true ones: counts, intervals, and a confusion matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..certificate.interval import LEVEL, clopper_pearson
from ..linalg.matrix import Array
from ..tables.cells import as_text
from .answers import class_named

MAX_NAMED = 5  # labels in a message


class Truth(NamedTuple):
    """The true labels of some target rows."""

    column: str
    labels: Array  # str, one per target row; "" if unknown
    unknown: dict[str, int]  # labels that the source lacks, with their numbers of documents

    @property
    def known(self) -> Array:
        """Target rows with a true label."""
        return np.asarray(self.labels != "")

    def messages(self) -> list[str]:
        """What the user should know about the column."""
        n = int(self.known.sum())
        lines = [f"true labels: column {self.column!r}, {n:,} of {len(self.labels):,} documents"]
        if self.unknown:
            named = ", ".join(f"{name!r} ({count:,})" for name, count in list(self.unknown.items())[:MAX_NAMED])
            more = f" and {len(self.unknown) - MAX_NAMED} others" if len(self.unknown) > MAX_NAMED else ""
            lines.append(
                f"{sum(self.unknown.values()):,} documents have a true label that the labelled documents lack: "
                f"{named}{more}. They count as wrong."
            )
        return lines

    def summary(self) -> dict[str, Any]:
        """Plain values."""
        unknown = [{"label": name, "documents": count} for name, count in self.unknown.items()]
        return {"column": self.column, "documents": int(self.known.sum()), "unknown": unknown}


def read_truth(columns: Mapping[str, Sequence[Any]], column: str | None, name: str, classes: Array) -> Truth | None:
    """The true labels in a column of the target; None if there is no such column to read."""
    if column is None:
        return None
    check_column(columns, column, name)
    names = [str(c) for c in classes]
    texts = [as_text(value) for value in columns[column]]
    labels = np.array([(class_named(text, names) or text).strip() for text in texts])
    values, counts = np.unique(labels[labels != ""], return_counts=True)
    known = {str(c).strip() for c in classes}
    lacking = {str(v): int(n) for v, n in zip(values, counts, strict=True) if str(v) not in known}
    return Truth(column, labels, dict(sorted(lacking.items(), key=lambda item: -item[1])))


def check_column(columns: Mapping[str, Sequence[Any]], column: str, name: str) -> None:
    """Raise an error unless the column exists and has a label."""
    if column not in columns:
        raise ValueError(
            f"{name} has no column {column!r} with the true labels; it has {', '.join(columns)}. Name one with truth= "
            "(--truth)."
        )
    if not any(map(as_text, columns[column])):
        raise ValueError(f"{name} has no labels in column {column!r}. Name another with truth= (--truth).")


def score(labels: Array, classes: Array, truth: Truth | None) -> dict[str, Any]:
    """How many labels are correct."""
    # Returns `documents`, `correct`, `accuracy` with its 95% interval from `low` to `high` (Clopper and Pearson),
    # `balanced` (mean of the recalls of the true labels) and `confusion`; all None without true labels.
    if truth is None:
        return dict.fromkeys(("documents", "correct", "accuracy", "low", "high", "balanced", "confusion"))
    predicted = np.array([str(c).strip() for c in labels.tolist()])[truth.known]
    actual = truth.labels[truth.known]
    correct, n = int((predicted == actual).sum()), len(actual)
    low, high = clopper_pearson(correct, n, LEVEL)
    recalls = [float((predicted[actual == c] == c).mean()) for c in np.unique(actual)]
    columns = [str(c).strip() for c in classes.tolist()]
    rows = [*columns, *truth.unknown]
    counts = [[int(((actual == a) & (predicted == p)).sum()) for p in columns] for a in rows]
    return {
        "documents": n,
        "correct": correct,
        "accuracy": correct / n,
        "low": float(low),
        "high": float(high),
        "balanced": float(np.mean(recalls)),
        "confusion": {"predicted": columns, "true": rows, "documents": counts},
    }
