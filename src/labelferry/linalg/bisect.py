"""Bisecting k-means: rows are split in two, the largest cluster first, until a rule says that a cluster is done.

A split starts from the side of the principal direction (PDDP) and is refined by spherical 2-means (Savaresi and Boley
2001 compare the two). All products are with one vector, so a level of the tree costs a few passes over the data.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from .matrix import Array, Matrix

_POWER_STEPS, _LLOYD_STEPS = 6, 10
_FLAT = 1e-6  # rows whose spread is below it are the same document


def bisect(
    Z: Matrix, done: Callable[[Array, Matrix], bool], *, rng: np.random.Generator, max_clusters: int | None = None
) -> Array:
    """The cluster of every row of Z (unit rows): 0, 1, ...

    `done(rows, Z[rows])` says that a cluster is not to be split; identical rows never are.
    """
    cluster = np.zeros(Z.shape[0], dtype=np.intp)
    limit = Z.shape[0] if max_clusters is None else max_clusters
    heap: list[tuple[int, int, Array]] = [(-Z.shape[0], 0, np.arange(Z.shape[0]))]
    n_clusters = 1
    while heap and n_clusters < limit:
        _, old, rows = heapq.heappop(heap)
        block = Z[rows]
        side = None if done(rows, block) else split(block, rng)
        if side is None:
            continue
        cluster[rows[side]] = n_clusters
        for label, part in ((old, rows[~side]), (n_clusters, rows[side])):
            heapq.heappush(heap, (-len(part), label, part))
        n_clusters += 1
    return cluster


def split(Z: Matrix, rng: np.random.Generator) -> Array | None:
    """True on one side of a split of unit rows in two; None where they are all the same."""
    n = Z.shape[0]
    if n < 2:
        return None
    v = rng.standard_normal(n).astype(Z.dtype)
    for _ in range(_POWER_STEPS):  # power iteration on the centred rows
        v -= v.mean()
        v /= max(float(np.linalg.norm(v)), np.finfo(v.dtype).tiny)
        v = Z @ (Z.T @ v)
    v -= v.mean()
    if np.linalg.norm(v) < _FLAT:
        return None
    side = v > 0
    for _ in range(_LLOYD_STEPS):
        sums = Z.T @ np.column_stack([~side, side]).astype(Z.dtype)
        length = np.linalg.norm(sums, axis=0)
        if length.min() <= 0:
            break
        new = Z @ (sums[:, 1] / length[1] - sums[:, 0] / length[0]) > 0
        if new.all() or not new.any() or (new == side).all():
            break
        side = new
    return side


def means(Z: Matrix, cluster: Array) -> Matrix:
    """The mean of the rows of every cluster, of the kind that Z is."""
    size = np.bincount(cluster)
    weight = (1 / size[cluster]).astype(Z.dtype)
    return sp.csr_array((weight, (cluster, np.arange(len(cluster)))), shape=(len(size), len(cluster))) @ Z
