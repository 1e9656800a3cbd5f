"""Graphs as a solver meets them: products with W, the degrees, and how rough a function on the nodes is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .matrix import Array, Matrix


class Graph(NamedTuple):
    """A symmetric, non-negative affinity W, times the weight it has in an objective, and its row sums as a column."""

    W: sp.csr_array
    degree: Array


def graph(affinity: Matrix, dtype: Any, weight: float = 1.0) -> Graph:
    """The graph of an affinity matrix; with weight 0, one without edges."""
    W = sp.csr_array(affinity, dtype=dtype) * np.dtype(dtype).type(weight)
    W.eliminate_zeros()
    return Graph(W, np.asarray(W.sum(axis=1), dtype=dtype).reshape(-1, 1))


def roughness(g: Graph, V: Array) -> float:
    """tr(V'(D - W)V) = 1/2 sum_ij W_ij |v_i - v_j|^2."""
    return float(np.vdot(V, g.degree * V) - np.vdot(V, g.W @ V))
