"""Operations on the entries of a matrix. No function changes its input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from .matrix import Array


def values(X: Any) -> Array:
    """The non-zero entries, in any order."""
    stored = np.asarray(X.data if sp.issparse(X) else X)
    return np.asarray(stored[stored != 0])


def apply(X: Any, function: Callable[[Array], Array]) -> Any:
    """Apply the function to all non-zero entries, in the precision of X; zeros stay zero."""
    stored = X.data if sp.issparse(X) else np.asarray(X)
    out = np.zeros_like(stored)
    out[stored != 0] = function(stored[stored != 0])
    return sp.csr_array((out, X.indices, X.indptr), shape=X.shape) if sp.issparse(X) else out


def scale_columns(X: Any, factor: Array) -> Any:
    """X diag(factor), in the precision of X."""
    factor = np.asarray(factor, dtype=X.dtype)
    if sp.issparse(X):
        return sp.csr_array((X.data * factor[X.indices], X.indices, X.indptr), shape=X.shape)
    return np.asarray(X) * factor


def to_dense(X: Any) -> Array:
    """X as a numpy array; only for a few rows."""
    return X.toarray() if sp.issparse(X) else np.asarray(X)
