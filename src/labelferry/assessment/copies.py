"""Copies and near-copies among documents. A copy confirms its own label, so it is no evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..linalg.content import row_keys
from ..linalg.knn import nearest
from ..linalg.matrix import Array

MIN_COSINE = 0.95  # of a near-copy
N_COMPARED = 15  # nearest documents that may be near-copies


def nearest_others(X: Any) -> sp.csr_array:
    """Cosines of each document with its N_COMPARED nearest other ones."""
    return nearest(X, n_neighbors=min(N_COMPARED, max(1, X.shape[0] - 1)))


def first_of_copies(neighbors: Any) -> Array:
    """For each document, the number of the first of its (near-)copies; its own number if it is the first.

    `neighbors` are those of `nearest_others`.
    """
    W = sp.csr_array(neighbors, copy=True)
    W.data = np.where(W.data >= MIN_COSINE, 1.0, 0.0)
    W.eliminate_zeros()
    _, group = connected_components(W, directed=False)
    _, first, member = np.unique(group, return_index=True, return_inverse=True)
    return np.asarray(first[member])


def share_of_copies(X: Any, neighbors: Any) -> float:
    """Share of the documents that are copies or near-copies of an earlier one.

    `X`: all documents. If `neighbors` is about a sample of them, their exact copies are counted too: a sample has
    few of the copies.
    """
    first = first_of_copies(neighbors)
    near = float((first != np.arange(len(first))).mean())
    if len(first) == X.shape[0]:
        return near
    exact = 1 - len(np.unique(row_keys(X))) / int(X.shape[0])
    return max(near, exact)
