"""Statistics of words: how many two domains share, which changed, which indicate a class, and which are typical.

>>> from labelferry import load_demo
>>> from labelferry.assessment import vocabulary_overlap
>>> demo = load_demo()
>>> 0 < vocabulary_overlap(demo.X_source, demo.X_target) < 1
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.domains import Domains
from ..linalg.matrix import Array, has_negative, word_counts
from .distance import read_pair

CARRIES = 2.0  # a word indicates a class if it is this many times as frequent there as in the other documents
MIN_DOCS = 5  # a word in fewer documents of the source is ignored: its frequencies are chance
ADDED = 1.0  # documents with a word, and as many without it, that are added before two frequencies of it are compared
ADDED_TYPICAL = 0.5  # the same for lists of typical words
MAX_LETTERS = 60  # of a word that is shown; some texts contain "words" of a million letters


def vocabulary_overlap(Xs: Any, Xt: Any) -> float:
    """Share of the word occurrences of the target (a word in a document) whose word occurs in the source.

    Parameters
    ----------
    Xs, Xt : array or sparse matrix of shape (n_documents, n_words)
        The documents of the source and of the target, with the same columns.

    Returns
    -------
    overlap : float
        The share, from 0 to 1.
    """
    Xs, Xt = read_pair(Xs, Xt)
    in_target = word_counts(Xt)
    total = in_target.sum()
    return float(in_target[word_counts(Xs) > 0].sum() / total) if total else 0.0


def changed_words(
    Xs: Any, Xt: Any, words: Sequence[str] | Array, n: int = 20, *, shown: Array | None = None
) -> list[dict[str, Any]]:
    """Words whose document frequency changed most between source and target.

    The order is that of the change of the square root of the frequency: a change from 1% to 4% counts as much as one
    from 9% to 16%, since the noise of a frequency grows in the same way.

    Parameters
    ----------
    Xs, Xt : array or sparse matrix of shape (n_documents, n_words)
        The documents of the source and of the target, with the same columns.
    words : sequence of str
        The word of each column.
    n : int, default=20
        Number of words.
    shown : array of bool, shape (n_words,), default=None
        Words that may be listed; None: all.

    Returns
    -------
    changed : list of dict
        Per word: `word`, and the shares of the documents that contain it, `source` and `target`.
    """
    Xs, Xt = read_pair(Xs, Xt)
    before, after = (word_counts(X) / max(X.shape[0], 1) for X in (Xs, Xt))
    change = np.abs(np.sqrt(after) - np.sqrt(before)) * (1 if shown is None else shown)
    order = np.argsort(-change, kind="stable")[:n]
    return [
        {"word": str(words[w]), "source": float(before[w]), "target": float(after[w])} for w in order if change[w] > 0
    ]


def carriers(Xs: Any, codes: Array, Xt: Any) -> Array:
    """Words that indicate a class in the source and also occur in the target.

    A word indicates a class if its document frequency there is more than twice that in all other documents, counted
    with one additional document on both sides. Words in fewer than five documents of the source are ignored.

    Parameters
    ----------
    Xs : array or sparse matrix of shape (n_source, n_words)
        The documents of the source.
    codes : array of shape (n_source,)
        The class of each source document.
    Xt : array or sparse matrix of shape (n_target, n_words)
        The documents of the target.

    Returns
    -------
    mask : array of bool, shape (n_words,)
        True for these words.
    """
    Xs, Xt = read_pair(Xs, Xt)
    share, other = _class_shares(Xs, codes)
    indicates = np.asarray((share > CARRIES * other).any(axis=1))
    return indicates & (word_counts(Xs) >= MIN_DOCS) & (word_counts(Xt) > 0)


def carrier_words(
    Xs: Any, codes: Array, Xt: Any, words: Sequence[str] | Array, n: int = 10, *, shown: Array | None = None
) -> list[list[dict[str, Any]]]:
    """Per class, the words of `carriers` that indicate it, those that are in many documents of the target first.

    The order is that of the share of target documents with the word, times the logarithm of the ratio of its
    frequencies in the class and in all other documents of the source.

    Parameters
    ----------
    Xs : array or sparse matrix of shape (n_source, n_words)
        The documents of the source.
    codes : array of shape (n_source,)
        The class of each source document.
    Xt : array or sparse matrix of shape (n_target, n_words)
        The documents of the target.
    words : sequence of str
        The word of each column.
    n : int, default=10
        Largest number of words per class.
    shown : array of bool, shape (n_words,), default=None
        Words that may be listed; None: all.

    Returns
    -------
    listed : list of list of dict
        One list per class, in the order of the codes. Per word: `word`, and the shares of documents that contain it:
        `in_class` and `elsewhere` (source), and `target`.
    """
    Xs, Xt = read_pair(Xs, Xt)
    share, other = _class_shares(Xs, codes)
    carry, target = carriers(Xs, codes, Xt) & (True if shown is None else shown), word_counts(Xt) / max(Xt.shape[0], 1)
    listed = []
    for c in range(share.shape[1]):
        own = np.flatnonzero(carry & (share[:, c] > CARRIES * other[:, c]))
        order = own[np.argsort(-target[own] * np.log(share[own, c] / other[own, c]), kind="stable")][:n]
        listed.append(
            [
                {
                    "word": str(words[w]),
                    "in_class": float(share[w, c]),
                    "elsewhere": float(other[w, c]),
                    "target": float(target[w]),
                }
                for w in order
            ]
        )
    return listed


def _class_shares(Xs: Any, codes: Array) -> tuple[Array, Array]:
    """Words x classes: share of the documents of a class, and of all others, with the word; one more document each."""
    classes = np.unique(codes)
    member = (np.asarray(codes)[:, None] == classes).astype(np.float64)
    inside = np.asarray((Xs != 0).astype(np.float64).T @ member)
    n_inside, n_words = member.sum(axis=0), word_counts(Xs)[:, None]
    return frequency(inside, n_inside), frequency(n_words - inside, len(member) - n_inside)


def group_words(
    domains: Domains, groups: Array, words: Array, n_words: int = 10, *, shown: Array | None = None
) -> list[list[str]]:
    """Per group of target rows, the words that distinguish it from all documents outside the groups.

    `groups` has the group of each target row: 0, 1, ...; -1 for all others. At most `n_words` words per group, of
    those that are `shown`; words that are in more documents of the group come first, if they are rare elsewhere.
    """
    Xt, Xs = domains.target_documents(), domains.labelled()[0]
    inside = np.flatnonzero(groups >= 0)
    counts = word_counts(Xs) + word_counts(Xt) - word_counts(Xt[inside])  # few are inside: Xt is not copied
    rest = frequency(counts, Xs.shape[0] + len(groups) - len(inside), ADDED_TYPICAL)
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

    At most `n_words` words per class, of those that are `shown`; none for features below 0. `codes` are the labels.
    Words of one document only are omitted.
    """
    if has_negative(Xt):
        return [[] for _ in range(n_classes)]
    total = word_counts(Xt)
    typical = []
    for c in range(n_classes):
        rows = np.flatnonzero(codes == c)
        inside = word_counts(Xt[rows])
        rest = frequency(total - inside, len(codes) - len(rows), ADDED_TYPICAL)
        typical.append(_distinguishing(np.where(inside > 1, inside, 0), len(rows), rest, words, n_words, shown))
    return typical


def _distinguishing(
    counts: Array, n_documents: int, rest: Array, words: Array, n_words: int, shown: Array | None = None
) -> list[str]:
    """Words in many of these documents, if their frequency elsewhere (`rest`) is smaller; the most typical first."""
    share = frequency(counts, n_documents, ADDED_TYPICAL)
    weight = np.where(counts > 0, share * np.log(share / rest), 0)
    weight = weight if shown is None else np.where(shown, weight, 0)
    best = np.argsort(-weight, kind="stable")[:n_words]
    return [shown_word(words[w]) for w in best if weight[w] > 0]


def frequency(counts: Array, n_documents: int | Array, added: float = ADDED) -> Array:
    """Share of the documents that contain a word, after `added` documents with it and as many without it."""
    return (counts + added) / (n_documents + 2 * added)


def shown_word(word: Any) -> str:
    """A word as it is shown: a long one is cut.

    >>> shown_word("door"), len(shown_word("o" * 1_000_000))
    ('door', 61)
    """
    text = str(word)
    return text if len(text) <= MAX_LETTERS else f"{text[:MAX_LETTERS]}…"
