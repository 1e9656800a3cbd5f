"""Mean similarities between groups of documents, small enough for a picture."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

Array: TypeAlias = np.ndarray[Any, Any]


def mean_similarity(X: Any, order: Array, n_bins: int) -> tuple[Array, Array]:
    """Return the mean cosine between groups of documents that are adjacent in `order`.

    With the sums S of the unit rows of each group, the means are S S' divided by the numbers of pairs: groups x groups.
    """
    edges = np.linspace(0, len(order), n_bins + 1).round().astype(int)
    sizes = np.diff(edges)
    group = np.repeat(np.arange(n_bins), sizes)
    member = sp.csr_array((np.ones(len(order)), (group, order)), shape=(n_bins, len(order)))
    S = member @ normalize(X)
    products = S @ S.T
    return (products.toarray() if sp.issparse(products) else products) / np.outer(sizes, sizes), edges
