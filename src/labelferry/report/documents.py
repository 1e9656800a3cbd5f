"""The documents that the report lists: those to review first, a random sample of the others, and the user's columns.

The page is bounded: at most MAX_LISTED documents, MAX_TEXT characters of one text and MAX_CHARACTERS of all texts.
Everything that is not shown is counted, so that the page can state it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from ..inputs.inputs import Inputs
from ..labelling.labelling import Labelling
from ..linalg.matrix import Array
from ..tables import Table
from ..tables.cells import fingerprint
from .highlight import clip, pieces

MAX_LISTED = 400  # documents
MIN_OTHERS = 100  # of them not to review, if there are as many
MAX_TEXT = 20_000  # characters of one text
MAX_CHARACTERS = 1_500_000  # of all texts
N_OWN = 4  # columns of the user
MAX_OWN = 80  # characters of nearly all values of such a column
N_INSPECTED = 1000  # rows from which these columns are chosen


def own_columns(table: Table, text: Collection[str]) -> list[str]:
    """Names of the columns by which people recognize their documents: short values that differ.

    >>> columns = {"id": [1, 2], "subject": ["refund", "no wifi"], "text": ["...", "..."], "queue": ["north", "north"]}
    >>> own_columns(Table("new.csv", columns, [1, 2]), ["text"])
    ['id', 'subject']
    """
    names = []
    for name in table.columns:
        values = [value for value in table.head(name, N_INSPECTED) if value is not None and value == value]
        if name in text or any(isinstance(value, list | tuple | dict | set | bytes) for value in values):
            continue
        lengths = [len(str(value)) for value in values]
        if len({str(value) for value in values}) > 1 and np.quantile(lengths, 0.9) <= MAX_OWN:
            names.append(name)
    return names[:N_OWN]


def listed_rows(needs_review: Array, confidence: Array, predicted: Array) -> Array:
    """Positions of the documents on the page, least confident first."""
    order = np.argsort(confidence, kind="stable")
    review, others = order[(needs_review & predicted)[order]], np.flatnonzero(~needs_review & predicted)
    review = review[: MAX_LISTED - min(len(others), MIN_OTHERS)]
    n_others = min(len(others), MAX_LISTED - len(review))
    drawn = np.random.default_rng(0).choice(others, n_others, replace=False)
    return order[np.isin(order, np.concatenate([review, drawn]))]


def list_documents(result: Labelling, inputs: Inputs) -> dict[str, Any]:
    """The documents of the page.

    Returns `columns` (names of the user's columns), `rows` (one dict per document), `classes`, and the numbers of
    documents: `to_review`, `to_review_listed`, `others`, `others_listed`, and `without_label` (not listed).
    """
    names, records = own_columns(inputs.target, inputs.columns.text_target), inputs.documents.numbers
    rows: list[dict[str, Any]] = []
    n_characters = 0
    predicted = result.predicted
    for i in listed_rows(result.needs_review, result.confidence, predicted).tolist():
        text = inputs.texts[i]
        n_characters += min(len(text), MAX_TEXT)
        if rows and n_characters > MAX_CHARACTERS:
            break
        rows.append(
            {
                **label_values(result, i),
                "row": int(records[i]),
                "own": [shown_value(inputs.target.columns[name][i]) for name in names],
                "pieces": [[piece.text, piece.is_evidence] for piece in pieces(text[:MAX_TEXT], result.evidence[i])],
                "characters": len(text),
                "evidence": result.evidence[i],
                "fingerprint": fingerprint(text),
            }
        )
    n_review, listed = int(result.needs_review[predicted].sum()), sum(row["needs_review"] for row in rows)
    return {
        "columns": names,
        "rows": rows,
        "classes": [str(c) for c in result.estimator.classes_],
        "to_review": n_review,
        "to_review_listed": listed,
        "others": int(predicted.sum()) - n_review,
        "others_listed": len(rows) - listed,
        "without_label": int((~predicted).sum()),
    }


def label_values(result: Labelling, i: int) -> dict[str, Any]:
    """What is known about the label of a document, without any of its words."""
    return {
        "label": str(result.labels[i]),
        "confidence": float(result.confidence[i]),
        "alternative": str(result.alternative[i]),
        "needs_review": bool(result.needs_review[i]),
        "none_of_these": bool(result.groups[i] >= 0),
        "other_language": result.other_language[i],
    }


def shown_value(value: Any) -> str:
    """A value of the user's columns as a short text."""
    return clip("" if value is None or value != value else str(value), MAX_OWN)
