r"""Documents as a classifier of the labelled ones would have weighted them.

A tf-idf matrix of all domains has words that no labelled document contains, and weights that count the unlabelled
documents: both say nothing about the classes, and make the rows of the target shorter where it matters.

    n_s, d_s  number of labelled documents, and of those with feature j
    n, d      the same of all documents
    g_j = [d_s > 0] (1 + log((1 + n_s) / (1 + d_s))) / (1 + log((1 + n) / (1 + d)))                                  (1)
    x'  = |x| (g x) / |g x|                                                                                          (2)

(1) replaces the inverse document frequency of all documents by that of the labelled ones, in the form of
scikit-learn's TfidfVectorizer. With (2) every row keeps its length, so that rows of unit length stay so, and C means
the same. Features that every document has, such as embeddings, stay as they are: g_j = 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..core.domains import Domains
from ..linalg.matrix import Array, Matrix, word_counts
from ..linalg.normalize import row_norms, scale_columns, scale_rows
from ..linalg.shared import shared


def source_weights(domains: Domains) -> Array:
    """g in (1)."""
    Xs = domains.labelled()[0]
    d_s, d = word_counts(Xs), np.sum([word_counts(X) for X in domains.X], axis=0)
    n_s, n = Xs.shape[0], sum(X.shape[0] for X in domains.X)
    g: Array = inverse_frequency(d_s, n_s) / inverse_frequency(d, n)
    return np.where(d_s > 0, g, 0.0)


def inverse_frequency(documents: Array, n: int) -> Array:
    """Smooth idf of words that are in so many of n documents."""
    idf: Array = 1 + np.log((1 + n) / (1 + documents))
    return idf


@shared
def reweigh(X: Matrix, g: Array) -> Any:
    """(2) for all rows of X; rows without a known feature become zero."""
    if (g == 1).all():
        return X
    weighted = scale_columns(X, g)
    before, after = row_norms(X), row_norms(weighted)
    return scale_rows(weighted, np.divide(before, after, out=np.zeros_like(after), where=after > 0))


def reweigh_domains(domains: Domains, g: Array) -> Domains:
    """(2) for the documents of all domains."""
    return replace(domains, domains=tuple(replace(d, X=reweigh(d.X, g)) for d in domains))
