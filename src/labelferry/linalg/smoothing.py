r"""Predictions smoothed over a graph: each document gets the mean predictions of its neighbors.

F = (1 - a) P + a D^-1 W F      by iteration, from F = P                                                         (1)

P  documents x classes, the predictions     W  weights of neighbors, >= 0     D  row sums of W
"""

from __future__ import annotations

import numpy as np

from .matrix import Array, Matrix


def step(F: Array, P: Array, W: Matrix, a: float) -> Array:  # (1)
    """One iteration. W may be new documents x documents of F. A document without a neighbor keeps its P."""
    total = np.asarray(W.sum(axis=1)).reshape(-1, 1)  # type: ignore[attr-defined]
    mean = (W @ F) / np.where(total > 0, total, 1)
    return np.where(total > 0, (1 - a) * P + a * mean, P)


def smooth(P: Array, W: Matrix, a: float, n_rounds: int) -> Array:
    """`n_rounds` iterations of (1)."""
    F = P
    for _ in range(n_rounds):
        F = step(F, P, W, a)
    return F
