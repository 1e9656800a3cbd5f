"""One order of the rows and columns of a matrix that depends on its entries only, not on the order they are given in.

Two matrices that differ only in the order of their rows and columns are the same matrix in this order, bit by bit. So
are all results that are computed from it: random starts, folds, ties, and rounding errors.

Every row and every column gets a color, a 64-bit number. The color of a row is a sum over its entries of hashes of
(value, color of the column), and vice versa, until no more rows and columns get different colors (Weisfeiler and Leman
1968). Sums of integers modulo 2^64 do not depend on the order of the terms. Groups of rows, such as classes, have
colors too, from their rows, and give them back to the rows.

The numbers are compared after division by the power of two next to the largest, so that a multiple of X by a power of
two has the same order.

Rows of one color that are not equal are told apart by nothing but their place: there is a permutation of the rows and
columns that exchanges them and leaves the matrix as it is, except in rare regular structures. They are
`interchangeable`, and the given order decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .matrix import Array, Matrix, word_counts
from .shared import shared

MAX_ROUNDS = 8
_BLOCK_ENTRIES = 1 << 15  # temporary arrays fit the cache
_NO_GROUP = -1


def row_keys(X: Matrix) -> Array:
    """A number per row, its product with a fixed random vector: equal keys belong to equal rows, up to rounding."""
    # Products of dense arrays round by the position of a row, so that equal rows would have different keys.
    rows = sp.csr_array(X) if isinstance(X, np.ndarray) else X
    return np.asarray(rows @ np.random.default_rng(0).random(X.shape[1])).ravel()


class ContentOrder(NamedTuple):
    """`X[rows][:, columns]` is the same matrix for any order of the rows and columns of X."""

    rows: Array
    columns: Array  # without columns of zeros
    groups: Array
    fingerprints: Array  # of the rows of X, in the given order: equal for equal rows
    interchangeable: bool  # are there rows, columns or groups that only the given order tells apart?


@shared
def content_order(
    X: Any, kinds: Array | None = None, group_of_row: Array | None = None, n_groups: int = 0
) -> ContentOrder:
    """Sort rows, columns and groups by content."""
    # `kinds`: rows of different kinds, such as documents of different domains, are never exchanged; lower kinds come
    # first. None: all rows are of one kind. `group_of_row`: the group of each row, such as its class; -1 for none. Only
    # who is in one group matters, not its number. None: there are no groups.
    kinds = np.zeros(X.shape[0], dtype=int) if kinds is None else kinds
    group_of_row = np.full(X.shape[0], _NO_GROUP) if group_of_row is None else group_of_row
    occurs = word_counts(X) > 0
    rows, columns, groups = _colors(X, occurs, kinds, group_of_row, n_groups)
    # Of equal colors, the given order decides: first of groups, then of rows; then each row tells columns apart.
    group_order = np.argsort(groups, kind="stable")
    group_rank = np.append(np.argsort(group_order), _NO_GROUP)[group_of_row]
    row_order = np.lexsort((group_rank, rows, _own_colors(X, kinds, group_of_row, n_groups), kinds))
    rank = np.empty(len(row_order), dtype=np.uint64)
    rank[row_order] = np.arange(len(row_order))
    by_rank = _column_sums(X, _mix(rank))
    column_order = np.lexsort((by_rank, columns))
    fingerprints = _row_sums(X, _mix(by_rank))
    tied = _tied(rows, fingerprints) or _tied(columns[occurs], by_rank[occurs])
    return ContentOrder(
        row_order,
        column_order[occurs[column_order]],
        group_order,
        fingerprints,
        tied or _n_different(groups) < n_groups,
    )


def _own_colors(X: Any, kinds: Array, group_of_row: Array, n_groups: int) -> Array:
    """Colors of rows among those of their kind alone: the order of one kind does not depend on the others, except ties.

    So documents that a method does not use, such as the target of a source-only classifier, have no influence on it.
    """
    own = np.zeros(X.shape[0], dtype=np.uint64)
    for kind in np.unique(kinds):
        chosen = kinds == kind
        part = X[chosen]
        own[chosen] = _colors(part, word_counts(part) > 0, kinds[chosen], group_of_row[chosen], n_groups)[0]
    return own


def _colors(X: Any, occurs: Array, kinds: Array, group_of_row: Array, n_groups: int) -> tuple[Array, Array, Array]:
    """The colors of rows, columns and groups. Columns of zeros do not count: they have no effect on any other color."""
    in_group = group_of_row != _NO_GROUP
    rows = _mix(kinds.astype(np.uint64) + np.uint64(1))
    rows[in_group] = _mix(rows[in_group])
    columns, groups = np.zeros(X.shape[1], dtype=np.uint64), np.zeros(n_groups, dtype=np.uint64)
    n_colors, n_items = 0, len(rows) + int(occurs.sum()) + n_groups
    for _ in range(MAX_ROUNDS):
        rows = _mix(rows ^ _mix(_row_sums(X, columns)))
        rows[in_group] += groups[group_of_row[in_group]]
        columns = _mix(columns ^ _mix(_column_sums(X, rows)))
        groups = _mix(groups ^ _mix(_group_sums(rows, group_of_row, n_groups)))
        before, n_colors = n_colors, sum(map(_n_different, (rows, columns[occurs], groups)))
        if n_colors in (before, n_items):
            break
    return rows, columns, groups


def _n_different(colors: Array) -> int:
    """Number of different colors; sorting is faster than `np.unique`."""
    ordered = np.sort(colors)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + min(1, len(ordered))


def _tied(colors: Array, content: Array) -> bool:
    """Whether two items of one color differ in content."""
    order = np.argsort(colors)
    colors, content = colors[order], content[order]
    return bool(np.any((colors[1:] == colors[:-1]) & (content[1:] != content[:-1])))


def _row_sums(X: Any, columns: Array) -> Array:
    """The sum over the entries of each row of hashes of (value, color of the column)."""
    total, e = np.zeros(X.shape[0], dtype=np.uint64), _exponent(X)
    for first, last, entries in _blocks(X):
        if sp.issparse(X):
            start = X.indptr[first:last] - X.indptr[first]
            hashes = np.append(_mix(_bits(X.data[entries], e) + columns[X.indices[entries]]), np.uint64(0))
            sums = np.add.reduceat(hashes, start)
            sums[np.diff(X.indptr[first : last + 1]) == 0] = 0
        else:
            block = X[first:last]
            sums = (_mix(_bits(block, e) + columns) * (block != 0)).sum(axis=1, dtype=np.uint64)
        total[first:last] = sums
    return total


def _column_sums(X: Any, rows: Array) -> Array:
    """The sum over the entries of each column of hashes of (value, color of the row)."""
    total, e = np.zeros(X.shape[1], dtype=np.uint64), _exponent(X)
    for first, last, entries in _blocks(X):
        if sp.issparse(X):
            row_of_entry = np.repeat(rows[first:last], np.diff(X.indptr[first : last + 1]))
            np.add.at(total, X.indices[entries], _mix(_bits(X.data[entries], e) + row_of_entry))
        else:
            block = X[first:last]
            hashes = _mix(_bits(block, e) + rows[first:last, None]) * (block != 0)
            total += hashes.sum(axis=0, dtype=np.uint64)
    return total


def _group_sums(rows: Array, group_of_row: Array, n_groups: int) -> Array:
    total = np.zeros(n_groups, dtype=np.uint64)
    in_group = group_of_row != _NO_GROUP
    np.add.at(total, group_of_row[in_group], _mix(rows[in_group]))
    return total


def _blocks(X: Any) -> Iterator[tuple[int, int, slice]]:
    """First row, last row + 1 and, of a sparse matrix, the entries of blocks of rows: temporary arrays stay small."""
    n, m = X.shape
    stored = X.indptr if sp.issparse(X) else np.arange(n + 1) * m
    first = 0
    while first < n:
        last = max(first + 1, int(np.searchsorted(stored, stored[first] + _BLOCK_ENTRIES, side="right")) - 1)
        yield first, last, slice(int(stored[first]), int(stored[last]))
        first = last


def _exponent(X: Any) -> int:
    """e with the largest magnitude from 2^(e-1) to 2^e."""
    values = X.data if sp.issparse(X) else X
    return int(np.frexp(np.abs(values).max(initial=0))[1])


def _bits(values: Array, exponent: int) -> Array:
    """The numbers times 2^-exponent, rounded to 16 bits, as integers; spread, so that sums with colors do not cancel.

    The same matrix computed in another way, with other rounding errors, has the same order. -0 is 0.
    """
    plain = np.ldexp(values, -exponent).astype(np.float32) + np.float32(0)
    rounded = (np.ascontiguousarray(plain).view(np.uint32).astype(np.uint64) + np.uint64(128)) >> np.uint64(8)
    return _mix(rounded)


def _mix(x: Array) -> Array:
    """A bijection of 64-bit numbers without visible structure (the finalizer of SplitMix64, Steele et al. 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return np.asarray(x)
