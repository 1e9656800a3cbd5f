"""Bisecting k-means: clusters are split in two, the largest first, until a rule stops it.

A split starts from the sign along the principal direction (PDDP) and is refined by spherical 2-means (Savaresi and
Boley 2001 compare the two). All products are with one vector, so a level of the tree costs a few passes over the data.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from .matrix import Array, Matrix

_POWER_STEPS, _LLOYD_STEPS = 6, 10
_MIN_DEVIATION = 1e-6  # rows with a smaller deviation from their mean are equal


def bisect(
    Z: Matrix, done: Callable[[Array, Matrix], bool], *, rng: np.random.Generator, max_clusters: int | None = None
) -> Array:
    """Cluster the rows of Z, which have unit length."""
    # `done`: `done(rows, Z[rows])` returns True if a cluster must not be split. Equal rows are never split.
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
    """True for one side of a split of unit rows in two; None if all rows are equal."""
    n = Z.shape[0]
    if n < 2:
        return None
    v = rng.standard_normal(n).astype(Z.dtype)
    for _ in range(_POWER_STEPS):  # power iteration on the centered rows
        v -= v.mean()
        v /= max(float(np.linalg.norm(v)), np.finfo(v.dtype).tiny)
        v = Z @ (Z.T @ v)
    v -= v.mean()
    if np.linalg.norm(v) < _MIN_DEVIATION:
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


def means(Z: Matrix, cluster: Array) -> Any:
    """The mean of the rows of each cluster; sparse if Z is sparse."""
    size = np.bincount(cluster)
    weight = (1 / size[cluster]).astype(Z.dtype)
    return sp.csr_array((weight, (cluster, np.arange(len(cluster)))), shape=(len(size), len(cluster))) @ Z
