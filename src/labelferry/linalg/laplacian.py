"""Graphs as a solver meets them: products with W, the degrees, and how rough a function on the nodes is.

A similarity of all pairs, W = Z Z', and the constraints that rows of one class belong together are never formed: each
is a few sums and thin products.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .matrix import Array, Matrix
from .normalize import unit_rows


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


class Similarity:
    """W = Z Z' + tau mean(d) / n 1 1' for the unit rows Z of X: cosines of all pairs, never formed.

    The second part (`degree_regularization` tau, Qin and Rohe 2013) is a constant column beside Z. It keeps documents
    that have hardly any neighbours from making clusters of their own.
    """

    def __init__(self, X: Matrix, tau: float = 0.0):
        self.Z = unit_rows(X)
        ones = np.ones(X.shape[0], dtype=X.dtype)
        plain = self.Z @ (self.Z.T @ ones)
        self.constant = float(tau * plain.mean() / len(ones))
        self.degree = plain + self.constant * len(ones)

    def __matmul__(self, B: Array) -> Array:
        return self.Z @ (self.Z.T @ B) + self.constant * B.sum(axis=0)


def must_link(codes: Array, B: Array) -> Array:
    """M'M B, with a row e_i - e_j in M for every pair of nodes of one class: n_c b_i - sum_j b_j on the class's rows.

    `codes` has the class of each node, -1 for nodes without one.
    """
    known = codes >= 0
    sizes = np.bincount(codes[known]).astype(B.dtype)
    member = sp.csr_array(
        (np.ones(known.sum(), B.dtype), (codes[known], np.flatnonzero(known))), (len(sizes), len(codes))
    )
    out = np.zeros_like(B)
    flat = B.reshape(len(codes), -1)
    out.reshape(len(codes), -1)[known] = sizes[codes[known], None] * flat[known] - (member @ flat)[codes[known]]
    return out
