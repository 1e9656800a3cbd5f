"""Answers of people, and the order in which documents are asked about."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array

UNCLEAR = -1


class Answers(NamedTuple):
    """Answers of one purpose, in the order in which the questions were asked.

    Attributes
    ----------
    rows : array of int
        Target rows.
    codes : array of int
        Class codes from 0 to K - 1; K for none of these classes; -1 for unclear.
    asked : array of int, default=None
        Running numbers of the questions over all purposes. With them, answers of the audit sample also count in the
        duel.
    """

    rows: Array
    codes: Array
    asked: Array | None = None


def no_answers() -> Answers:
    """Answers without rows."""
    empty = np.zeros(0, dtype=int)
    return Answers(empty, empty, empty)


def audit_order(n_documents: int, seed: int) -> Array:
    """All documents in random order: the audit sample is a prefix, so it can grow.

    Documents must be asked in this order. One that a person skips is not passed over: the sample ends before it,
    because documents that are hard to decide are no random choice. "unclear" is an answer.

    Parameters
    ----------
    n_documents : int
        Number of target documents.
    seed : int
        Same seed, same order.

    Returns
    -------
    order : array of int of shape (n_documents,)
        Target rows.
    """
    return random_order(n_documents, seed)


def duel_order(labels: Array, source_only: Array, seed: int) -> Array:
    """The documents on which the labels and the source-only classifier differ, in random order.

    It is a part of one order of all documents: if some labels change, the others keep their order, so that most answers
    are still a prefix.

    Parameters
    ----------
    labels : array of shape (n_documents,)
        Predicted codes.
    source_only : array of shape (n_documents,)
        Codes of the source-only classifier.
    seed : int
        Same seed, same order.

    Returns
    -------
    order : array of int
        Target rows.
    """
    order = random_order(len(labels), seed, 1)
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
    if len(codes) and not (codes.min() >= UNCLEAR and codes.max() <= n_classes):
        raise ValueError(
            f"{name}: codes must be from -1 (unclear) to {n_classes} (none of these), got {codes.min()} to "
            f"{codes.max()}. Pass positions in `classes`."
        )
    asked = answers.asked
    if asked is not None:
        asked = np.asarray(asked)
        if asked.shape != rows.shape or (np.diff(asked) <= 0).any():
            raise ValueError(
                f"{name}: asked must have one increasing number per answer, got {asked.tolist()[:5]}... "
                "Pass the answers in the order of their questions, or asked=None."
            )
    return Answers(rows, codes, asked)


def keep(answers: Answers, mask: Array) -> Answers:
    """The answers whose documents are in the mask."""
    inside = mask[answers.rows]
    return Answers(
        answers.rows[inside], answers.codes[inside], None if answers.asked is None else answers.asked[inside]
    )
