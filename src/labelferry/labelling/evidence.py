"""Which words support a label: a naive Bayes model of the answer, the same for every method.

The words of all documents are counted per class: in the sources by the given labels, in the target by the predicted
probabilities. A word supports a class by the logarithm of its share there divided by its share in the next class; in a
document, times its weight. This shows what is typical of the answer, not how the method found it. Features below 0 are
not counts of words and get no evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.domains import Domains
from ..linalg.matrix import Array, has_negative, in_memory, map_reduce, word_counts
from ..tables.row_index import RowIndex
from ..tables.sequences import OnDemand

SMOOTHING = 0.5  # documents added to every word and class
ROWS = 4096  # documents per block
MAX_LISTS = 20_000  # documents; for more, the words are not kept as texts
NO_WORD = -1
MAX_LETTERS = 60  # of a word that is shown; some texts contain "words" of a million letters


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
    return [[shown_word(words[w]) for w in order[:, c] if weight[w, c] > 0] for c in range(weight.shape[1])]


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
    inside = np.flatnonzero(groups >= 0)
    counts = word_counts(Xs) + word_counts(Xt) - word_counts(Xt[inside])  # few are inside: Xt is not copied
    rest = (counts + SMOOTHING) / (Xs.shape[0] + len(groups) - len(inside) + 2 * SMOOTHING)
    typical = []
    for group in range(int(groups.max(initial=-1)) + 1):
        rows = np.flatnonzero(groups == group)
        n_best = n_words if len(rows) else 0
        typical.append(_distinguishing(word_counts(Xt[rows]), len(rows), rest, words, n_best, shown))
    return typical


def target_words(
    Xt: Any, codes: Array, n_classes: int, words: Array, n_words: int = 8, *, shown: Array | None = None
) -> list[list[str]]:
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
    shown : array of bool, shape (n_words,), default=None
        Words that may be listed; None: all.

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
        typical.append(_distinguishing(np.where(inside > 1, inside, 0), len(rows), rest, words, n_words, shown))
    return typical


def _distinguishing(
    counts: Array, n_documents: int, rest: Array, words: Array, n_words: int, shown: Array | None = None
) -> list[str]:
    """Words in many of these documents, if their share elsewhere (`rest`) is smaller; the most typical first."""
    share = (counts + SMOOTHING) / (n_documents + 2 * SMOOTHING)
    weight = np.where(counts > 0, share * np.log(share / rest), 0)
    weight = weight if shown is None else np.where(shown, weight, 0)
    best = np.argsort(-weight, kind="stable")[:n_words]
    return [shown_word(words[w]) for w in best if weight[w] > 0]


def evidence(Xt: Any, codes: Array, scores: Array, words: Array, n_words: int = 5) -> Sequence[list[str]]:
    """Per document, at most `n_words` words that support its label most; none that contradict it."""
    return word_lists(evidence_columns(Xt, codes, scores, n_words), words)


def evidence_columns(Xt: Any, codes: Array, scores: Array, n_words: int = 5) -> Array:
    """The columns of the words of `evidence`: one row per document, -1 where there are fewer words."""
    return np.asarray(map_reduce(_best_columns, Xt, codes, shared=(scores, n_words))[0])


def _best_columns(Xt: Any, codes: Array, scores: Array, n_words: int) -> tuple[Array, tuple[()]]:
    Xt = in_memory(Xt)
    found = np.full((Xt.shape[0], n_words), NO_WORD, dtype=np.int32)
    for start in range(0, Xt.shape[0], ROWS):
        rows, columns, weights = _entries(Xt[start : start + ROWS])
        support = weights * scores[columns, codes[start : start + ROWS][rows]]
        order = np.lexsort((columns, -support, rows))  # of equal support, the first column
        rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
        best = (rank < n_words) & (support[order] > 0)
        found[start + rows[best], rank[best]] = columns[order[best]]
    return found, ()


def shown_word(word: Any) -> str:
    """A word as it is shown: a long one is cut.

    >>> shown_word("door"), len(shown_word("o" * 1_000_000))
    ('door', 61)
    """
    text = str(word)
    return text if len(text) <= MAX_LETTERS else f"{text[:MAX_LETTERS]}…"


def _entries(X: Any) -> tuple[Array, Array, Array]:
    """Row, column and value of the entries, row after row."""
    if hasattr(X, "indptr"):
        return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices, X.data
    rows, columns = np.nonzero(X)
    return rows, columns, X[rows, columns]


class WordLists(OnDemand):
    """Lists of words, as columns of a matrix; the words are looked up when they are read.

    Parameters
    ----------
    columns : array of int, shape (n_documents, n_words)
        The columns; -1 where there is no word.
    words : array of str
        The word of each column.
    """

    def __init__(self, columns: Array, words: Array) -> None:
        self.columns, self.words = columns, words

    def __len__(self) -> int:
        return len(self.columns)

    def read(self, start: int, stop: int) -> list[list[str]]:
        """The lists from `start` to `stop`."""
        return [[shown_word(self.words[c]) for c in row if c != NO_WORD] for row in self.columns[start:stop].tolist()]

    def widen(self, used: Array, index: RowIndex) -> WordLists:
        """The lists of the `used` documents at their rows; empty ones elsewhere."""
        return WordLists(index.widen_array(self.columns[used], self.columns.dtype.type(NO_WORD)), self.words)


def word_lists(columns: Array, words: Array) -> Sequence[list[str]]:
    """The words of each row: lists or, for many documents, lists that are made on demand.

    Parameters
    ----------
    columns : array of int, shape (n_documents, n_words)
        The columns of the words; -1 where there is none.
    words : array of str
        The word of each column.

    Returns
    -------
    lists : sequence of list of str
        One list per row.
    """
    lists = WordLists(columns, words)
    return lists if len(lists) > MAX_LISTS else lists[:]
