r"""Answers smoothed over a graph: a document is taken for what its neighbours are taken for.

F = (1 - a) P + a D^-1 W F      solved by rounds, from F = P                                                     (1)

P  documents x classes, the answers     W  weights of neighbours, >= 0     D  row sums of W
"""

from __future__ import annotations

import numpy as np

from .matrix import Array, Matrix


def step(F: Array, P: Array, W: Matrix, a: float) -> Array:  # (1)
    """W may be of new documents x those of F. A document without a neighbour keeps its P."""
    total = np.asarray(W.sum(axis=1)).reshape(-1, 1)  # type: ignore[attr-defined]
    mean = (W @ F) / np.where(total > 0, total, 1)
    return np.where(total > 0, (1 - a) * P + a * mean, P)


def smooth(P: Array, W: Matrix, a: float, n_rounds: int) -> Array:
    F = P
    for _ in range(n_rounds):
        F = step(F, P, W, a)
    return F
