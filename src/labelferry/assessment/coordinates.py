"""Coordinates of documents on their leading singular vectors: for their clusters, and for choosing typical ones."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd

from ..core.sampling import MAX_COMPARED, sample_rows
from ..linalg.matrix import Array, Matrix, in_memory, word_counts
from ..linalg.normalize import normalize_rows_l2, unit_projections
from ..linalg.shared import shared

N_AXES = 50


@shared
def coordinates(X: Matrix) -> Array:
    """Unit rows of the leading singular vectors of documents of unit length, in single precision.

    `X`: the documents. Of more than MAX_COMPARED, a sample determines the vectors; words that it lacks are left
    out.
    Returns at most N_AXES columns, the leading one first; a column of ones if there are not two documents and two
    words.
    """
    some = sp.csr_array(normalize_rows_l2(in_memory(X[sample_rows(X.shape[0], MAX_COMPARED)])))
    used = np.flatnonzero(word_counts(some))
    k = min(N_AXES, some.shape[0] - 1, len(used) - 1)
    if k < 1:
        return np.ones((X.shape[0], 1), dtype=np.float32)
    axes = np.zeros((k, X.shape[1]), dtype=some.dtype)
    axes[:, used] = randomized_svd(some[:, used], k, n_iter=4, random_state=0, transpose=False)[2]
    return unit_projections(X, axes)
