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

from ..assessment.words import shown_word
from ..core.domains import Domains
from ..linalg.matrix import Array, has_negative, in_memory, map_reduce
from ..tables.row_index import RowIndex
from ..tables.sequences import OnDemand

SMOOTHING = 0.5  # documents added to every word and class
ROWS = 4096  # documents per block
MAX_LISTS = 20_000  # documents; for more, the words are not kept as texts
NO_WORD = -1


class WordEvidence(NamedTuple):
    share: Array  # words x classes: share of all words of the class
    score: Array  # words x classes: how much a word supports a class, compared with the next class


def word_evidence(domains: Domains, proba: Array, shown: Array | None = None) -> WordEvidence:
    """Evidence of each word; `proba` are the predicted probabilities of the target rows."""
    # Words that are not `shown`, stop words, are no evidence.
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


def evidence(Xt: Any, codes: Array, scores: Array, words: Array, n_words: int = 5) -> Sequence[list[str]]:
    """Per document, at most `n_words` words that support its label most; none that contradict it."""
    lists = WordLists(evidence_columns(Xt, codes, scores, n_words), words)
    return lists if len(lists) > MAX_LISTS else lists[:]


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


def _entries(X: Any) -> tuple[Array, Array, Array]:
    """Row, column and value of the entries, row after row."""
    if hasattr(X, "indptr"):
        return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices, X.data
    rows, columns = np.nonzero(X)
    return rows, columns, X[rows, columns]


class WordLists(OnDemand):
    """Lists of words, as columns of a matrix; the words are looked up when they are read."""

    def __init__(self, columns: Array, words: Array) -> None:
        self.columns, self.words = columns, words

    def __len__(self) -> int:
        return len(self.columns)

    def read(self, start: int, stop: int) -> list[list[str]]:
        return [[shown_word(self.words[c]) for c in row if c != NO_WORD] for row in self.columns[start:stop].tolist()]

    def widen(self, used: Array, index: RowIndex) -> WordLists:
        """The lists of the `used` documents at their rows; empty ones elsewhere."""
        return WordLists(index.widen_array(self.columns[used], self.columns.dtype.type(NO_WORD)), self.words)


def join_words(lists: list[list[str]]) -> list[str]:
    """Lists of words as texts of cells."""
    return [", ".join(words) for words in lists]
