"""Which documents to ask a person about, in which order, and why. Pure functions on arrays and the log of answers.

Every order is fixed by the seed of the job: it does not depend on who answers or when. The answers to a prefix of the
audit order are therefore a random sample of all documents, whatever the purpose for which they were given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array

PURPOSES = ("audit", "duel", "group", "new")
WHY = {
    "audit": "A random sample of all documents. It shows how many labels are correct.",
    "duel": "A random sample of the documents on which the label and the source-only classifier differ. It shows which "
    "of the two is better.",
    "group": "Documents on which the methods disagree most; useful to see where they fail.",
    "new": "Documents that are like no class of the labelled documents.",
    "list": "Documents that were chosen in the list.",
}
N_DISPUTED = 2_000  # documents in the queue "group"


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


def disputed(votes: Array, n_classes: int) -> Array:
    """The documents on which the members disagree most, the largest disagreement first; none without disagreement.

    Parameters
    ----------
    votes : array of int of shape (n_members, n_documents)
        Labels of the members.
    n_classes : int
        Number of classes.

    Returns
    -------
    rows : array of int
        At most N_DISPUTED documents.
    """
    shares = np.array([(votes == c).mean(axis=0) for c in range(n_classes)])
    entropy = -np.sum(shares * np.log(np.where(shares > 0, shares, 1)), axis=0)
    order = np.argsort(-entropy, kind="stable")
    return np.asarray(order[entropy[order] > 0][:N_DISPUTED])


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


def reason(purpose: str, label: str, source_only: str, members: Mapping[str, str]) -> str:
    """Why this document is shown, in one or two sentences."""
    if purpose == "duel":
        return (
            f"The label is {label!r}, the classifier trained on the labelled documents only gives {source_only!r}. "
            "Your answer shows which of the two is better."
        )
    if purpose == "group" and members:
        others = sum(name != label for name in members.values())
        return (
            f"{others} of {len(members)} methods give another label than {label!r}. Your answer shows where they fail."
        )
    return reason_without_labels(purpose)


def reason_without_labels(purpose: str) -> str:
    """Why a document is shown, for a person who must not see predictions.

    >>> reason_without_labels("group")
    'The methods disagree on this document. Your answer shows where they fail.'
    """
    return {
        "audit": "Chosen at random. The share of correct labels in this sample is the base of the certificate.",
        "duel": "The label differs from that of the classifier trained on the labelled documents only. Your answer "
        "shows which of the two is better.",
        "group": "The methods disagree on this document. Your answer shows where they fail.",
        "new": "It is like no class of the labelled documents: it may belong to a new class.",
    }.get(purpose, "You chose it in the list.")
