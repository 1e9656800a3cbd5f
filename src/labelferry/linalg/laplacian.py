"""Graphs as operators: products with W, degrees, and the roughness of a function on the nodes.

A similarity of all pairs, W = Z Z', and the must-link constraints of the rows of one class are never formed: each
product is a few sums and products with thin matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from .matrix import Array, Matrix, has_negative
from .normalize import normalize_rows_l2

_NO_EDGE = 1e-12  # nodes with a smaller degree have no edges


class Graph(NamedTuple):
    """A symmetric, non-negative affinity W times its weight in an objective, and its row sums as a column."""

    W: sp.csr_array
    degree: Array


def graph(affinity: Matrix, dtype: Any, weight: float = 1.0) -> Graph:
    """The graph of an affinity matrix; with weight 0 it has no edges."""
    W = sp.csr_array(affinity, dtype=dtype) * np.dtype(dtype).type(weight)
    W.eliminate_zeros()
    return Graph(W, np.asarray(W.sum(axis=1), dtype=dtype).reshape(-1, 1))


def no_edges(n_nodes: int, dtype: Any) -> Graph:
    """The graph without edges."""
    return Graph(sp.csr_array((n_nodes, n_nodes), dtype=dtype), np.zeros((n_nodes, 1), dtype=dtype))


def subgraph(g: Graph, nodes: Array) -> Graph:
    """The graph of some nodes, if the others have no edges; g itself if all nodes are selected."""
    return g if nodes.all() else Graph(sp.csr_array(g.W[nodes][:, nodes]), g.degree[nodes])


def roughness(g: Graph, V: Array) -> float:
    """tr(V'(D - W)V) = 1/2 sum_ij W_ij |v_i - v_j|^2."""
    return float(np.vdot(V, g.degree * V) - np.vdot(V, g.W @ V))


class Similarity:
    """W = Z Z' + c 1 1' for the unit rows Z of X: cosines of all pairs, never formed. c >= 0 is `constant`.

    c is tau mean(d) / n (`degree_regularization` tau, Qin and Rohe 2013). It prevents that rows with hardly any
    neighbors form clusters. If X has negative entries, c is 1 more, so that no similarity and no degree is negative.
    """

    def __init__(self, X: Matrix, tau: float = 0.0) -> None:
        self.Z = normalize_rows_l2(X)
        n = X.shape[0]
        plain = self.Z @ (self.Z.T @ np.ones(n, dtype=X.dtype))
        self.constant = float(tau * max(plain.mean(), 0.0) / n) + float(has_negative(X))
        self.degree = plain + plain.dtype.type(self.constant * n)

    def __matmul__(self, B: Array) -> Array:
        product: Array = self.Z @ (self.Z.T @ B) + self.constant * B.sum(axis=0)
        return product


class MustLink:
    """U U', with a column e_i - e_j in U for each pair of nodes of one class: n_c b_i - sum_j b_j on the class's rows.

    `codes` contains the class of each node, -1 for nodes without a class.
    """

    def __init__(self, codes: Array, dtype: Any = np.float64) -> None:
        self.rows = np.flatnonzero(codes >= 0)
        self.codes = codes[self.rows]
        sizes = np.bincount(self.codes).astype(dtype)
        self.member = sp.csr_array(
            (np.ones(len(self.rows), dtype), (self.codes, self.rows)), shape=(len(sizes), len(codes))
        )
        self.size = sizes[self.codes]

    def __matmul__(self, B: Array) -> Array:
        flat = B.reshape(len(B), -1)
        out = np.zeros_like(flat)
        out[self.rows] = self.size[:, None] * flat[self.rows] - (self.member @ flat)[self.codes]
        return out.reshape(B.shape)


class LinkedDegree:
    """B = D + sum of weight U U' over disjoint sets of must-links, with an exact B^-1 (Sherman and Morrison).

    On the rows of one class of n_c nodes, B is diag(d + w n_c) - w 1 1'. A node without edges has degree one.
    """

    def __init__(self, degree: Array, links: Sequence[tuple[float, Array]]) -> None:
        self.diagonal = np.where(degree > _NO_EDGE, degree, 1.0)
        self.blocks: list[tuple[float, MustLink]] = [(w, MustLink(codes, degree.dtype)) for w, codes in links]
        for w, block in self.blocks:
            self.diagonal[block.rows] += w * block.size

    def __matmul__(self, Y: Array) -> Array:
        out: Array = self.diagonal[:, None] * Y
        for w, block in self.blocks:
            out[block.rows] -= w * (block.member @ Y)[block.codes]
        return out

    def solve(self, Y: Array) -> Array:
        """B^-1 Y."""
        scaled: Array = Y / self.diagonal[:, None]
        out = scaled.copy()
        for w, block in self.blocks:
            inverse = (1 / self.diagonal)[:, None]
            shrink = 1 - w * (block.member @ inverse)  # d_i > 0 for some i of the class: > 0
            out[block.rows] += (inverse * w)[block.rows] * ((block.member @ scaled) / shrink)[block.codes]
        return out


def must_link(codes: Array, B: Array) -> Array:
    """U U' B of `MustLink`, for a single product."""
    return MustLink(codes, B.dtype) @ B


class LabelledSimilarity:
    """A, which is W except for pairs of labelled nodes: 1 within a class, 0 between different classes.

    A = W - P (Z_l Z_l' + c 1 1') P' + sum_c 1_c 1_c', with P of the labelled nodes in all nodes: thin products.
    """

    def __init__(self, W: Similarity, codes: Array) -> None:
        self.W = W
        self.rows = np.flatnonzero(codes >= 0)
        self.Z_l = W.Z[self.rows]
        of_class = codes[self.rows]
        self.member = sp.csr_array(
            (np.ones(len(self.rows), W.Z.dtype), (of_class, np.arange(len(self.rows)))),
            shape=(int(of_class.max(initial=0)) + 1, len(self.rows)),
        )
        self.degree = self @ np.ones(len(codes), dtype=W.Z.dtype)

    def __matmul__(self, B: Array) -> Array:
        out, B_l = self.W @ B, B[self.rows]
        out[self.rows] -= self.Z_l @ (self.Z_l.T @ B_l) + self.W.constant * B_l.sum(axis=0)
        out[self.rows] += self.member.T @ (self.member @ B_l)
        return out


def additive_operator(A: Any) -> LinearOperator:
    """(A + d_max I - D) / d_max: additive normalization, which keeps the links of nodes with few links weak."""
    n, top = len(A.degree), max(float(A.degree.max()), _NO_EDGE)
    diagonal = 1 - A.degree / top

    def product(Y: Array) -> Array:
        flat = Y.reshape(n, -1)
        return np.asarray((A @ flat) / top + diagonal[:, None] * flat).reshape(Y.shape)

    return LinearOperator((n, n), matvec=product, matmat=product, dtype=A.degree.dtype)


def laplacian_operator(g: Graph) -> LinearOperator:
    """I - D^-1/2 W D^-1/2 of a sparse graph; its trivial eigenvector D^1/2 1 is moved from 0 to 3, above all others."""
    degree = g.degree.ravel()
    root, trivial = inverse_root(degree), np.sqrt(np.maximum(degree, 0.0))
    trivial = trivial / max(float(np.linalg.norm(trivial)), _NO_EDGE)
    n = len(degree)

    def product(Y: Array) -> Array:
        flat = Y.reshape(n, -1)
        smooth = root[:, None] * (g.W @ (root[:, None] * flat))
        return np.asarray(flat - smooth + 3 * np.outer(trivial, trivial @ flat)).reshape(Y.shape)

    return LinearOperator((n, n), matvec=product, matmat=product, dtype=degree.dtype)


def normalized_laplacian(g: Graph) -> sp.csr_array:
    """D^-1/2 (D - W) D^-1/2 of a sparse graph; a node without edges has a row of zeros."""
    degree = g.degree.ravel()
    root = sp.diags_array(inverse_root(degree))
    return sp.csr_array(sp.diags_array((degree > _NO_EDGE).astype(degree.dtype)) - root @ g.W @ root)


def inverse_root(degree: Array) -> Array:
    """d^-1/2, and 0 for nodes without edges."""
    return np.divide(1.0, np.sqrt(np.maximum(degree, 0.0)), out=np.zeros_like(degree), where=degree > _NO_EDGE)


def cut_operator(
    W: Similarity, *, links: MustLink | None = None, link_weight: float = 0.0, first: int = 0, block_weight: float = 0.0
) -> LinearOperator:
    """D^-1/2 (D - W + beta U U' + lambda (D_b - W_b)) D^-1/2, with W_b = W among the rows from `first` on."""
    # beta is `link_weight`, lambda is `block_weight`. A product costs two sparse products with Z for any lambda. A node
    # without edges has 1 on the diagonal and no other entry.
    n = W.Z.shape[0]
    root = inverse_root(W.degree)
    Z0, Z1, c = W.Z[:first], W.Z[first:], W.constant
    scale = 1.0 + block_weight
    own_degree = block_degree(W, first)
    # D^-1/2 (D + lambda D_b) D^-1/2
    diagonal = np.ones(n, dtype=root.dtype)
    diagonal[first:] += block_weight * own_degree * root[first:] ** 2

    def product(Y: Array) -> Array:
        flat = Y.reshape(n, -1)
        S = root[:, None] * flat
        of0, of1 = Z0.T @ S[:first], Z1.T @ S[first:]
        sum0, sum1 = c * S[:first].sum(axis=0), c * S[first:].sum(axis=0)
        out = np.empty_like(S)
        out[:first] = Z0 @ (of0 + of1) + (sum0 + sum1)
        out[first:] = Z1 @ (of0 + scale * of1) + (sum0 + scale * sum1)
        if links is not None and link_weight > 0:
            out -= link_weight * (links @ S)
        return np.asarray(diagonal[:, None] * flat - root[:, None] * out).reshape(Y.shape)

    return LinearOperator((n, n), matvec=product, matmat=product, dtype=W.Z.dtype)


def block_degree(W: Similarity, first: int) -> Array:
    """Row sums of W among the rows from `first` on."""
    Z = W.Z[first:]
    ones = np.ones(Z.shape[0], dtype=Z.dtype)
    degree: Array = Z @ (Z.T @ ones) + Z.dtype.type(W.constant * len(ones))
    return degree
