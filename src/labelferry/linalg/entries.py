"""Entries of a matrix, one by one or by column. Nothing here writes to its input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from .matrix import Array


def values(X: Any) -> Array:
    """The entries that are not zero, in no order to rely on."""
    stored = X.data if sp.issparse(X) else np.asarray(X)
    return stored[stored != 0]


def apply(X: Any, function: Callable[[Array], Array]) -> Any:
    """The function of every entry that is not zero, in the precision of X; zeros stay zero."""
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
    """X as a numpy array; for a few rows."""
    return X.toarray() if sp.issparse(X) else np.asarray(X)
