"""From eigenvectors to a partition (Yu and Shi, Multiclass Spectral Clustering, ICCV 2003).

Eigenvectors are determined up to a rotation. With rows Y of unit length, the partition C (one 1 per row) and the
rotation T are computed in turn:

    minimize  || C - Y T ||^2      over indicator matrices C and orthogonal T

C has its 1 at the largest entry of each row of Y T; T = V U' for the singular vectors of C'Y = U S V'.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .matrix import Array
from .normalize import normalize_rows_l2
from .thin import largest_column

NO_CLUSTER = -1  # the cluster of a row of zeros
MAX_ITER = 100


class Discretization(NamedTuple):
    """A partition and the rotation that belongs to it."""

    codes: Array  # cluster of each row, NO_CLUSTER for rows of zeros
    T: Array  # rotation: the cluster of a row y is the argmax of y T


def discretize(vectors: Array) -> Discretization:
    """Partition the rows of `vectors` (rows x k) into k clusters, deterministically."""
    Y = normalize_rows_l2(vectors)
    non_zero = Y.any(axis=1)
    if not non_zero.any():
        return Discretization(np.full(len(Y), NO_CLUSTER), np.eye(Y.shape[1], dtype=Y.dtype))
    Y = np.asfortranarray(Y[non_zero])  # columns are contiguous: what follows works on one after the other
    T = _first_rotation(Y)
    codes, value = np.full(len(vectors), NO_CLUSTER, dtype=np.intp), -1.0
    for _ in range(MAX_ITER):
        codes[non_zero] = largest_column(Y @ T)
        U, S, Vt = np.linalg.svd(indicator_sums(Y, codes[non_zero], Y.shape[1]))  # of C'Y
        if S.sum() <= value + 1e-10 * len(Y):
            break
        value, T = S.sum(), (U @ Vt).T
    codes[non_zero] = largest_column(Y @ T)
    return Discretization(codes, T)


def indicator_sums(Y: Array, codes: Array, k: int) -> Array:
    """C'Y for the indicator matrix C of the codes: the sum of the rows of each cluster."""
    sums = np.empty((k, Y.shape[1]), dtype=Y.dtype)
    for j, y in enumerate(Y.T):
        sums[:, j] = np.bincount(codes, y, minlength=k)
    return sums


def _first_rotation(Y: Array) -> Array:
    """k rows of Y with large angles between them, chosen one by one; the first is nearest to the mean."""
    k = Y.shape[1]
    T = np.empty((k, k), dtype=Y.dtype)
    covered = np.zeros(len(Y), dtype=Y.dtype)
    row = int((Y @ Y.mean(axis=0)).round(6).argmax())
    for j in range(k):
        T[:, j] = Y[row]
        covered += np.abs(Y @ T[:, j])
        row = int(covered.round(6).argmin())
    return T
