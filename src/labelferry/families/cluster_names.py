"""Naming clusters: each cluster of a target gets the source class whose documents it resembles most.

The profile of a class or a cluster is the mean of its documents, each of unit length. The mean of all profiles of the
source is subtracted from each of them, and the mean of all profiles of the target from each of those. This removes what
all documents of a domain have in common and leaves the words that separate classes or clusters. The cosines between
these centered profiles are matched one to one (Hungarian algorithm). If there are more clusters than classes, each
remaining cluster gets the nearest class.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from ..linalg.matrix import Array, Matrix
from ..linalg.normalize import normalize_rows_l2, row_norms
from ..linalg.thin import thin_product

_NO_MATCH = -2.0  # below every cosine: matched only if nothing else is left


def class_of_clusters(
    X_source: Matrix,
    codes_source: Array,
    X_target: Matrix,
    clusters: Array,
    n_classes: int,
    n_clusters: int | None = None,
) -> Array:
    """The class of each cluster."""
    # `codes_source`: their classes, 0 to n_classes - 1. A class without documents is matched last. `n_clusters`: number
    # of clusters, also those without documents; None takes the largest number in `clusters` plus 1.
    k = int(clusters.max(initial=-1)) + 1 if n_clusters is None else n_clusters
    similarity = profile_similarity(X_source, codes_source, X_target, clusters, n_classes, k)
    names: Array = similarity.argmax(axis=1)
    cluster, matched = linear_sum_assignment(similarity, maximize=True)
    names[cluster] = matched
    return names


def profile_similarity(
    X_source: Matrix, codes_source: Array, X_target: Matrix, clusters: Array, n_classes: int, n_clusters: int
) -> Array:
    """Clusters x classes: cosine of the centered profiles; -2 if a cluster or a class has no documents."""
    P, class_exists = _profiles(X_source, codes_source, n_classes)
    Q, cluster_exists = _profiles(X_target, clusters, n_clusters)
    P = P - P[class_exists].mean(axis=0)
    if cluster_exists.sum() > 1:  # centering would make the profile of a single cluster zero
        Q = Q - Q[cluster_exists].mean(axis=0)
    cosine = np.asarray(normalize_rows_l2(Q) @ normalize_rows_l2(P).T, dtype=np.float64)
    # Values that differ by rounding only are made equal, so that ties depend on the order of the classes alone.
    return np.where(cluster_exists[:, None] & class_exists, cosine.round(9), _NO_MATCH)


def _profiles(X: Matrix, codes: Array, k: int) -> tuple[Array, Array]:
    """k x words: mean of the unit rows of X per code; and which codes have a row."""
    size, length = np.bincount(codes, minlength=k), row_norms(X)
    member = np.zeros((len(codes), k), dtype=X.dtype)
    member[np.arange(len(codes)), codes] = 1.0 / (np.maximum(size, 1)[codes] * np.where(length > 0, length, 1))
    return np.asarray(thin_product(X.T, member).T), size > 0
