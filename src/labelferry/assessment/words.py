"""What the words say of a transfer: how many are shared, which changed, which carry the classes across.

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

from ..linalg.matrix import Array
from .distance import read_pair

CARRIES = 2.0  # a word carries a class if it is this many times as frequent there as in the other documents
MIN_DOCS = 5  # of the source, below which a word's leaning is chance


def vocabulary_overlap(Xs: Any, Xt: Any) -> float:
    """The share of the target's word occurrences (a word in a document) whose word the source has too."""
    Xs, Xt = read_pair(Xs, Xt)
    in_target = document_counts(Xt)
    total = in_target.sum()
    return float(in_target[document_counts(Xs) > 0].sum() / total) if total else 0.0


def changed_words(Xs: Any, Xt: Any, words: Sequence[str] | Array, n: int = 20) -> list[dict[str, Any]]:
    """The words whose share of documents changed most, by the change in the square root of the share, as dicts `word`,
    `source`, `target` (shares). The root weighs 1 % against 4 % as 9 % against 16 %: the noise of a share grows so."""
    Xs, Xt = read_pair(Xs, Xt)
    before, after = (document_counts(X) / max(X.shape[0], 1) for X in (Xs, Xt))
    change = np.abs(np.sqrt(after) - np.sqrt(before))
    order = np.argsort(-change, kind="stable")[:n]
    return [
        {"word": str(words[w]), "source": float(before[w]), "target": float(after[w])} for w in order if change[w] > 0
    ]


def carriers(Xs: Any, codes: Array, Xt: Any) -> Array:
    """Which words carry a class across, as a mask: they lean to a class in the source, and the target has them.

    A word leans to a class that has it in twice as great a share of its documents as all others together, counted with
    one document more on either side; words in fewer than five documents of the source are left out.
    """
    Xs, Xt = read_pair(Xs, Xt)
    counts = (Xs != 0).astype(np.float64)
    n_words = document_counts(Xs)
    found = np.zeros(Xs.shape[1], dtype=bool)
    for c in np.unique(codes):
        inside = np.asarray(counts.T @ (codes == c)).ravel()
        n_inside, n_outside = (codes == c).sum(), (codes != c).sum()
        share, other = (inside + 1) / (n_inside + 2), (n_words - inside + 1) / (n_outside + 2)
        found |= (share > CARRIES * other) & (n_words >= MIN_DOCS)
    return found & (document_counts(Xt) > 0)


def document_counts(X: Any) -> Array:
    """In how many documents each word is."""
    return np.asarray((X != 0).sum(axis=0)).ravel()
