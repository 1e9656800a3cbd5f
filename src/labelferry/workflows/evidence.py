"""Which words support a label: a naive Bayes model of the answer, the same for every method.

The words of all documents are counted per class: in the sources by the given labels, in the target by the predicted
probabilities. A word supports a class by the logarithm of its share there divided by its share in the next class; in a
document, times its weight. This shows what is typical of the answer, not how the method found it. Features below 0 are
not counts of words and get no evidence.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.domains import Domains
from ..linalg.matrix import Array, has_negative, word_counts

SMOOTHING = 0.5  # documents added to every word and class
ROWS = 4096  # documents per block


class WordEvidence(NamedTuple):
    share: Array  # words x classes: share of all words of the class
    score: Array  # words x classes: how much a word supports a class, compared with the next class


def word_evidence(domains: Domains, proba: Array, shown: Array | None = None) -> WordEvidence:
    """Evidence of each word; `proba` are the predicted probabilities of the target rows.

    Words that are not `shown`, stop words, are no evidence.
    """
    n_classes = proba.shape[1]
    if any(has_negative(X) for X in domains.X):
        return WordEvidence(*np.zeros((2, domains.n_words, n_classes)))
    counts = np.asarray(domains.target_documents().T @ proba, dtype=np.float64)
    for source in domains.sources:
        counts += source.X.T @ np.eye(n_classes)[source.codes]
    share = (counts + SMOOTHING) / (counts.sum(axis=0) + SMOOTHING * len(counts))
    log = np.log(share)
    top = np.sort(log, axis=1)[:, ::-1]
    rival = np.where(log == top[:, :1], top[:, 1:2], top[:, :1])
    score = log - rival
    return WordEvidence(share, score if shown is None else np.where(shown[:, None], score, 0))


def characteristic_words(evidence: WordEvidence, words: Array, n_words: int = 20) -> list[list[str]]:
    """Per class, the words that distinguish it from the others: frequent there and rare elsewhere."""
    weight = evidence.share * evidence.score
    order = np.argsort(-weight, axis=0, kind="stable")[:n_words]
    return [[str(words[w]) for w in order[:, c] if weight[w, c] > 0] for c in range(weight.shape[1])]


def group_words(
    domains: Domains, groups: Array, words: Array, n_words: int = 10, *, shown: Array | None = None
) -> list[list[str]]:
    """Per group of target rows, the words that distinguish it from all documents outside the groups.

    Parameters
    ----------
    domains : Domains
        Sources and targets.
    groups : array of int, shape (n_target,)
        The group of each target row: 0, 1, ...; -1 for all others.
    words : array of str, shape (n_words,)
        The word of each column.
    n_words : int, default=10
        Largest number of words per group.
    shown : array of bool, shape (n_words,), default=None
        Words that may be listed; None: all.

    Returns
    -------
    typical : list of list of str
        One list per group; words that are in more documents of the group come first, if they are rare elsewhere.
    """
    Xt, Xs = domains.target_documents(), domains.labelled()[0]
    outside = np.flatnonzero(groups < 0)
    rest = (word_counts(Xs) + word_counts(Xt[outside]) + SMOOTHING) / (Xs.shape[0] + len(outside) + 2 * SMOOTHING)
    typical = []
    for group in range(int(groups.max(initial=-1)) + 1):
        rows = np.flatnonzero(groups == group)
        n_best = n_words if len(rows) else 0
        typical.append(_distinguishing(word_counts(Xt[rows]), len(rows), rest, words, n_best, shown))
    return typical


def target_words(Xt: Any, codes: Array, n_classes: int, words: Array, n_words: int = 8) -> list[list[str]]:
    """Per class, the words that distinguish the target documents with its label from the other target documents.

    Parameters
    ----------
    Xt : matrix of shape (n_target, n_words)
        The target documents.
    codes : array of int, shape (n_target,)
        Their labels.
    n_classes : int
        Number of classes.
    words : array of str
        The word of each column.
    n_words : int, default=8
        Largest number of words per class.

    Returns
    -------
    typical : list of list of str
        One list per class, empty for features below 0. Words of one document only are omitted.
    """
    if has_negative(Xt):
        return [[] for _ in range(n_classes)]
    total = word_counts(Xt)
    typical = []
    for c in range(n_classes):
        rows = np.flatnonzero(codes == c)
        inside = word_counts(Xt[rows])
        rest = (total - inside + SMOOTHING) / (len(codes) - len(rows) + 2 * SMOOTHING)
        typical.append(_distinguishing(np.where(inside > 1, inside, 0), len(rows), rest, words, n_words))
    return typical


def _distinguishing(
    counts: Array, n_documents: int, rest: Array, words: Array, n_words: int, shown: Array | None = None
) -> list[str]:
    """Words in many of these documents, if their share elsewhere (`rest`) is smaller; the most typical first."""
    share = (counts + SMOOTHING) / (n_documents + 2 * SMOOTHING)
    weight = np.where(counts > 0, share * np.log(share / rest), 0)
    weight = weight if shown is None else np.where(shown, weight, 0)
    best = np.argsort(-weight, kind="stable")[:n_words]
    return [str(words[w]) for w in best if weight[w] > 0]


def evidence(Xt: Any, codes: Array, scores: Array, words: Array, n_words: int = 5) -> list[list[str]]:
    """Per document, at most `n_words` words that support its label most; none that contradict it."""
    listed: list[list[str]] = []
    for start in range(0, Xt.shape[0], ROWS):
        X, code = Xt[start : start + ROWS], codes[start : start + ROWS]
        for i in range(X.shape[0]):
            columns, weights = _row(X, i)
            support = weights * scores[columns, code[i]]
            order = np.argsort(-support, kind="stable")[:n_words]
            listed.append([str(words[columns[j]]) for j in order if support[j] > 0])
    return listed


def _row(X: Any, i: int) -> tuple[Array, Array]:
    """Columns and values of the entries of a row."""
    if hasattr(X, "indptr"):
        part = slice(X.indptr[i], X.indptr[i + 1])
        return X.indices[part], X.data[part]
    columns = np.flatnonzero(X[i])
    return columns, X[i][columns]
