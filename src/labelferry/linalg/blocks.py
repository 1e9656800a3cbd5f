"""Blocks: one matrix as an ordered list of blocks of rows, for documents that do not fit memory or one machine.

A block is a CSR array in memory, a file (`block_files.py`), or a result on a Dask worker (`dask_blocks.py`). Every
operation visits each block once, by `map_reduce`: a function takes a block and returns what belongs to its rows, and
what is summed over the blocks. Sums are added in a fixed binary tree, so that a result does not depend on the number of
threads, on workers, or on the order in which they finish.

Scaling, selecting and applying a function to the entries copy no data: the factors, the rows and the function are kept
beside the blocks and used when a block is visited. The transpose is never formed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from .backends import Backend, Call, Threads, Visit, as_is
from .block import Block, Columns, Rows, Shared, Transposed, slice_rows, visit
from .matrix import Array, canonical, stack_rows, with_data

BLOCK_ROWS = 25_000  # of a matrix that is cut into blocks


class Blocks:
    """A matrix of blocks of rows.

    Make one with `Blocks.of`, `write_blocks`, `open_blocks` or `labelferry.from_parquet`. Every estimator that needs
    only products with the documents takes it instead of a sparse matrix.

    Parameters
    ----------
    parts : sequence of Rows
        The rows, block by block.
    columns : sequence of Columns
        One, or several with the same number of columns; `Rows.group` says which.
    factor : array of shape (n_rows,), default=None
        Factor of every row.
    backend : Backend, default=Threads()
        Where blocks are visited.
    """

    ndim = 2
    __array_ufunc__ = None  # numpy leaves `array @ blocks` to `__rmatmul__`

    def __init__(
        self,
        parts: Sequence[Rows],
        columns: Sequence[Columns],
        factor: Array | None = None,
        backend: Backend | None = None,
    ) -> None:
        self.parts = tuple(part for part in parts if part.n_rows)
        self.column_groups, self.factor = tuple(columns), factor
        self.backend = Threads() if backend is None else backend
        self.ends = np.cumsum([0, *(part.n_rows for part in self.parts)])

    @classmethod
    def of(cls, X: Any, *, block_rows: int = BLOCK_ROWS, backend: Backend | None = None) -> Self:
        """A matrix, or several with the same columns one below the other, as blocks in memory.

        Parameters
        ----------
        X : matrix, or sequence of matrices
            Documents x words. Canonical CSR arrays are not copied.
        block_rows : int, default=25_000
            Number of rows of a block.
        backend : Backend, default=Threads()
            Where blocks are visited.

        Returns
        -------
        blocks : Blocks
            The same matrix.
        """
        matrices = [canonical(A) for A in (X if isinstance(X, list | tuple) else [X])]
        if len({A.shape[1] for A in matrices}) != 1:
            raise ValueError(f"blocks must have the same columns; got {[A.shape[1] for A in matrices]}.")
        dtype = np.result_type(*(A.dtype for A in matrices))
        parts = [
            Rows(slice_rows(A, slice(first, last)), slice(0, last - first))
            for A in matrices
            for first in range(0, A.shape[0], block_rows)
            for last in [min(first + block_rows, A.shape[0])]
        ]
        return cls(parts, [Columns(dtype, matrices[0].shape[1])], backend=backend)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return int(self.ends[-1]), self.column_groups[0].n_columns

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the entries."""
        return self.column_groups[0].dtype

    @property
    def T(self) -> Transposed:
        """The transpose."""
        return Transposed(self)

    def __repr__(self) -> str:
        n, m = self.shape
        return f"<Blocks of {n} x {m} in {len(self.parts)} blocks, {self.dtype}, {self.backend!r}>"

    # -- visiting the blocks ------------------------------------------------------------------------------------------
    def map_reduce(self, function: Callable[..., Visit], *aligned: Array, shared: tuple[Any, ...] = ()) -> Visit:
        """Call `function(block, *rows of the aligned arrays, *shared)` for every block; see `matrix.map_reduce`."""
        if not self.parts:  # a block without rows
            none = sp.csr_array((0, self.column_groups[0].n_stored), dtype=self.dtype)
            empty = Block(none, slice(0, 0), None, self.column_groups[0])
            return function(empty, *(A[:0] for A in aligned), *shared)
        of_rows = (self.factor, *aligned)
        calls = [
            Call(part.block, (part.kept, part.group, *(None if A is None else A[a:b] for A in of_rows)))
            for part, a, b in zip(self.parts, self.ends[:-1], self.ends[1:], strict=True)
        ]
        rows, sums = self.backend.map_reduce(visit, calls, Shared(function, self.column_groups, shared))
        return None if rows[0] is None else stack_rows(rows), sums

    def of_rows(self, function: Callable[[sp.csr_array], Any]) -> Any:
        """`function(CSR of a block)` of every block, one below the other."""
        return self.map_reduce(_rows_of_csr, shared=(function,))[0]

    def total(self, function: Callable[[sp.csr_array], Any]) -> Any:
        """`function(CSR of a block)`, summed over the blocks."""
        return self.map_reduce(_sum_of_csr, shared=(function,))[1][0]

    def __matmul__(self, B: Any) -> Array:
        return np.asarray(self.map_reduce(_product, shared=(_dense(B, self.shape[1]),))[0])

    def __rmatmul__(self, A: Any) -> Array:
        product: Array = (self.T @ A.T).T
        return product

    def transposed_product(self, V: Array) -> Array:
        """X'V."""
        return np.asarray(self.map_reduce(_transposed_product, _dense(V, self.shape[0]))[1][0])

    # -- the same matrix in another form ------------------------------------------------------------------------------
    def __getitem__(self, rows: Any) -> Blocks:
        """Rows by a slice, a mask or numbers; `[:, columns]` takes columns. Increasing numbers copy no data."""
        if isinstance(rows, tuple):
            rows, columns = rows
            if columns is not Ellipsis:
                if not isinstance(rows, slice):
                    raise IndexError("take rows, or columns as in X[:, columns]; then the others from the result.")
                return self[rows]._take_columns(np.arange(self.shape[1])[columns])
        number = np.arange(self.shape[0])[rows]
        if number.ndim != 1:
            raise IndexError("blocks are indexed by several rows: a slice, a mask or an array of numbers.")
        if len(number) == self.shape[0] and (number == np.arange(len(number))).all():
            return self
        if (np.diff(number) > 0).all():
            return self._take(number)
        kept, position = np.unique(number, return_inverse=True)  # another order: a copy in memory
        return Blocks.of(self._take(kept).to_csr()[position])

    def _take(self, number: Array) -> Blocks:
        inside = np.searchsorted(number, self.ends)
        parts = [
            part._replace(kept=_compose(part.kept, number[i:j] - first))
            for part, first, i, j in zip(self.parts, self.ends, inside[:-1], inside[1:], strict=False)
        ]
        return Blocks(parts, self.column_groups, None if self.factor is None else self.factor[number], self.backend)

    def _take_columns(self, number: Array) -> Blocks:
        if len(np.unique(number)) < len(number):
            raise IndexError("a column of blocks can be taken once.")
        return self._with_columns(c.take(number) for c in self.column_groups)

    def _with_columns(self, columns: Iterable[Columns]) -> Blocks:
        return Blocks(self.parts, list(columns), self.factor, self.backend)

    def scale_rows(self, factor: Array) -> Blocks:
        """Multiply each row by a factor: diag(factor) X."""
        factor = np.asarray(factor, dtype=self.dtype)
        factor = factor if self.factor is None else self.factor * factor
        return Blocks(self.parts, self.column_groups, factor, self.backend)

    def scale_columns(self, factor: Array) -> Blocks:
        """Multiply each column by a factor: X diag(factor)."""
        factor = np.asarray(factor, dtype=self.dtype)
        return self._with_columns(c.times(factor) for c in self.column_groups)

    def apply(self, function: Callable[[Array], Array]) -> Blocks:
        """The function of every stored entry; only before rows or columns are scaled."""
        return self.apply_to_rows(partial(_of_entries, function=function))

    def apply_to_rows(self, function: Callable[[sp.csr_array], sp.csr_array]) -> Blocks:
        """`function(CSR)` of some rows, with the same rows and columns; only before rows or columns are scaled."""
        if self.factor is not None or any(c.factor is not None for c in self.column_groups):
            raise ValueError("a function of the entries has to be applied before rows or columns are scaled.")
        return self._with_columns(c.apply(function) for c in self.column_groups)

    def astype(self, dtype: Any) -> Blocks:
        """With entries of another type."""
        columns = [c.astype(dtype) for c in self.column_groups]
        return Blocks(self.parts, columns, None if self.factor is None else self.factor.astype(dtype), self.backend)

    def like(self, X: Any) -> Blocks:
        """Another matrix as blocks that the same backend visits."""
        return Blocks.of(X).on(self.backend)

    def stack(self, others: Iterable[Blocks]) -> Blocks:
        """This matrix and others below it, which must have the same columns."""
        every = [self, *others]
        if len({X.shape[1] for X in every}) > 1:
            raise ValueError(f"matrices must have the same columns to be stacked; got {[X.shape[1] for X in every]}.")
        factors = None
        if any(X.factor is not None for X in every):
            factors = np.concatenate([np.ones(X.shape[0], X.dtype) if X.factor is None else X.factor for X in every])
        parts: list[Rows] = []
        columns: list[Columns] = []
        for X in every:
            parts += [part._replace(group=part.group + len(columns)) for part in X.parts]
            columns += X.column_groups
        return Blocks(parts, columns, factors, self.backend)

    def on(self, backend: Backend) -> Blocks:
        """The same matrix, visited by another backend."""
        placed = backend.place([part.block for part in self.parts])
        parts = [part._replace(block=block) for part, block in zip(self.parts, placed, strict=True)]
        return Blocks(parts, self.column_groups, self.factor, backend)

    def to_csr(self) -> sp.csr_array:
        """All entries as one CSR array in memory."""
        return sp.csr_array(self.of_rows(as_is))

    def sample(self, n_rows: int, rng: np.random.Generator) -> tuple[Array, sp.csr_array]:
        """Random rows: their numbers, increasing, and the rows as CSR in memory; all rows if there are fewer.

        Parameters
        ----------
        n_rows : int
            Number of rows.
        rng : Generator
            Random numbers.

        Returns
        -------
        number : array of int, shape (n_rows,)
            The numbers of the rows.
        X : csr_array
            The rows.
        """
        n = self.shape[0]
        number = np.arange(n) if n <= n_rows else np.sort(rng.choice(n, n_rows, replace=False))
        return number, self[number].to_csr()


