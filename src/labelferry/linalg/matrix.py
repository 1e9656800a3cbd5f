"""Matrix: the operations on the data that a solver may use.

A solver uses `X @ B`, `X.T @ B`, `X.shape`, `X[rows]` and `squared_norm(X)` only, so that numpy arrays, scipy sparse
arrays and other matrices use the same code. Branches on the type of a matrix are in this package only.
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
    """Documents x words: a numpy array, a scipy sparse array, or an object with the same operations."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def T(self) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...
    def __getitem__(self, rows: Any, /) -> Any: ...


def squared_norm(X: Any) -> float:
    """The squared Frobenius norm of X. Other types of Matrix need a method with this name."""
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
    """Stack blocks of rows; the result is sparse if one of them is."""
    if len(blocks) == 1:
        return blocks[0]
    if any(sp.issparse(B) for B in blocks):
        return sp.csr_array(sp.vstack(blocks, format="csr"))
    return np.vstack(blocks)


def as_like_blocks(blocks: Sequence[Any]) -> list[Any]:
    """The blocks with one precision and of one type: sparse if one of them is."""
    dtype = np.result_type(*(B.dtype for B in blocks))
    sparse = any(sp.issparse(B) for B in blocks)
    converted = [B if sp.issparse(B) or not sparse else sp.csr_array(B) for B in blocks]
    return [B if B.dtype == dtype else B.astype(dtype) for B in converted]


def stack_columns(blocks: Sequence[Any]) -> Any:
    """Stack blocks of columns; the result is sparse if one of them is."""
    if any(sp.issparse(B) for B in blocks):
        return sp.csr_array(sp.hstack([B if sp.issparse(B) else _as_csr(B) for B in blocks], format="csr"))
    return np.hstack(blocks)


def _as_csr(A: Array) -> sp.csr_array:
    """All entries of A, also zeros, as CSR, with a third of the memory of scipy's conversion by coordinates."""
    n, m = A.shape
    columns = np.tile(np.arange(m, dtype=np.int32), n)
    return sp.csr_array((A.ravel(), columns, np.arange(0, n * m + 1, m)), shape=A.shape)


def take_columns(X: Any, columns: Array) -> Any:
    """The given columns of X; X itself if a mask selects all."""
    return X if columns.dtype == bool and columns.all() else X[:, columns]


def fill_rows(A: Array, rows: Array) -> Array:
    """A with rows of zeros inserted where `rows` is False: the inverse of `B[rows]`."""
    full = np.zeros((len(rows), A.shape[1]), dtype=A.dtype)
    full[rows] = A
    return full


def empty_rows(X: Any) -> Array:
    """True for rows of zeros. X does not change: `abs(X)` would sort its indices in place."""
    if not sp.issparse(X):
        return np.logical_not(np.asarray(X).any(axis=1))
    transposed = X.format == "csc"
    row_of_entry = X.indices if transposed else np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    n_entries: Array = np.bincount(row_of_entry[X.data != 0], minlength=X.shape[0])
    return np.asarray(n_entries == 0)


def has_negative(X: Any) -> bool:
    """Whether any entry of X is below 0."""
    values = X.data if sp.issparse(X) else np.asarray(X)
    return bool(values.size and values.min() < 0)


def short_indices(X: Any) -> Any:
    """X with 32-bit indices if they suffice: liblinear accepts no others."""
    if not sp.issparse(X) or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def word_counts(X: Any) -> Array:
    """Number of documents that contain each word."""
    if not sp.issparse(X):
        return np.asarray(np.count_nonzero(np.asarray(X), axis=0))
    columns = X.indices if X.format == "csr" else np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    return np.bincount(columns[X.data != 0], minlength=X.shape[1])
