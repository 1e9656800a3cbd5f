"""Generated documents of any number: a Zipf vocabulary, planted classes, and a shift from the source to the target.

    p(w | c, d)  proportional to  z_w  a_w(c, d),     z_w = 1 / (10 + rank of w)

    w  word     c  class     d  "source" or "target"

A word has no class (background), or a class in both domains (common), or a class in one domain (domain-specific; in the
other domain it is rare). a_w is `LIFT` for a word of the class of the document, `RARE` for a word of the other domain,
and 1 for all others. A method that learns the domain-specific words of the target from its common words is better than
one that is trained on the source alone.

Documents are made in parts. A part depends on its number and the seed only, so that parts can be made in any order, in
any process, and on demand: 10 million documents never have to be in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Side = Literal["source", "target"]
Array = NDArray[Any]

N_WORDS = 100_000
PART = 50_000  # documents of a part
LIFT, RARE = 4.0, 0.05
MEAN_TOKENS, SPREAD = 66, 0.35  # mean of the lengths and standard deviation of their logarithms: about 61 entries


class Part(NamedTuple):
    """Documents x words and the true class of every document."""

    X: sp.csr_array
    y: Array


class Task(NamedTuple):
    """A source, a target, and the true classes of both."""

    Xs: sp.csr_array
    ys: Array
    Xt: sp.csr_array
    yt: Array


def generate_part(
    side: Side,
    number: int,
    n_documents: int = PART,
    *,
    n_words: int = N_WORDS,
    n_classes: int = 2,
    weighting: Literal["tfidf", "counts"] = "tfidf",
    dtype: Any = np.float32,
    seed: int = 0,
) -> Part:
    """Make the documents of one part.

    `n_classes`: number of classes: equally frequent in the source; in the target the first is the most frequent.
    `weighting`: entries: 1 + log of the count, times idf, with rows of unit length; or counts. The idf is that of
    the word probabilities, so that no pass over the documents is needed.
    Returns documents x words, CSR with sorted columns and 32-bit indices, and the classes.
    """
    rng = np.random.default_rng([seed, 1 if side == "target" else 0, number])
    y = rng.choice(n_classes, n_documents, p=class_shares(side, n_classes))
    log_mean = np.log(MEAN_TOKENS) - SPREAD**2 / 2
    lengths = np.maximum(1, rng.lognormal(log_mean, SPREAD, n_documents)).astype(np.int64)
    row = np.repeat(np.arange(n_documents), lengths)
    u, class_of_token = rng.random(len(row)), y[row]
    word = np.empty(len(row), dtype=np.int64)
    for c in range(n_classes):
        here = class_of_token == c
        word[here] = np.searchsorted(_cumulative(side, c, n_words, n_classes, seed), u[here], side="right")
    keys, counts = np.unique(row * n_words + word, return_counts=True)
    row, word = np.divmod(keys, n_words)
    indptr = np.searchsorted(row, np.arange(n_documents + 1)).astype(np.int32)
    data = counts.astype(dtype)
    if weighting == "tfidf":
        data = (1 + np.log(data)) * _idf(n_words, n_classes, seed).astype(dtype)[word]
        data /= np.sqrt(np.add.reduceat(data * data, indptr[:-1]))[row]  # every document has a word
    return Part(sp.csr_array((data, word.astype(np.int32), indptr), shape=(n_documents, n_words)), y)


def generate_parts(side: Side, n_documents: int, *, part: int = PART, **settings: Any) -> Iterator[Part]:
    """The parts of `n_documents` documents, one after the other; the settings are those of `generate_part`."""
    for number, first in enumerate(range(0, n_documents, part)):
        yield generate_part(side, number, min(part, n_documents - first), **settings)


def generate_task(n_documents: int, *, part: int = PART, **settings: Any) -> Task:
    """Half of the documents in the source, half in the target, in memory; the settings are those of `generate_part`."""
    sides: list[Any] = []
    sizes: list[tuple[Side, int]] = [("source", n_documents // 2), ("target", n_documents - n_documents // 2)]
    for side, n in sizes:
        parts = list(generate_parts(side, n, part=part, **settings))
        X = sp.csr_array(sp.vstack([p.X for p in parts], format="csr"))
        sides += [X, np.concatenate([p.y for p in parts])]
    return Task(*sides)


def class_shares(side: Side, n_classes: int) -> Array:
    """Proportions of the classes: equal in the source, falling by a fifth from class to class in the target."""
    shares = np.ones(n_classes) if side == "source" else 0.8 ** np.arange(n_classes)
    return np.asarray(shares / shares.sum())


@cache
def _word_shares(side: Side, n_words: int, n_classes: int, seed: int) -> Array:
    """p(w | c, d) for one domain, classes x words."""
    rng = np.random.default_rng([seed, 2])
    class_of_word = rng.integers(n_classes, size=n_words)
    scope = rng.choice(["background", "common", "source", "target"], n_words, p=[0.4, 0.1, 0.25, 0.25])
    zipf = 1.0 / (10 + rng.permutation(n_words))
    other = "source" if side == "target" else "target"
    has_class = (scope == "common") | (scope == side)
    lift = np.where((class_of_word == np.arange(n_classes)[:, None]) & has_class, LIFT, 1.0)
    shares = zipf * np.where(scope == other, RARE, lift)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


@cache
def _cumulative(side: Side, c: int, n_words: int, n_classes: int, seed: int) -> Array:
    total = np.cumsum(_word_shares(side, n_words, n_classes, seed)[c])
    return np.asarray(np.minimum(total / total[-1], 1.0))


@cache
def _idf(n_words: int, n_classes: int, seed: int) -> Array:
    """log of one over the expected share of documents with the word, plus 1."""
    sides: tuple[Side, ...] = ("source", "target")
    shares = [_word_shares(side, n_words, n_classes, seed).mean(axis=0) for side in sides]
    with_word = -np.expm1(MEAN_TOKENS * np.log1p(-np.mean(shares, axis=0)))
    return np.asarray(1 - np.log(with_word))
