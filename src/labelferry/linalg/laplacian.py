"""Graphs as a solver meets them: products with W, the degrees, and how rough a function on the nodes is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .matrix import Array, Matrix


class Graph(NamedTuple):
    """A symmetric, non-negative affinity W and its row sums as a column."""

    W: sp.csr_array
    degree: Array


def graph(W: Matrix, dtype: type) -> Graph:
    """The graph of an affinity matrix."""
    W = sp.csr_array(W, dtype=dtype)
    return Graph(W, np.asarray(W.sum(axis=1), dtype=dtype).reshape(-1, 1))


def empty_graph(n_nodes: int, dtype: type) -> Graph:
    """A graph without edges."""
    return graph(sp.csr_array((n_nodes, n_nodes)), dtype)


def roughness(g: Graph, V: Array) -> float:
    """tr(V'(D - W)V) = 1/2 sum_ij W_ij |v_i - v_j|^2."""
    return float(np.vdot(V, g.degree * V) - np.vdot(V, g.W @ V))
