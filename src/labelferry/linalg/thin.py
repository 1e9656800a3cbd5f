"""Arrays with few columns: sparse products, one column after the other or in parallel, and the largest column."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .matrix import Array
from .threads import each, has_free_thread

FEW_COLUMNS = 5  # up to here one product per column is faster
_MANY_ENTRIES = 50_000  # from here on threads are worth their start


def thin_product(X: Any, B: Array) -> Any:
    """X @ B, also for a transposed X."""
    # scipy multiplies CSR by a matrix with one inner loop over the columns per entry of X. With two columns the loop
    # costs more than its content: one product per column takes half the time, and the products of the columns run in
    # parallel. The sums are the same, in the same order.
    if not sp.issparse(X) or not 1 < B.shape[1] <= FEW_COLUMNS:
        return X @ B
    in_parallel = X.nnz >= _MANY_ENTRIES and has_free_thread()
    if not in_parallel and X.format != "csr":
        return np.asfortranarray(X @ B)  # CSC has the faster loop for several columns
    XB: Array = np.empty((B.shape[1], X.shape[0]), dtype=np.result_type(X.dtype, B.dtype))

    def multiply(column: int, b: Array) -> None:
        XB[column] = X @ b

    columns = range(B.shape[1]), np.ascontiguousarray(B.T)
    if in_parallel:
        each(multiply, *columns)
    else:
        list(map(multiply, *columns))
    return XB.T


def largest_column(A: Array) -> Array:
    """`A.argmax(axis=1)`; with few columns numpy takes longer for each row than for its entries."""
    if not 1 < A.shape[1] <= FEW_COLUMNS:
        return np.asarray(A.argmax(axis=1))
    largest, column = A[:, 0].copy(), np.zeros(len(A), dtype=np.int8)
    for j in range(1, A.shape[1]):
        np.maximum(column, (A[:, j] > largest) * np.int8(j), out=column)
        np.maximum(largest, A[:, j], out=largest)
    return column.astype(np.intp)
