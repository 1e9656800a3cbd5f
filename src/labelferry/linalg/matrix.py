"""Matrix: everything that a solver may require of the data.

A solver uses `X @ B`, `X.T @ B`, `X.shape`, `X[rows]` and `squared_norm(X)`, nothing else, so that numpy arrays, scipy
sparse arrays and matrices made of blocks run the same line. Branches on the type of matrix are in this package only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


@runtime_checkable
class Matrix(Protocol):
    """Documents x words: a numpy array, a scipy sparse array, or blocks that answer the same questions."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def T(self) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...
    def __getitem__(self, rows: Any, /) -> Any: ...


def squared_norm(X: Any) -> float:
    """The squared Frobenius norm of X. A Matrix of your own answers by a method of this name."""
    if isinstance(X, np.ndarray):
        return float(np.vdot(X, X))
    if sp.issparse(X):
        return float(np.vdot(X.data, X.data))
    return float(X.squared_norm())


def to_csr(X: Any) -> sp.csr_array:
    """X as canonical CSR: sorted columns, no duplicates, no stored zeros. The input is never changed."""
    S = sp.csr_array(X, copy=sp.issparse(X))
    S.sum_duplicates()
    S.eliminate_zeros()
    return S


def stack_rows(blocks: Sequence[Any]) -> Any:
    """Blocks of rows on top of each other; sparse as soon as one of them is."""
    if len(blocks) == 1:
        return blocks[0]
    if any(sp.issparse(B) for B in blocks):
        return sp.csr_array(sp.vstack(blocks, format="csr"))
    return np.vstack(blocks)


def as_like_blocks(blocks: Sequence[Any]) -> list[Any]:
    """Blocks with one precision and of one kind: sparse as soon as one of them is."""
    dtype = np.result_type(*(B.dtype for B in blocks))
    sparse = any(sp.issparse(B) for B in blocks)
    alike = [B if sp.issparse(B) or not sparse else sp.csr_array(B) for B in blocks]
    return [B if B.dtype == dtype else B.astype(dtype) for B in alike]


def stack_columns(blocks: Sequence[Any]) -> Any:
    """Blocks of columns beside each other; sparse as soon as one of them is."""
    if any(sp.issparse(B) for B in blocks):
        return sp.csr_array(sp.hstack([B if sp.issparse(B) else _as_csr(B) for B in blocks], format="csr"))
    return np.hstack(blocks)


def _as_csr(A: Array) -> sp.csr_array:
    """All entries of A, zeros too, as CSR: a third of the memory that scipy's way by coordinates takes."""
    n, m = A.shape
    columns = np.tile(np.arange(m, dtype=np.int32), n)
    return sp.csr_array((A.ravel(), columns, np.arange(0, n * m + 1, m)), shape=A.shape)


def take_columns(X: Any, columns: Array) -> Any:
    """The given columns of X; X itself where they are all of them."""
    return X if columns.dtype == bool and columns.all() else X[:, columns]


def fill_rows(A: Array, rows: Array) -> Array:
    """A with rows of zeros put in where `rows` is False: what it was before only those rows were taken."""
    full = np.zeros((len(rows), A.shape[1]), dtype=A.dtype)
    full[rows] = A
    return full


def empty_rows(X: Any) -> Array:
    """True where a row has no entry but zeros. X is only looked at: `abs(X)` would sort its indices in place."""
    if not sp.issparse(X):
        return np.logical_not(np.asarray(X).any(axis=1))
    transposed = X.format == "csc"
    row_of_entry = X.indices if transposed else np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.bincount(row_of_entry[X.data != 0], minlength=X.shape[0]) == 0


def has_negative(X: Any) -> bool:
    """Is any entry of X below 0?"""
    values = X.data if sp.issparse(X) else np.asarray(X)
    return bool(values.size and values.min() < 0)


def short_indices(X: Any) -> Any:
    """X with indices of 32 bits where they suffice: liblinear takes no others."""
    if not sp.issparse(X) or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
