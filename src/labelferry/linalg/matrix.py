"""Matrix: the operations on the data that a solver may use.

A solver uses `X @ B`, `X.T @ B`, `X.shape`, `X[rows]`, `map_reduce` and the functions of this package only, so that
numpy arrays, scipy sparse arrays and `Blocks` (`blocks.py`) use the same code. Branches on the type of a matrix are in
this package only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

MAX_COUNTED = 1 << 22  # entries at a time: `bincount` makes a 64-bit copy of their columns


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


def is_blocked(X: Any) -> bool:
    """Whether X is a matrix of blocks: `X.of_rows(f)` and `X.total(f)` apply a function to the CSR of each block."""
    return hasattr(X, "map_reduce")


def map_reduce(
    function: Callable[..., tuple[Any, tuple[Any, ...]]], X: Any, *aligned: Array, shared: tuple[Any, ...] = ()
) -> tuple[Any, tuple[Any, ...]]:
    """One pass over the rows of X.

    `function`: `function(X, *aligned, *shared)` for some rows of X and of the aligned arrays. It returns what
    belongs to these rows (an array, or None), and a tuple of arrays or numbers that are summed. It must be a
    function of a module, so that workers can import it.
    """
    visited: tuple[Any, tuple[Any, ...]]
    visited = X.map_reduce(function, *aligned, shared=shared) if is_blocked(X) else function(X, *aligned, *shared)
    return visited


def squared_norm(X: Any) -> float:
    """The squared Frobenius norm of X. Other types of Matrix need a method with this name."""
    if isinstance(X, np.ndarray):
        return float(np.vdot(X, X))
    if sp.issparse(X):
        return float(np.vdot(X.data, X.data))
    return float(X.total(squared_norm) if is_blocked(X) else X.squared_norm())


def to_csr(X: Any) -> sp.csr_array:
    """X as canonical CSR: sorted columns, no duplicates, no stored zeros. The input is never changed."""
    S = X.to_csr() if is_blocked(X) else sp.csr_array(X, copy=sp.issparse(X))
    S.sum_duplicates()
    S.eliminate_zeros()
    return S


def canonical(X: Any) -> sp.csr_array:
    """X as CSR with sorted columns, without duplicates and stored zeros; X itself if it is that."""
    if sp.issparse(X) and X.format == "csr" and X.has_canonical_format and X.data.all():
        return sp.csr_array(X)
    return to_csr(X)


def squared_column_sums(X: Any) -> Array:
    """Sum of the squares of each column."""
    if is_blocked(X):
        return np.asarray(X.total(squared_column_sums))
    if sp.issparse(X):
        return np.bincount(sp.csr_array(X).indices, np.square(X.data, dtype=np.float64), minlength=X.shape[1])
    return np.asarray(np.square(X).sum(axis=0))


def has_column(X: Any, columns: Array) -> Array:
    """True for the rows with an entry other than 0 in one of the columns of the mask."""
    if is_blocked(X):
        return np.asarray(X.of_rows(partial(has_column, columns=columns)))
    return np.asarray(~empty_rows(X[:, columns]))


def in_memory(X: Any) -> Any:
    """X as a numpy or sparse array in memory."""
    return X.to_csr() if hasattr(X, "to_csr") else X  # Blocks, or a Block that is visited


def check_positions(X: Any) -> None:
    """Raise ValueError if a CSR, CSC or BSR matrix has wrong positions, which would read or write foreign memory."""
    # The check of scipy does nothing if the last number of `indptr` is 0 or less, whatever the others are.
    if (np.diff(X.indptr) < 0).any():
        raise ValueError("the ends of the rows of a sparse matrix must not decrease")
    X.check_format(full_check=True)


def with_data(S: sp.csr_array, data: Array) -> sp.csr_array:
    """CSR with the columns of S and other entries; the columns are not copied."""
    A = sp.csr_array(S.shape, dtype=data.dtype)
    A.data, A.indices, A.indptr = data, S.indices, S.indptr  # scipy's constructor copies a part of a larger array
    return A


def to_array(X: Any) -> Array:
    """X as an array."""
    return np.asarray(X.toarray() if sp.issparse(X) else X)


def has_entries(X: Any) -> bool:
    """Whether the entries of X can be read: it is an array or a sparse matrix, not another type of Matrix."""
    return isinstance(X, np.ndarray) or sp.issparse(X)


def is_sparse_enough(X: Any) -> bool:
    """Whether at most half of the entries, in columns that are not zero, are not zero."""
    # Then a sparse matrix needs about as much memory as an array, or less.
    in_column = word_counts(X)
    return bool(2 * in_column.sum() <= X.shape[0] * np.count_nonzero(in_column))


def stack_rows(blocks: Sequence[Any]) -> Any:
    """Stack blocks of rows; the result is sparse if one of them is."""
    if len(blocks) == 1:
        return blocks[0]
    if is_blocked(blocks[0]):
        return blocks[0].stack(blocks[1:])
    if any(sp.issparse(B) for B in blocks):
        return sp.csr_array(sp.vstack(blocks, format="csr"))
    return np.concatenate(blocks)


def as_like_blocks(blocks: Sequence[Any]) -> list[Any]:
    """The blocks with one precision and of one type: `Blocks` if one of them is, or sparse if one of them is."""
    dtype = np.result_type(*(B.dtype for B in blocks))
    blocked = [B for B in blocks if is_blocked(B)]
    if blocked:
        like = [B if is_blocked(B) else blocked[0].like(B) for B in blocks]
        return [B if B.dtype == dtype else B.astype(dtype) for B in like]
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


def permute(X: Any, rows: Array, columns: Array) -> Any:
    """`X[rows][:, columns]`, with sorted indices. Of a sparse X only columns of zeros may be left out."""
    if not sp.issparse(X):
        return X[np.ix_(rows, columns)]
    Y = sp.csr_array(X[rows])
    new = np.zeros(X.shape[1], dtype=Y.indices.dtype)
    new[columns] = np.arange(len(columns))
    Y = sp.csr_array((Y.data, new[Y.indices], Y.indptr), shape=(len(rows), len(columns)))
    Y.sort_indices()
    return Y


def fill_rows(A: Array, rows: Array) -> Array:
    """A with rows of zeros inserted where `rows` is False: the inverse of `B[rows]`."""
    full = np.zeros((len(rows), A.shape[1]), dtype=A.dtype)
    full[rows] = A
    return full


def sample_blocks(X: Any, n_rows: int) -> tuple[Array, Any]:
    """Of a matrix of blocks, the numbers of random rows, always the same, and these rows in memory; else all of X."""
    if not is_blocked(X):
        return np.arange(X.shape[0]), X
    sample: tuple[Array, Any] = X.sample(n_rows, np.random.default_rng(0))
    return sample


def no_rows(X: Any) -> sp.csr_array:
    """A matrix with the columns of X and no rows."""
    return sp.csr_array((0, X.shape[1]), dtype=X.dtype)


def empty_rows(X: Any) -> Array:
    """True for rows of zeros. X does not change: `abs(X)` would sort its indices in place."""
    if is_blocked(X):
        return np.asarray(X.of_rows(empty_rows))
    if not sp.issparse(X):
        return np.logical_not(np.asarray(X).any(axis=1))
    return np.asarray(np.diff(canonical(X).indptr) == 0)


def has_negative(X: Any) -> bool:
    """Whether any entry of X is below 0."""
    if is_blocked(X):
        return bool(X.total(has_negative))
    values = X.data if sp.issparse(X) else np.asarray(X)
    return bool(values.size and values.min() < 0)


def short_indices(X: Any) -> Any:
    """X with 32-bit indices if they suffice: liblinear accepts no others."""
    if not sp.issparse(X) or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def word_counts(X: Any) -> Array:
    """Number of documents that contain each word."""
    if is_blocked(X):
        return np.asarray(X.total(word_counts))
    if not sp.issparse(X):
        return np.asarray(np.count_nonzero(np.asarray(X), axis=0))
    columns = canonical(X).indices
    counts = np.zeros(X.shape[1], dtype=np.intp)
    for start in range(0, len(columns), MAX_COUNTED):
        counts += np.bincount(columns[start : start + MAX_COUNTED], minlength=X.shape[1])
    return counts
