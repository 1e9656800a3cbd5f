"""Exact cosine nearest neighbors of the rows of a sparse matrix; no n x n matrix is formed.

Of equally near rows, the one with the lower index, or the lower `rank`, comes first, so that a graph depends on the
data alone, not on threads or on the order in which a heap was filled.
Cosines that agree to ten digits (in single precision to five) are equal, so that it does not depend on rounding either,
except for rare pairs at the border of two bins.
Of many equal rows, such as words that occur in one document only, the first ones alone can be neighbors; the others are
not searched.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sparse_dot_topn import sp_matmul_topn

from .content import row_keys
from .matrix import Array, Matrix, is_blocked, to_csr, with_data
from .normalize import normalize_rows_l2
from .shared import shared
from .threads import n_threads

_BLOCK_ENTRIES = 2_000_000  # entries of a product while ties are resolved: about 100 bytes each
_NOWHERE = -1


@shared
def nearest(X: Matrix, others: Matrix | None = None, *, n_neighbors: int, rank: Array | None = None) -> sp.csr_array:
    """Cosines of each row with its nearest neighbors."""
    # `others`: rows among which the neighbors are; None takes X, and a row is not its own neighbor. `rank`: of equally
    # near rows the one with the lower rank comes first; None: with the lower index. Returns entry (i, j) is cos(x_i,
    # z_j) if z_j is one of the nearest neighbors of x_i.
    if is_blocked(X) or is_blocked(X.T):
        raise ValueError(
            "a graph of neighbors needs all documents in one matrix, and X is a matrix of blocks. Set the weight of "
            "the graph to 0, or pass X.to_csr()."
        )
    Q = sp.csr_array(normalize_rows_l2(to_csr(X)))
    Z = Q if others is None else sp.csr_array(normalize_rows_l2(to_csr(others)), dtype=Q.dtype)
    n_others = Z.shape[0]
    if rank is not None and rank.shape != (n_others,):
        raise ValueError(f"rank must have one number for each of the {n_others} other rows; its shape is {rank.shape}.")
    if n_neighbors == 0:
        return sp.csr_array((Q.shape[0], n_others), dtype=Q.dtype)
    rank = np.arange(n_others) if rank is None else rank
    searched = _first_of_equal(Z, n_neighbors + 1, rank)
    own = np.full(Q.shape[0], _NOWHERE)  # where each row is among those that are searched
    if others is None:
        own[searched] = np.arange(len(searched))
    W = _search(Q, Z if len(searched) == n_others else Z[searched], n_neighbors, rank[searched], own)
    return sp.csr_array((W.data, searched.astype(W.indices.dtype)[W.indices], W.indptr), shape=(Q.shape[0], n_others))


def neighbor_graph(X: Matrix, *, n_neighbors: int) -> sp.csr_array:
    """max(W, W') of the nearest neighbors of the rows of X: an edge if one is a nearest neighbor of the other."""
    return symmetric(nearest(X, n_neighbors=n_neighbors))


def symmetric(affinity: Matrix) -> sp.csr_array:
    """max(W, W') as CSR."""
    W = sp.csr_array(affinity)
    return sp.csr_array(W.maximum(W.T))


def _first_of_equal(Z: sp.csr_array, n: int, rank: Array) -> Array:
    """The rows in their order, without those that are equal to n rows of lower rank."""
    keys = row_keys(with_data(Z, Z.data.round(12)))
    order = np.lexsort((rank, keys))
    new = np.append(True, np.diff(keys[order]) != 0)
    place = np.arange(len(order)) - np.flatnonzero(new)[np.cumsum(new) - 1]  # among equal rows, by rank
    return np.sort(order[place < n])


def _search(Q: sp.csr_array, Z: sp.csr_array, n_neighbors: int, rank: Array, own: Array) -> sp.csr_array:
    """The neighbors of the rows of Q among those of Z, without the row `own` of each."""
    often_first = np.argsort(-np.diff(Z.indptr), kind="stable")  # what is read most stays in the cache
    top = sp.csr_array(
        sp_matmul_topn(
            sp.csr_matrix(Q),
            sp.csr_matrix(Z[often_first].T.tocsr()),
            top_n=min(n_neighbors + 2, Z.shape[0]),  # one to detect a tie at the border, one for the row itself
            threshold=0.0,
            n_threads=n_threads(),
        )
    )
    top.indices = often_first.astype(top.indices.dtype)[top.indices]
    best, tied = _first_per_row(top, n_neighbors, rank, own)
    rows = np.flatnonzero(tied)
    if len(rows) == 0:
        return best
    Zt = sp.csr_array(Z.T.tocsr())
    resolved = sp.vstack([_resolve_ties(Q, Zt, best, block, rank, own) for block in _blocks(Q, Zt, rows)], format="csr")
    untied = sp.diags_array((~tied).astype(best.dtype)) @ best
    place = sp.csr_array((np.ones(len(rows), best.dtype), (rows, np.arange(len(rows)))), shape=(len(tied), len(rows)))
    return to_csr(untied + place @ resolved)


def _blocks(Q: sp.csr_array, Zt: sp.csr_array, rows: Array) -> list[Array]:
    """The rows in parts whose products Q Z' have at most about _BLOCK_ENTRIES entries each."""
    multiplications = with_data(Q, np.ones(Q.nnz)) @ np.diff(Zt.indptr).astype(np.float64)
    part = np.cumsum(np.minimum(multiplications[rows], Zt.shape[1])) // _BLOCK_ENTRIES
    return np.split(rows, np.flatnonzero(np.diff(part)) + 1)


def _resolve_ties(
    Q: sp.csr_array, Zt: sp.csr_array, best: sp.csr_array, rows: Array, rank: Array, own: Array
) -> sp.csr_array:
    """The neighbors of rows with a tie at the border, from all their cosines that reach it."""
    border = best[rows].min(axis=1, explicit=True).toarray().ravel()
    product = sp.csr_array(Q[rows] @ Zt).tocoo()
    reaches = product.data >= border[product.row] - 1e-4  # more than the rounding error of either precision
    reaching = sp.coo_array((product.data[reaches], (product.row[reaches], product.col[reaches])), shape=product.shape)
    n_neighbors = int(np.diff(best.indptr)[rows[0]])  # a row with a tie at the border is full
    return _first_per_row(reaching, n_neighbors, rank, own[rows])[0]


def _first_per_row(C: Matrix, n_neighbors: int, rank: Array, own: Array) -> tuple[sp.csr_array, Array]:
    """The largest entries of each row, the lower rank first among equals; and whether the next one is equal too."""
    coo = sp.coo_array(C)
    row, col, value = coo.row, coo.col, coo.data
    keep = (value > 0) & (col != own[row])
    row, col, value = row[keep], col[keep], value[keep]
    rounded = value.round(10 if value.dtype == np.float64 else 5)
    order = np.lexsort((rank[col], -rounded, row))
    row, col, value, rounded = row[order], col[order], value[order], rounded[order]
    first_of_row = np.searchsorted(row, np.arange(coo.shape[0]))
    place = np.arange(len(row)) - first_of_row[row]
    border = np.flatnonzero(place == n_neighbors)
    tied = np.zeros(coo.shape[0], dtype=bool)
    tied[row[border]] = rounded[border] == rounded[border - 1]
    chosen = place < n_neighbors
    return sp.csr_array((value[chosen], (row[chosen], col[chosen])), shape=coo.shape), tied
