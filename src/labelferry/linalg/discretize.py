"""From eigenvectors to a partition (Yu and Shi, Multiclass Spectral Clustering, ICCV 2003).

Eigenvectors are known up to a rotation. With rows Y of unit length, the partition C (one 1 a row) and the rotation T

    minimise  || C - Y T ||^2      over indicator matrices C and orthogonal T

are found in turn: C has its 1 where the row of Y T is largest, T = V U' for the singular vectors of C'Y = U S V'.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .matrix import Array
from .normalize import unit_rows

NOWHERE = -1  # the cluster of a row of zeros


class Partition(NamedTuple):
    codes: Array  # cluster of every row, NOWHERE for rows of zeros
    T: Array  # the rotation: a row y belongs where y T is largest


def discretize(vectors: Array, *, max_iter: int = 100) -> Partition:
    """The partition of the rows of `vectors` (rows x k) into k clusters. The same vectors give the same partition."""
    Y = unit_rows(vectors)
    there = Y.any(axis=1)
    if not there.any():
        return Partition(np.full(len(Y), NOWHERE), np.eye(Y.shape[1], dtype=Y.dtype))
    Y, T = Y[there], _first_rotation(Y[there])
    codes, value = np.full(len(vectors), NOWHERE, dtype=np.intp), -1.0
    for _ in range(max_iter):
        codes[there] = (Y @ T).argmax(axis=1)
        U, S, Vt = np.linalg.svd(indicator_sums(Y, codes[there], Y.shape[1]))  # of C'Y
        if S.sum() <= value + 1e-10 * len(Y):
            break
        value, T = S.sum(), (U @ Vt).T
    codes[there] = (Y @ T).argmax(axis=1)
    return Partition(codes, T)


def indicator_sums(Y: Array, codes: Array, k: int) -> Array:
    """C'Y for the indicator matrix C of the codes: sums of the rows of each cluster."""
    member = sp.csr_array((np.ones(len(codes), Y.dtype), (codes, np.arange(len(codes)))), shape=(k, len(codes)))
    return np.asarray(member @ Y)


def _first_rotation(Y: Array) -> Array:
    """k rows of Y as far in angle from each other as one after the other can be; the first is nearest to the mean."""
    k = Y.shape[1]
    T = np.empty((k, k), dtype=Y.dtype)
    covered = np.zeros(len(Y), dtype=Y.dtype)
    row = int((Y @ Y.mean(axis=0)).round(6).argmax())
    for j in range(k):
        T[:, j] = Y[row]
        covered += np.abs(Y @ T[:, j])
        row = int(covered.round(6).argmin())
    return T
