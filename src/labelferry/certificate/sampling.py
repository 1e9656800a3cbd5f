r"""Answers of people, and the random order of the documents that they are asked about.

**One order for both samples.** The documents are put in random order once. The audit sample is a prefix of this order;
the duel sample is a prefix of the same order without the documents on which the two classifiers agree. Each of the two
is a random sample without replacement of its own set of documents. The bounds hold at all numbers of answers together
(`bounds.py`, `betting.py`), so the number of answers may depend on anything, and each statement alone is exact. An
answer for one purpose also counts for the other one when its turn comes. With two independent orders, answers of the
audit sample would count in the duel only by chance.

**A new order after learning.** Answers of the duel are ahead in the order. If these documents were removed from it, the
first ones of the rest would be mostly documents on which the two agree: no random sample of the rest. The order is
therefore drawn again for the documents whose answers the labels learned from (`known`): it depends on the seed and on
these documents only, so without them it is a random order of the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array

LABEL, NONE_OF_THESE, UNCLEAR = "label", "none_of_these", "unclear"  # kinds of answers
NO_CLASS = "none of these"  # for people; its code is the number of classes
UNCLEAR_CODE = -1
N_AUDIT = 40  # documents of a sample, if nobody asks for another number


class Answers(NamedTuple):
    """Answers of one purpose, in the random order of the questions.

    Attributes
    ----------
    rows : array of int
        Target rows.
    codes : array of int
        Class codes from 0 to K - 1; K for none of these classes; -1 for unclear.
    """

    rows: Array
    codes: Array


def no_answers() -> Answers:
    """Answers without rows."""
    empty = np.zeros(0, dtype=int)
    return Answers(empty, empty)


def audit_order(n_documents: int, seed: int, known: Iterable[int] = ()) -> Array:
    """All documents in random order: the audit sample is a prefix, so it can grow.

    Documents must be asked in this order. One that a person skips is not passed over: the sample ends before it,
    because documents that are hard to decide are no random choice. "unclear" is an answer.

    Parameters
    ----------
    n_documents : int
        Number of target documents.
    seed : int
        Same seed, same order.
    known : iterable of int, default=()
        Rows whose answers the labels learned from. Remove them from the order: the rest is a random order of the rest.

    Returns
    -------
    order : array of int of shape (n_documents,)
        Target rows.
    """
    rows = sorted(int(row) for row in known)
    return random_order(n_documents, seed, len(rows), *rows)


def duel_order(labels: Array, source_only: Array, seed: int, known: Iterable[int] = ()) -> Array:
    """The documents on which the labels and the source-only classifier differ, in random order.

    It is a part of `audit_order`: answers of the audit sample on these documents count in the duel, too.

    Parameters
    ----------
    labels : array of shape (n_documents,)
        Predicted codes.
    source_only : array of shape (n_documents,)
        Codes of the source-only classifier.
    seed : int
        Same seed, same order.
    known : iterable of int, default=()
        As in `audit_order`.

    Returns
    -------
    order : array of int
        Target rows.
    """
    order = audit_order(len(labels), seed, known)
    return np.asarray(order[(np.asarray(labels) != np.asarray(source_only))[order]])


def random_order(n: int, *seed: int) -> Array:
    """A random permutation that every version of numpy draws alike: only raw numbers of a generator are stable."""
    return np.argsort(np.random.PCG64(np.random.SeedSequence(seed)).random_raw(n), kind="stable")


def check_answers(answers: Answers, n_documents: int, n_classes: int, name: str) -> Answers:
    """The answers as arrays of integers; ValueError if they do not fit the documents."""
    rows, codes = np.asarray(answers.rows), np.asarray(answers.codes)
    if rows.ndim != 1 or rows.shape != codes.shape:
        raise ValueError(
            f"{name}: rows and codes must be one-dimensional with the same length, got {rows.shape} and {codes.shape}. "
            "Pass one code per row."
        )
    rows, codes = rows.astype(int), codes.astype(int)
    if len(rows) and not (rows.min() >= 0 and rows.max() < n_documents):
        raise ValueError(
            f"{name}: rows must be from 0 to {n_documents - 1}, got {rows.min()} to {rows.max()}. "
            "Pass the positions of the documents among all target documents."
        )
    if len(np.unique(rows)) < len(rows):
        values, counts = np.unique(rows, return_counts=True)
        raise ValueError(
            f"{name}: each document may have one answer, row {values[counts > 1][0]} has more. "
            "Decide which one counts, for example the last one."
        )
    if len(codes) and not (codes.min() >= UNCLEAR_CODE and codes.max() <= n_classes):
        raise ValueError(
            f"{name}: codes must be from -1 (unclear) to {n_classes} (none of these), got {codes.min()} to "
            f"{codes.max()}. Pass positions in `classes`."
        )
    return Answers(rows, codes)


def keep(answers: Answers, mask: Array) -> Answers:
    """The answers whose documents are in the mask."""
    inside = mask[answers.rows]
    return Answers(answers.rows[inside], answers.codes[inside])


def answered_prefix(order: Iterable[Any], answered: Collection[int]) -> list[int]:
    """The documents of an order up to the first one without an answer.

    >>> answered_prefix([4, 2, 0, 1], {4, 2, 1})
    [4, 2]
    """
    rows = []
    for row in order:
        if row not in answered:
            break
        rows.append(int(row))
    return rows
