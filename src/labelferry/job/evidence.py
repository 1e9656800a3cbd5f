"""Which words spoke for a label: a naive Bayes reading of the answer, the same for every method.

The words of all documents are counted by class, of the sources by their labels, of the target by the probabilities that
the method gave. A word speaks for a class by the logarithm of its share there over its share in the other class that is
nearest; in a document, times its weight. It tells what is typical of the answer, not how the method came to it.
Features below 0, which are no counts, say nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array, has_negative

SMOOTHING = 0.5  # documents added to every word and class
ROWS = 4096  # documents looked at together


class Spoken(NamedTuple):
    share: Array  # words x classes: of all words of the class
    score: Array  # words x classes: how much a word speaks for a class, against the class that it speaks for next


def read_words(Xs: Sequence[Any], codes: Sequence[Array], Xt: Any, proba: Array) -> Spoken:
    """What the words of all documents say, the target's by the answer."""
    n_classes = proba.shape[1]
    if any(has_negative(X) for X in (*Xs, Xt)):
        return Spoken(*np.zeros((2, Xt.shape[1], n_classes)))
    one_hot = np.eye(n_classes)
    counts = np.asarray(Xt.T @ proba, dtype=np.float64)
    for X, code in zip(Xs, codes, strict=True):
        counts += X.T @ one_hot[code]
    share = (counts + SMOOTHING) / (counts.sum(axis=0) + SMOOTHING * len(counts))
    log = np.log(share)
    top = np.sort(log, axis=1)[:, ::-1]
    rival = np.where(log == top[:, :1], top[:, 1:2], top[:, :1])
    return Spoken(share, log - rival)


def typical(spoken: Spoken, words: Array, n_words: int = 20) -> list[list[str]]:
    """Of every class the words by which it is told from the others: frequent there, and rare elsewhere."""
    weight = spoken.share * spoken.score
    order = np.argsort(-weight, axis=0, kind="stable")[:n_words]
    return [[str(words[w]) for w in order[:, c] if weight[w, c] > 0] for c in range(weight.shape[1])]


def evidence(Xt: Any, labels: Array, scores: Array, words: Array, n_words: int = 5) -> list[list[str]]:
    """Of each document at most `n_words` words that speak most for its label (a code); none that speak against it."""
    found: list[list[str]] = []
    for start in range(0, Xt.shape[0], ROWS):
        X, code = Xt[start : start + ROWS], labels[start : start + ROWS]
        for i in range(X.shape[0]):
            columns, weights = _row(X, i)
            spoken = weights * scores[columns, code[i]]
            order = np.argsort(-spoken, kind="stable")[:n_words]
            found.append([str(words[columns[j]]) for j in order if spoken[j] > 0])
    return found


def _row(X: Any, i: int) -> tuple[Array, Array]:
    """Columns and values of the entries of a row."""
    if hasattr(X, "indptr"):
        part = slice(X.indptr[i], X.indptr[i + 1])
        return X.indices[part], X.data[part]
    columns = np.flatnonzero(X[i])
    return columns, X[i][columns]
