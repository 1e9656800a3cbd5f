"""Which documents to ask a person about, in which order, and why. Pure functions on arrays and the log of answers.

Every order is fixed by the seed of the job: it does not depend on who answers or when. The answers to a prefix of the
audit order are therefore a random sample of all documents, whatever the purpose for which they were given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np

from ...linalg.matrix import Array

WHY = {
    "audit": "A random sample of all documents. It shows how many labels are correct.",
    "duel": "A random sample of the documents on which the label and the source-only classifier differ. It shows which "
    "of the two is better.",
    "group": "Typical documents of groups of similar documents. Together they cover all kinds of documents: the labels "
    "learn slightly more from them than from a random sample.",
    "new": "Documents that are like no class of the labelled documents.",
    "list": "Documents that were chosen in the list.",
}
N_TYPICAL = 40  # documents in the queue "group"


class Question(NamedTuple):
    """A document with the reason to ask about it."""

    document: int  # number from 0
    line: int  # in the user's file
    text: str
    label: str
    confidence: float
    alternative: str
    evidence: list[str]
    columns: dict[str, Any]  # the user's other columns
    source_only: str
    needs_review: bool
    purpose: str
    reason: str


def new_class_order(groups: Array | None) -> Array:
    """Documents that no class explains, one of each group in turn.

    Parameters
    ----------
    groups : array of int or None
        The group of each document: 0, 1, ...; -1 for documents that a class explains.

    Returns
    -------
    rows : array of int
        The documents; none if `groups` is None.

    Examples
    --------
    >>> new_class_order(np.array([0, -1, 0, 1])).tolist()
    [0, 3, 2]
    """
    if groups is None:
        return np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero(groups >= 0)
    rank = np.array([np.count_nonzero(groups[:row] == groups[row]) for row in rows.tolist()], dtype=np.int64)
    return np.asarray(rows[np.lexsort((groups[rows], rank))])


def next_open(order: Iterable[Any], closed: Collection[int], avoid: Collection[int]) -> int | None:
    """The first document of an order that is not closed, if possible one that is not to be avoided."""
    first = None
    for row in order:
        if row not in closed:
            if row not in avoid:
                return int(row)
            first = int(row) if first is None else first
    return first


def answered_prefix(order: Iterable[Any], answered: Collection[int]) -> list[int]:
    """The documents of an order up to the first one without an answer."""
    rows = []
    for row in order:
        if row not in answered:
            break
        rows.append(int(row))
    return rows


def reason(purpose: str, label: str, source_only: str) -> str:
    """Why this document is shown, in one or two sentences."""
    if purpose == "duel":
        return (
            f"The label is {label!r}, the classifier trained on the labelled documents only gives {source_only!r}. "
            "Your answer shows which of the two is better."
        )
    return reason_without_labels(purpose)


def reason_without_labels(purpose: str) -> str:
    """Why a document is shown, for a person who must not see predictions.

    >>> reason_without_labels("group")
    'Typical of a group of similar documents. The labels of the whole group learn from your answer.'
    """
    return {
        "audit": "Chosen at random. The share of correct labels in this sample is the base of the certificate.",
        "duel": "The label differs from that of the classifier trained on the labelled documents only. Your answer "
        "shows which of the two is better.",
        "group": "Typical of a group of similar documents. The labels of the whole group learn from your answer.",
        "new": "It is like no class of the labelled documents: it may belong to a new class.",
    }.get(purpose, "You chose it in the list.")
