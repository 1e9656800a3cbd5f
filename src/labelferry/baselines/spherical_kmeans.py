"""Spherical k-means: clusters of the target by cosine, named after the source classes they resemble.

    maximize  sum_i z_i' c_(j(i))      over clusters j(i) and centers c_j of unit length                             (1)

    Z  documents x words, rows of unit length     C  clusters x words, rows of unit length

Each document goes to the center with the largest cosine; each center is the direction of the sum of its documents. (1)
never falls. Nothing is learned from the source except the names (`families/cluster_names.py`).

Paper: Dhillon and Modha, Concept Decompositions for Large Sparse Text Data Using Clustering, Machine Learning 2001.

Departures
----------
- The first centers are documents drawn by k-means++ (Arthur and Vassilvitskii 2007), since a random partition, the
  paper's start, has nearly equal centers. The best of `n_init` starts is kept.
- A cluster that has lost all its documents restarts at the document farthest from its own center.
- Several targets are clustered separately.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ..core.domains import Domains
from ..core.iterate import Solution, restart
from ..core.registry import register
from ..families.clustering import ClusteringClassifier, cluster_targets, cosine_scores
from ..families.hybrid_graph import indicator
from ..linalg.matrix import Array, Matrix, empty_rows, to_array
from ..linalg.normalize import normalize_rows_l2


class NamedCenters(NamedTuple):
    """The clusters of each target."""

    C: tuple[Annotated[Array, "clusters x words"], ...]  # per target
    names: tuple[Annotated[Array, "clusters < classes"], ...]  # per target: the class of each cluster


def objective(C: Array, Z: Matrix) -> float:
    """Sum of 1 - cosine with the nearest center, which is n minus (1)."""
    return float((1 - (Z @ C.T).max(axis=1)).sum())


def step(C: Array, Z: Matrix) -> Array:
    """Assign each document to the nearest center, then update the centers."""
    cosine = Z @ C.T
    codes = cosine.argmax(axis=1)
    empty_clusters = np.setdiff1d(np.arange(len(C)), codes)
    codes[cosine.max(axis=1).argsort(kind="stable")[: len(empty_clusters)]] = empty_clusters
    centers: Array = normalize_rows_l2(np.asarray((Z.T @ indicator(codes, len(C), C.dtype).toarray()).T))
    return centers


def start(Z: Matrix, k: int, rng: np.random.Generator) -> Array:
    """k documents; the probability of each grows with its distance from those drawn before."""
    drawn = [int(rng.integers(Z.shape[0]))]
    distance = np.full(Z.shape[0], np.inf)
    while len(drawn) < k:
        last = to_array(Z[np.array(drawn[-1:])])
        distance = np.minimum(distance, np.maximum(1 - (Z @ last.T).ravel(), 0).round(9))
        total = distance.sum()
        weight = distance / total if total > 0 else None
        drawn.append(int(rng.choice(Z.shape[0], p=weight)))
    return to_array(Z[np.array(drawn)])


def cluster(
    X: Matrix, *, n_clusters: int, n_init: int, max_iter: int, tol: float, rng: np.random.Generator
) -> Solution:
    """Centers of the documents that have words; the state is C."""
    Z = normalize_rows_l2(X[~empty_rows(X)])
    if Z.shape[0] == 0:
        return Solution(np.zeros((1, X.shape[1]), dtype=X.dtype), (), 1, True)
    k = min(n_clusters, Z.shape[0])
    return restart(
        partial(step, Z=Z),
        partial(objective, Z=Z),
        partial(start, Z, k, rng),
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )


def assign(X: Matrix, C: Array) -> tuple[Array, int]:
    """The cluster of each document, and the number of clusters."""
    return np.asarray(X @ C.T).argmax(axis=1), len(C)


def solve(domains: Domains, *, n_clusters: int | None, rng: np.random.Generator, **settings: Any) -> Solution:
    k = domains.n_classes if n_clusters is None else n_clusters
    return cluster_targets(domains, partial(cluster, n_clusters=k, rng=rng, **settings), assign, NamedCenters)


@register
class SphericalKMeans(ClusteringClassifier):
    """Cluster the target by cosine; name each cluster after the most similar source class.

    Use it to see whether the classes are clusters of the target: the source only names the clusters.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters; None takes the number of classes. If there are more clusters than classes, each remaining
        cluster gets the nearest class.
    n_init : int, default=10
        Number of starts from different random documents; the one with the lowest objective is kept.
    max_iter : int, default=100
        Largest number of iterations per start.
    tol : float, default=1e-6
        Stop if ten iterations lower the objective by less than this fraction of its first value; 0 runs all iterations.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.
    random_state : int, RandomState or None, default=None
        Seed of the starts.

    Attributes
    ----------
    state_ : NamedCenters
        Clusters and their classes, per target. The other attributes are those of `TransductiveClassifier`.
    transduction_proba_ : array of shape (n_target, n_classes)
        The squared cosine with the nearest center of each class, divided by the row sum. It is not calibrated.

    References
    ----------
    I. Dhillon and D. Modha. Concept Decompositions for Large Sparse Text Data Using Clustering. Machine Learning 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from labelferry.baselines import SphericalKMeans
    >>> Xs = np.array([[2.0, 0, 0, 0], [1, 0, 0, 0], [0, 2, 0, 0], [0, 1, 0, 0]])
    >>> Xt = np.array([[1.0, 0, 3, 0], [0, 0, 2, 0], [0, 1, 0, 3], [0, 0, 0, 4]])
    >>> SphericalKMeans(random_state=0).transfer(Xs, ["sport", "sport", "trade", "trade"], Xt).tolist()
    ['sport', 'sport', 'trade', 'trade']
    """

    State = NamedCenters
    ignores_scale = "rows"
    solve = staticmethod(solve)
    non_negative: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        class_prior: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.class_prior = class_prior
        self.random_state = random_state

    def _cluster_scores(self, X: Matrix, t: int) -> Array:
        return cosine_scores(normalize_rows_l2(X) @ self.state_.C[t].T)
