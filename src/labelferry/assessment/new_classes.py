r"""Documents that no class explains: groups of new documents that may belong to a class the labelled documents lack.

The new documents are clustered: k-means on their leading singular vectors (`coordinates.py`). A change of domain makes
all clusters less similar to the labelled documents; a new class only some of them. So clusters are compared with each
other:

    l_ic   mean log-likelihood ratio of the words of document i: unigram model of class c against all documents
    a_k    mean of max_c l_ic over the documents of cluster k: does any class explain it?
    b_k    max_c of the mean of z_ic over cluster k, z being l centered by rows and columns and divided by its norm: is
           one class more likely than the others?
    s_k    (median(a) - a_k) / scale_a + (median(b) - b_k) / scale_b                                                 (1)

The medians are over documents. Clusters with s_k above a limit are marked if they contain a share of at least MIN_SHARE
of the documents together. The scales and the limit are fitted on complete tasks only: the root mean square of the two
differences, and the limit that is exceeded on a small share of these tasks.

The clusters, the two terms, N_CLUSTERS, SMOOTHING and MIN_SHARE were chosen with results on all corpora in view:
docs/methods/auto.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from ..core.sampling import MAX_COMPARED, sample_rows
from ..core.threads import single_thread
from ..linalg.matrix import Array, Matrix, has_negative, word_counts
from ..linalg.shared import shared
from .coordinates import coordinates

N_CLUSTERS, MIN_SHARE = 12, 0.2
MIN_DOCUMENTS = 30  # new documents; of fewer, none is marked
PER_CLUSTER = 10  # new documents per cluster, at least
SMOOTHING = 20.0  # weight of all documents in the unigram model of a class
NOT_MARKED = -1


def show_no_new_class(n_answers: int, n_none: int, share: float) -> bool:
    """Whether answers about random documents show that at most half of this share of them is of a new class.

    No answer names none of the classes, and with 95% confidence at most 1 - .05^(1 / n) of the documents are such.
    """
    return n_answers > 0 and n_none == 0 and 1 - 0.05 ** (1 / n_answers) < share / 2


class NewClassCoefficients(NamedTuple):
    """Scales and limit in (1)."""

    likelihood_scale: float
    evidence_scale: float
    limit: float


class Clusters(NamedTuple):
    """Clusters of the new documents, compared with the classes."""

    cluster: Array  # of each new document; may have no entries: nothing was measured
    contrasts: Array  # clusters x 2: median(a) - a_k and median(b) - b_k


def measure_clusters(Xs: Matrix, codes: Array, Xt: Matrix, n_classes: int, Z: Array | None = None) -> Clusters:
    """Cluster the new documents, and compare each cluster with the classes.

    Returns without entries if there are fewer than MIN_DOCUMENTS new documents, or if a value is negative.
    """
    too_few = min(Xt.shape[0] - MIN_DOCUMENTS, Xt.shape[1] - 3) < 0 or not word_counts(Xt).any()
    if too_few or has_negative(Xs) or has_negative(Xt):
        return Clusters(np.zeros(0, dtype=np.intp), np.zeros((0, 2)))
    cluster = cluster_documents(coordinates(Xt) if Z is None else Z)
    size = np.bincount(cluster)
    L = likelihood_ratios(Xs, codes, Xt, n_classes)
    centered = L - L.mean(axis=1, keepdims=True)
    centered -= centered.mean(axis=0)
    centered /= max(float(np.sqrt((centered**2).sum(axis=1).mean())), 1e-12)
    by_class = np.stack([np.bincount(cluster, z) / size for z in centered.T], axis=1)
    values = np.stack([np.bincount(cluster, L.max(axis=1)) / size, by_class.max(axis=1)], axis=1)
    return Clusters(cluster, np.median(values[cluster], axis=0) - values)


@shared
def cluster_documents(Z: Array) -> Array:
    """The cluster of each row: 0, 1, ...; every cluster has a row. A sample of many documents determines them."""
    rows = sample_rows(len(Z), MAX_COMPARED)
    order = rows[np.lexsort(Z[rows, :2].round(6).T)]  # k-means does not depend on the order of the documents
    n_clusters = min(N_CLUSTERS, len(rows) // PER_CLUSTER, len(np.unique(Z[rows].round(6), axis=0)))
    with single_thread("openmp"):
        clusters = KMeans(n_clusters, n_init=3, random_state=0).fit(Z[order]).predict(Z)
    return np.asarray(np.unique(clusters, return_inverse=True)[1])


def likelihood_ratios(Xs: Matrix, codes: Array, Xt: Matrix, n_classes: int) -> Array:
    """l: new documents x classes."""
    total = _sums(Xs) + _sums(Xt) + 1e-3
    background = total / total.sum()
    models = []
    for c in range(n_classes):
        weight = _sums(Xs[codes == c])
        models.append(np.log((weight / background + SMOOTHING) / (weight.sum() + SMOOTHING)))
    length = np.asarray(Xt @ np.ones(Xt.shape[1]))
    ratios: Array = np.asarray(Xt @ np.array(models).T) / np.maximum(length, 1e-12)[:, None]
    return ratios


def scores(contrasts: Array, c: NewClassCoefficients) -> Array:  # (1)
    """s of each cluster."""
    s: Array = contrasts @ [1 / c.likelihood_scale, 1 / c.evidence_scale]
    return s


def statistic(clusters: Clusters, c: NewClassCoefficients) -> float:
    """The largest limit at which documents are marked: -inf if nothing was measured."""
    if len(clusters.cluster) == 0:
        return -np.inf
    s = scores(clusters.contrasts, c)
    order = np.argsort(-s, kind="stable")
    share = np.cumsum(np.bincount(clusters.cluster)[order]) / len(clusters.cluster)
    return float(s[order][np.searchsorted(share, MIN_SHARE - 1e-9)])


def mark_documents(clusters: Clusters, c: NewClassCoefficients, n_documents: int) -> Array:
    """The group of each new document: 0, 1, ... by falling score, or NOT_MARKED."""
    if statistic(clusters, c) <= c.limit:
        return np.full(n_documents, NOT_MARKED)
    s = scores(clusters.contrasts, c)
    rank = np.argsort(np.argsort(-s, kind="stable"), kind="stable")
    return np.where(s > c.limit, rank, NOT_MARKED)[clusters.cluster]


def _sums(X: Any) -> Array:
    return np.asarray(X.T @ np.ones(X.shape[0]))
