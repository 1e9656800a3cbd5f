"""Words of two domains: how many are shared, which changed, and which indicate a class in both.

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

from ..linalg.matrix import Array, word_counts
from .distance import read_pair

CARRIES = 2.0  # a word indicates a class if it is this many times as frequent there as in the other documents
MIN_DOCS = 5  # a word in fewer documents of the source is ignored: its frequencies are chance


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

    The order is that of the change of the square root of the frequency: a change from 1 % to 4 % counts as much as one
    from 9 % to 16 %, since the noise of a frequency grows in the same way.

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
    return (inside + 1) / (n_inside + 2), (n_words - inside + 1) / (len(member) - n_inside + 2)
