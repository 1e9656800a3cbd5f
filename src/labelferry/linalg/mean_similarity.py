"""The similarity of many documents, averaged over groups."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .matrix import Array, Matrix
from .normalize import normalize_rows_l2


def mean_similarity(X: Matrix, order: Array, n_bins: int) -> tuple[Array, Array]:
    """Mean cosine between groups of documents that are adjacent in `order`, and the edges of the groups.

    With the sums S of the unit rows of each group, the means are S S' divided by the numbers of pairs: groups x groups.
    """
    edges = np.linspace(0, len(order), n_bins + 1).round().astype(int)
    group = np.repeat(np.arange(n_bins), np.diff(edges))
    member = sp.csr_array((np.ones(len(order)), (group, order)), shape=(n_bins, len(order)))
    S = member @ normalize_rows_l2(X)
    together = S @ S.T
    sizes = np.diff(edges)
    return (together.toarray() if sp.issparse(together) else together) / np.outer(sizes, sizes), edges
