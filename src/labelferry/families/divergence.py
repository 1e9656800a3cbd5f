"""The distance of two domains, and the risk of a transfer that follows from it. Labels are not used.

    KL(t || s) = sum_C p_C log(p_C / q_C),   p_C, q_C  proportions of target and source in cluster C     (Lemma 1)
    R = 1 / (1 + exp(e^2 (1 - KL / kappa)))                                                              (6)

    gap = 1 - <m_s, m_t> / (|m_s| |m_t|),   m  mean of the unit-length documents of a domain; |m|^2 without its noise

    KL_t(t || s) = sum_w p_w log(p_w / q_w),   p_w, q_w  proportions of word w in target and source      (2), (3)

The clusters are those of a bisection of both domains together that stops when their means agree.

Paper: Shi, Fan, Yang and Ren, Relaxed Transfer of Different Classes via Spectral Partition, ECML PKDD 2009.

Departures
----------
- `form="corrected"`. By (5), P'(C) already contains the proportion S(P', C). Lemma 1 multiplies by it again and so
  takes the logarithm of the same ratio twice. For equal distributions that is not zero unless the samples have the same
  size. `form="paper"` is the printed one.
- KL_t: the paper does not state what the values x of (3) are. Here they are words, and the weights of X are the counts.
- `pseudo_count`, 1/2, is added to each count, in both forms: without it (0) a cluster without a source document makes
  the divergence infinite, as it does in print.
- The means of the stop rule are compared by their cosine, without noise: the distance of plain means is hardly ever
  below theta in a small cluster. A cluster with fewer than `min_size`, max(10, N / 100), documents is not split.
- kappa in (6): e^2 gives the printed formula, the logistic function of KL - e^2. Samples of text rarely have a
  divergence as large as e^2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..linalg.bisect import bisect
from ..linalg.matrix import Array, Matrix, squared_norm, stack_rows
from ..linalg.normalize import normalize_rows_l2

SAME_MEANS = 0.1  # theta of the bisection's stop rule
MIN_DOCS, MIN_FRACTION = 10, 0.01  # a cluster with fewer documents, or a smaller fraction of all, is not split
PSEUDO_COUNT = 0.5
STEEPNESS = math.exp(2)  # lambda = e^2 in (6)
DEFAULT_KAPPA = 2.0


def gap(Xs: Matrix, Xt: Matrix) -> float:
    """1 - cos of the mean documents, with squared lengths without the expected noise."""
    return _gap(normalize_rows_l2(Xs), normalize_rows_l2(Xt))


class Center(NamedTuple):
    """What `gap` needs of one set of documents."""

    total: Array  # sum of the documents, each of unit length
    n: int
    squared_length: float  # of the mean document, without the expected noise
    squares: float = 0.0  # sum of the squared lengths of the documents; not in saved models


def center(X: Matrix) -> Center:
    """The center of documents."""
    return _center(normalize_rows_l2(X))


def join_centers(parts: Sequence[Center]) -> Center:
    """The center of all documents, from the centers of parts of them."""
    total, n = np.sum([part.total for part in parts], axis=0), sum(part.n for part in parts)
    squares = sum(part.squares for part in parts)
    return Center(total, n, _squared_mean(total, squares, n), squares)


def gap_of_centers(s: Center, t: Center) -> float:
    """`gap` of two sets of documents by their centers."""
    lengths = s.squared_length * t.squared_length
    return float(np.clip(1 - float(s.total @ t.total) / (s.n * t.n) / math.sqrt(lengths), 0, 2)) if lengths > 0 else 1.0


def clustered_kl(
    Xs: Matrix,
    Xt: Matrix,
    *,
    form: str = "corrected",
    theta: float = SAME_MEANS,
    min_size: int | None = None,
    pseudo_count: float = PSEUDO_COUNT,
    rng: np.random.Generator,
) -> float:
    """Lemma 1 for KL(target || source) over the clusters of both."""
    return kl(*cluster_counts(Xs, Xt, theta=theta, min_size=min_size, rng=rng), form, pseudo_count)


def word_kl(Xs: Matrix, Xt: Matrix) -> float:
    """(2) with (3) for KL(target || source) over words; PSEUDO_COUNT times the mean weight is added to each word."""
    weights = [np.abs(np.asarray(X.T @ np.ones(X.shape[0]))) for X in (Xs, Xt)]
    scale = sum(w.sum() for w in weights) / max(1, sum(int((w > 0).sum()) for w in weights))
    occurs = (weights[0] > 0) | (weights[1] > 0)
    return kl(*(w[occurs] / scale for w in weights)) if scale > 0 else 0.0


def cluster_counts(
    Xs: Matrix, Xt: Matrix, *, theta: float = SAME_MEANS, min_size: int | None = None, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Numbers of source documents and of target documents in every cluster of the bisection of both."""
    Z = normalize_rows_l2(stack_rows([Xs, Xt]))
    is_target = np.repeat([False, True], [Xs.shape[0], Xt.shape[0]])
    least = max(MIN_DOCS, MIN_FRACTION * len(is_target)) if min_size is None else min_size

    def done(rows: Array, block: Matrix) -> bool:
        t = is_target[rows]
        if len(rows) < least or min(t.sum(), (~t).sum()) < 2:  # too small, or only one domain
            return True
        return _gap(block[~t], block[t]) < theta

    cluster = bisect(Z, done, rng=rng)
    n_clusters = cluster.max() + 1
    return np.bincount(cluster[~is_target], minlength=n_clusters), np.bincount(cluster[is_target], minlength=n_clusters)


def kl(source: Array, target: Array, form: str = "corrected", pseudo_count: float = PSEUDO_COUNT) -> float:
    """Lemma 1 from the numbers of documents of each domain in each cluster; infinite if only the source has none."""
    P, Q = target + pseudo_count, source + pseudo_count
    there = P > 0  # 0 log 0 = 0
    if (Q[there] == 0).any():
        return math.inf
    if form == "corrected":
        p, q = P[there] / P.sum(), Q[there] / Q.sum()
        return float(max(0.0, np.sum(p * np.log(p / q))))
    both = P.sum() + Q.sum()
    E_p, E_q = P.sum() / both, Q.sum() / both  # (5)
    P, Q = P[there], Q[there]
    P_c, Q_c = P / both, Q / both
    S_p, S_q = P / (P + Q), Q / (P + Q)
    sums = np.sum(P_c * S_p * np.log(S_p / S_q)) + np.sum(P_c * S_p * np.log(P_c / Q_c))
    return float(sums / E_p + np.log(E_q / E_p))  # (4)


def transfer_risk(divergence: float, kappa: float = DEFAULT_KAPPA) -> float:
    """(6): near 0 for equal distributions, 1/2 if KL = kappa, at most 1."""
    return float(1 / (1 + math.exp(min(700.0, STEEPNESS * (1 - divergence / kappa)))))


def _gap(Zs: Matrix, Zt: Matrix) -> float:
    return gap_of_centers(_center(Zs), _center(Zt))


def _center(Z: Matrix) -> Center:
    total, n = np.asarray(Z.T @ np.ones(Z.shape[0], dtype=Z.dtype)), Z.shape[0]
    squares = squared_norm(Z)
    return Center(total, n, _squared_mean(total, squares, n), squares)


def _squared_mean(total: Array, squares: float, n: int) -> float:
    """|E x|^2 without bias: the mean of x_i'x_j over pairs of different documents. If that is 0, over all pairs."""
    of_all = float(total @ total)
    of_pairs = (of_all - squares) / max(n * (n - 1), 1)
    return of_pairs if of_pairs > 1e-9 * of_all / n**2 else of_all / n**2
