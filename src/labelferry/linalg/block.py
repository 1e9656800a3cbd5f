"""One block of rows of a `Blocks` matrix, as a function that visits it sees it: its products copy no data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from .backends import Visit
from .matrix import Array, with_data


class Rows(NamedTuple):
    """Some rows of a stored block."""

    block: Any  # a CSR array, an object with `open()` that returns one, or what the backend makes one of
    kept: slice | Array  # a slice with a start, a stop and no step, or increasing numbers of rows
    group: int = 0  # number of its Columns among those of the matrix

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return _count(self.kept)


class Columns(NamedTuple):
    """The columns of one or more blocks."""

    dtype: np.dtype[Any]
    n_stored: int  # columns of a stored block
    factor: Array | None = None  # of every stored column
    kept: Array | None = None  # numbers of the stored columns that the matrix has; None is all
    functions: tuple[Callable[[sp.csr_array], sp.csr_array], ...] = ()  # of stored rows, before factors

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self.n_stored if self.kept is None else len(self.kept)

    def astype(self, dtype: Any) -> Columns:
        """With entries of another type."""
        return self._replace(dtype=np.dtype(dtype), factor=None if self.factor is None else self.factor.astype(dtype))

    def take(self, number: Array) -> Columns:
        """Some of the columns."""
        return self._replace(kept=number if self.kept is None else self.kept[number])

    def apply(self, function: Callable[[sp.csr_array], sp.csr_array]) -> Columns:
        """With a function of the rows; it sees the columns that are kept only."""
        if self.kept is None:
            return self._replace(functions=(*self.functions, function))
        kept = partial(_take_columns, number=self.kept)
        return self._replace(n_stored=self.n_columns, kept=None, functions=(*self.functions, kept, function))

    def times(self, factor: Array) -> Columns:
        """With the columns multiplied by a factor each."""
        stored = factor
        if self.kept is not None:
            stored = np.ones(self.n_stored, dtype=self.dtype)
            stored[self.kept] = factor
        return self._replace(factor=stored if self.factor is None else self.factor * stored)


class Block:
    """Some rows of a matrix in memory: the Matrix that a function of `map_reduce` gets."""

    def __init__(self, stored: sp.csr_array, kept: slice | Array, factor: Array | None, columns: Columns) -> None:
        self.shape = (_count(kept), columns.n_columns)
        self.dtype = columns.dtype
        self.factor, self.columns = factor, columns
        self.scattered: Array | None = None  # numbers of the rows among those of `stored`; None is all
        if isinstance(kept, slice):
            stored = slice_rows(stored, kept)
        elif 2 * len(kept) < stored.shape[0]:
            stored = stored[kept]  # a copy of few rows
        else:
            self.scattered = kept  # nearly all rows: the others are computed too, and dropped
        for function in columns.functions:
            stored = function(stored)
        self.stored = with_data(stored, stored.data.astype(self.dtype, copy=False))

    def __matmul__(self, B: Array) -> Array:
        c = self.columns
        if c.kept is not None:
            all_columns = np.zeros((c.n_stored, *B.shape[1:]), dtype=B.dtype)
            all_columns[c.kept] = B
            B = all_columns
        out: Array = self.stored @ (B if c.factor is None else _scale(c.factor, B))
        out = out if self.scattered is None else out[self.scattered]
        return out if self.factor is None else _scale(self.factor, out)

    @property
    def T(self) -> Transposed:
        """The transpose."""
        return Transposed(self)

    def transposed_product(self, V: Array) -> Array:
        """X'V."""
        c = self.columns
        V = V if self.factor is None else _scale(self.factor, V)
        if self.scattered is not None:
            all_rows = np.zeros((self.stored.shape[0], *V.shape[1:]), dtype=V.dtype)
            all_rows[self.scattered] = V
            V = all_rows
        out: Array = _transpose(self.stored) @ V
        out = out if c.factor is None else _scale(c.factor, out)
        return out if c.kept is None else out[c.kept]

    def to_csr(self) -> sp.csr_array:
        """The entries as CSR, in memory."""
        c, S = self.columns, self.stored
        if self.scattered is not None:
            S = S[self.scattered]
        data = S.data if c.factor is None else S.data * c.factor[S.indices]
        if self.factor is not None:
            data = data * np.repeat(self.factor, np.diff(S.indptr))
        S = with_data(S, data)
        return S if c.kept is None else _take_columns(S, c.kept)


class HasTransposedProduct(Protocol):
    """X with X'V."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def transposed_product(self, V: Array) -> Array: ...


class Transposed:
    """X' of a `Blocks` or a `Block`: products only."""

    def __init__(self, X: HasTransposedProduct) -> None:
        self.X = X
        self.shape = X.shape[::-1]
        self.dtype = X.dtype

    @property
    def T(self) -> Any:
        """X."""
        return self.X

    def __matmul__(self, V: Any) -> Array:
        return self.X.transposed_product(V.toarray() if sp.issparse(V) else np.asarray(V))


class Shared(NamedTuple):
    """What all visits of one `map_reduce` share."""

    function: Callable[..., Visit]
    columns: tuple[Columns, ...]
    arguments: tuple[Any, ...]


def visit(stored: Any, arguments: tuple[Any, ...], shared: Shared) -> Visit:
    """One visit, in a thread or on a worker: the block is opened here."""
    kept, group, factor, *aligned = arguments
    csr = stored if sp.issparse(stored) else stored.open()
    block = Block(csr, kept, factor, shared.columns[group])
    return shared.function(block, *aligned, *shared.arguments)


def slice_rows(S: sp.csr_array, rows: slice) -> sp.csr_array:
    """Rows of S without a copy of their entries."""
    if rows == slice(0, S.shape[0]):
        return S
    ends = S.indptr[rows.start : rows.stop + 1]
    A = sp.csr_array((rows.stop - rows.start, S.shape[1]), dtype=S.dtype)
    A.data, A.indices = S.data[ends[0] : ends[-1]], S.indices[ends[0] : ends[-1]]
    A.indptr = ends - ends[0]
    return A


def _take_columns(S: sp.csr_array, number: Array) -> sp.csr_array:
    return sp.csr_array(S[:, number])


def _transpose(S: sp.csr_array) -> sp.csc_array:
    """S' in the arrays of S; `S.T` copies them if S is a part of a larger array."""
    A = sp.csc_array(S.shape[::-1], dtype=S.dtype)
    A.data, A.indices, A.indptr = S.data, S.indices, S.indptr
    return A


def _count(kept: slice | Array) -> int:
    return int(kept.stop - kept.start) if isinstance(kept, slice) else len(kept)


def _scale(factor: Array, A: Array) -> Array:
    """diag(factor) A."""
    scaled: Array = factor * A if A.ndim == 1 else factor[:, None] * A
    return scaled
