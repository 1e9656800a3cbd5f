"""Operations on the entries of a matrix. No function changes its input."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from .matrix import Array, is_blocked, with_data


def values(X: Any) -> Array:
    """The non-zero entries, in any order."""
    stored = np.asarray(X.data if sp.issparse(X) else X)
    return np.asarray(stored[stored != 0])


def every(X: Any, predicate: Callable[[Array], Array]) -> bool:
    """Whether the predicate is true for all non-zero entries."""
    if is_blocked(X):
        return int(X.total(partial(_n_false, predicate=predicate))) == 0
    return _n_false(X, predicate) == 0


def apply(X: Any, function: Callable[[Array], Array]) -> Any:
    """Apply the function to all non-zero entries, in the precision of X; zeros stay zero."""
    if is_blocked(X):
        return X.apply(partial(_of_non_zero, function=function))
    if sp.issparse(X):
        return with_data(X, _of_non_zero(X.data, function))
    return _of_non_zero(np.asarray(X), function)


def _n_false(X: Any, predicate: Callable[[Array], Array]) -> int:
    return int(np.count_nonzero(~predicate(values(X))))


def _of_non_zero(stored: Array, function: Callable[[Array], Array]) -> Array:
    out = np.zeros_like(stored)
    out[stored != 0] = function(stored[stored != 0])
    return out
