"""Spectral clustering of documents under must-link constraints: the parts that its methods share.

The operators are products of thin matrices (see `linalg.laplacian`). The points to cluster may be the documents
themselves or means of many documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.sparse.linalg import LinearOperator
from scipy.special import softmax
from sklearn.cluster import KMeans

from ..core.labels import UNKNOWN
from ..core.threads import single_thread
from ..linalg import eigen
from ..linalg.bisect import bisect, means
from ..linalg.laplacian import LinkedDegree, MustLink, Similarity, cut_operator, inverse_root
from ..linalg.matrix import Array, Matrix
from ..linalg.normalize import normalize_rows_l2
from .spectral import used_columns

Links: TypeAlias = Sequence[tuple[float, Array]]  # a weight, and the must-link block of every point


class Points(NamedTuple):
    """The points to cluster: documents with words, or micro-clusters of them."""

    X: Matrix
    blocks: Array  # the must-link block of each point, UNKNOWN for none
    is_target: Array
    size: Array  # number of documents of each point
    of_row: Array  # the point of each document


class Embedding(NamedTuple):
    """The smallest eigenvectors of a constrained Laplacian."""

    W: Similarity
    mu: Array  # k eigenvalues, ascending
    Y: Array  # points x k, D^-1/2 Z
    converged: bool


def constrained_laplacian(W: Similarity, links: Links) -> LinearOperator:
    """D^-1/2 A D^-1/2 with A = D - W + sum of weight M'M over the links."""
    n = len(W.degree)
    root = inverse_root(W.degree)[:, None]
    constraints = [(weight, MustLink(blocks, W.Z.dtype)) for weight, blocks in links]

    def pull(B: Array) -> Array:
        Y = root * B.reshape(n, -1)
        return sum((weight * (root * (MtM @ Y)) for weight, MtM in constraints), np.zeros_like(Y)).reshape(B.shape)

    return cut_operator(W) + LinearOperator((n, n), matvec=pull, matmat=pull, dtype=W.Z.dtype)


def embed(
    X: Matrix, k: int, *, tau: float, rng: np.random.Generator, links: Links = (), cut: str = "normalized"
) -> Embedding:
    """The k smallest eigenvectors of the constrained Laplacian; without links, those of the graph cut."""
    # "normalized" minimizes y'Ay / y'Dy with A = D - W + links, "minmax" y'Ay / y'Wy. The second is the largest y'Wy /
    # y'(D + links)y, and its value is 1 over that, minus 1. Without links both cuts have the same vectors.
    W = Similarity(X, tau)
    if cut == "minmax":
        eigenpairs = eigen.largest_ratio(W, LinkedDegree(W.degree, links), k, rng=rng)
        Y, mu = eigenpairs.vectors[:, ::-1], 1 - eigenpairs.values[::-1]
        used = used_columns(W, Y)
        return Embedding(W, mu[used], Y[:, used], eigenpairs.converged)
    eigenpairs = eigen.smallest(constrained_laplacian(W, links), k, rng=rng)
    Y = inverse_root(W.degree)[:, None] * eigenpairs.vectors
    used = used_columns(W, Y)
    return Embedding(W, eigenpairs.values[used], Y[:, used], eigenpairs.converged)


def cluster_rows(
    T: Array, k: int, weight: Array, rng: np.random.Generator, n_init: int = 10, max_iter: int = 300
) -> tuple[Array, Array]:
    """The k-means cluster of each row, and the centers; fewer than k if there are fewer different rows."""
    k = min(k, len(np.unique(T.round(6), axis=0)))
    model = KMeans(k, n_init=n_init, max_iter=max_iter, random_state=int(rng.integers(2**31 - 1)))
    with single_thread("openmp"):  # with k columns, threads would mostly wait for each other
        model.fit(T, sample_weight=weight)
    return model.labels_, model.cluster_centers_


def normalized_cut(W: Similarity, cluster: Array) -> float:
    """Mean over the clusters of the fraction of their links that leave them."""
    F = np.eye(cluster.max() + 1)[cluster]
    return 1 - float(np.mean((F * (W @ F)).sum(axis=0) / (W.degree @ F)))


def points(X: Matrix, blocks: Array, is_target: Array, micro_clusters: int | None, rng: np.random.Generator) -> Points:
    """The documents themselves or, for the sources and for the targets, about `micro_clusters` means of documents."""
    n = len(blocks)
    if micro_clusters is None:
        return Points(X, blocks, is_target, np.ones(n), np.arange(n))
    Z, of_row, n_points = normalize_rows_l2(X), np.empty(n, dtype=np.intp), 0
    group = np.where(is_target, UNKNOWN, blocks)
    for code in np.unique(group):
        rows = np.flatnonzero(group == code)
        n_of_group = max(1, round(micro_clusters * len(rows) / (is_target == is_target[rows[0]]).sum()))
        of_row[rows] = n_points + bisect(Z[rows], lambda *_: False, rng=rng, max_clusters=n_of_group)
        n_points = of_row[rows].max() + 1
    first = np.unique(of_row, return_index=True)[1]
    return Points(means(Z, of_row), group[first], is_target[first], np.bincount(of_row), of_row)


def cluster_posterior(T: Array, centers: Array, variance: float) -> Array:
    """Rows x clusters: the probability of each cluster if all are round, of the same variance and equally large."""
    closeness = T @ centers.T - np.square(centers).sum(axis=1) / 2  # minus half the squared distance, without |t|^2
    proba: Array = softmax(closeness / variance, axis=1)
    return proba