def _compose(kept: slice | Array, number: Array) -> slice | Array:
    """The rows with these (increasing) numbers among those that are kept; a slice if they are consecutive."""
    if len(number) == 0:
        return slice(0, 0)
    rows: Array = number + kept.start if isinstance(kept, slice) else kept[number]
    first, last = int(rows[0]), int(rows[-1])
    return slice(first, last + 1) if last - first + 1 == len(rows) else rows


def _dense(A: Any, n_rows: int) -> Array:
    A = np.asarray(A.toarray() if sp.issparse(A) else A)
    if A.shape[:1] != (n_rows,):
        raise ValueError(f"the other factor of a product must have {n_rows} rows; it has the shape {A.shape}.")
    return np.asarray(A)


def _of_entries(S: sp.csr_array, function: Callable[[Array], Array]) -> sp.csr_array:
    return with_data(S, function(S.data))


def _product(X: Block, B: Array) -> Visit:
    return X @ B, ()


def _transposed_product(X: Block, V: Array) -> Visit:
    return None, (X.T @ V,)


def _rows_of_csr(X: Block, function: Callable[[sp.csr_array], Any]) -> Visit:
    return function(X.to_csr()), ()


def _sum_of_csr(X: Block, function: Callable[[sp.csr_array], Any]) -> Visit:
    return None, (function(X.to_csr()),)
