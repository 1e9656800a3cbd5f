"""Naming clusters: every cluster of a target is given the source class whose documents it resembles most.

The profile of a class or a cluster is the mean of its documents, each of unit length. From the profiles of each side
their mean is taken, which removes what all documents of a domain have in common; what is left are the words that tell
classes, or clusters, apart. The cosines of these are matched one to one (Hungarian); where there are more clusters than
classes, those that are left take the nearest class.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from ..linalg.matrix import Array, Matrix
from ..linalg.normalize import unit_rows

_NEVER = -2.0  # below every cosine: matched only when nothing else is left


def name_clusters(X_source: Matrix, codes_source: Array, X_target: Matrix, clusters: Array, n_classes: int) -> Array:
    """The class (0 .. n_classes - 1) of every target document, by the name of its cluster.

    `clusters` has a number >= 0 a target document. Rows of zeros are allowed, and so are classes without a document:
    no cluster is given their name while another is free.
    """
    return class_of_clusters(X_source, codes_source, X_target, clusters, n_classes)[clusters]


def class_of_clusters(
    X_source: Matrix,
    codes_source: Array,
    X_target: Matrix,
    clusters: Array,
    n_classes: int,
    n_clusters: int | None = None,
) -> Array:
    """The class of every cluster. `n_clusters` counts clusters without a document too, by default up to the last."""
    k = int(clusters.max(initial=-1)) + 1 if n_clusters is None else n_clusters
    similarity = profile_similarity(X_source, codes_source, X_target, clusters, n_classes, k)
    names = similarity.argmax(axis=1)
    cluster, matched = linear_sum_assignment(similarity, maximize=True)
    names[cluster] = matched
    return names


def profile_similarity(
    X_source: Matrix, codes_source: Array, X_target: Matrix, clusters: Array, n_classes: int, n_clusters: int
) -> Array:
    """Clusters x classes: cosine of the centred profiles; -2 where a cluster or a class has no document."""
    P, class_exists = _profiles(X_source, codes_source, n_classes)
    Q, cluster_exists = _profiles(X_target, clusters, n_clusters)
    P = P - P[class_exists].mean(axis=0)
    if cluster_exists.sum() > 1:  # of a lone cluster, centring would leave nothing
        Q = Q - Q[cluster_exists].mean(axis=0)
    cosine = np.asarray(unit_rows(Q) @ unit_rows(P).T, dtype=np.float64)
    # What is equal but for rounding is equal, so that ties are broken by the order of the classes alone.
    return np.where(cluster_exists[:, None] & class_exists, cosine.round(9), _NEVER)


def _profiles(X: Matrix, codes: Array, k: int) -> tuple[Array, Array]:
    """k x words: mean of the unit rows of X of each code; and which codes have a row."""
    size = np.bincount(codes, minlength=k)
    weight = (1.0 / np.maximum(size, 1))[codes]
    member = sp.csr_array((weight, (codes, np.arange(len(codes)))), shape=(k, len(codes)))
    total = member @ unit_rows(X)
    return np.asarray(total.toarray() if sp.issparse(total) else total), size > 0
