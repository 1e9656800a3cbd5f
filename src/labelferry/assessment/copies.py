"""Copies and near-copies among documents. A copy confirms its own label, so it is no evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from ..linalg.knn import nearest
from ..linalg.matrix import Array

MIN_COSINE = 0.95  # of a near-copy
N_COMPARED = 15  # nearest documents


def first_of_copies(X: Any) -> Array:
    """For each document, the number of the first of its (near-)copies; its own number if it is the first."""
    W = sp.csr_array(nearest(X, n_neighbors=min(N_COMPARED, max(1, X.shape[0] - 1))))
    W.data = np.where(W.data >= MIN_COSINE, 1.0, 0.0)
    W.eliminate_zeros()
    _, group = connected_components(W, directed=False)
    _, first, member = np.unique(group, return_index=True, return_inverse=True)
    return np.asarray(first[member])
