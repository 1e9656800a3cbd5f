"""Spherical k-means: clusters of the target by cosine, named afterwards by the source classes they resemble.

    maximise  sum_i z_i' c_(j(i))      over clusters j(i) and centres c_j of unit length                             (1)

    Z  documents x words, rows of unit length     C  clusters x words, rows of unit length

Each document goes to the centre with the largest cosine; each centre is the direction of the sum of its documents. (1)
never falls. Nothing is learnt from the source but the names (`families/cluster_names.py`).

Paper: Dhillon and Modha, Concept Decompositions for Large Sparse Text Data Using Clustering, Machine Learning 2001.

Departures
----------
- The first centres are documents drawn by k-means++ (Arthur and Vassilvitskii 2007), since a random partition, the
  paper's, has nearly equal centres. The best of `n_init` starts is kept.
- A cluster that has lost all its documents begins anew at the document farthest from its own centre.
- Several targets are clustered each on its own.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domain, Domains
from ..core.iterate import Solution, restart
from ..core.params import CLASS_PRIOR, SEED, Rules, at_least, count
from ..core.registry import register
from ..families.cluster_names import class_of_clusters
from ..families.hybrid_graph import indicator
from ..families.per_target import by_class, join, shares, targets_of
from ..linalg.entries import to_dense
from ..linalg.matrix import Array, Matrix, empty_rows
from ..linalg.multiplicative import add_up
from ..linalg.normalize import unit_rows


class Clusters(NamedTuple):
    C: tuple[Array, ...]  # of each target: clusters x words
    names: tuple[Array, ...]  # of each target: the class of every cluster


def objective(C: Array, Z: Matrix) -> float:
    """Sum of 1 - cosine with the nearest centre, which is n minus (1)."""
    return float((1 - (Z @ C.T).max(axis=1)).sum())


def step(C: Array, Z: Matrix) -> Array:
    cosine = Z @ C.T
    codes = cosine.argmax(axis=1)
    lost = np.setdiff1d(np.arange(len(C)), codes)
    codes[cosine.max(axis=1).argsort(kind="stable")[: len(lost)]] = lost
    return unit_rows(np.asarray((Z.T @ indicator(codes, len(C), C.dtype).toarray()).T))


def start(Z: Matrix, k: int, rng: np.random.Generator) -> Array:
    """k documents, each drawn with a chance that grows with its distance from those before it."""
    chosen = [int(rng.integers(Z.shape[0]))]
    distance = np.full(Z.shape[0], np.inf)
    while len(chosen) < k:
        last = to_dense(Z[np.array(chosen[-1:])])
        distance = np.minimum(distance, np.maximum(1 - (Z @ last.T).ravel(), 0).round(9))
        total = distance.sum()
        weight = distance / total if total > 0 else None
        chosen.append(int(rng.choice(Z.shape[0], p=weight)))
    return to_dense(Z[np.array(chosen)])


def cluster(X: Matrix, n_clusters: int, n_init: int, max_iter: int, tol: float, rng: np.random.Generator) -> Solution:
    """The centres for the documents that have words."""
    Z = unit_rows(X[~empty_rows(X)])
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


def solve(
    domains: Domains,
    *,
    n_clusters: int | None,
    n_init: int,
    max_iter: int,
    tol: float,
    rng: np.random.Generator,
) -> Solution:
    X, codes = domains.labelled()
    k = domains.n_classes if n_clusters is None else n_clusters
    solved = [cluster(target.X, k, n_init, max_iter, tol, rng) for target in domains.targets]

    def names(target: Domain, C: Array) -> Array:
        nearest = np.asarray(target.X @ C.T).argmax(axis=1)
        return class_of_clusters(X, codes, target.X, nearest, domains.n_classes, n_clusters=len(C))

    C = tuple(solution.state for solution in solved)
    return join(solved, Clusters(C, tuple(map(names, domains.targets, C))))


@register
class SphericalKMeans(TransductiveClassifier):
    """Clusters of the target by cosine, each with the name of the source class it resembles most.

    Parameters
    ----------
    n_clusters : number of clusters; None takes the number of classes. Where there are more clusters than classes, those
        left over take the nearest class.
    n_init : starts from other random documents; the one with the closest clusters is kept.
    max_iter : number of rounds.
    tol : stop when the objective falls by less than this share of its first value in ten rounds; 0 runs all.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.
    random_state : seed of the starts.

    Attributes
    ----------
    state_ : Clusters(C, names), one of each a target. The others are those of every estimator; `transduction_proba_`
        has the squared cosines with the nearest centre of each class, to sum one. They are not calibrated.

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

    State = Clusters
    solve = staticmethod(solve)
    non_negative = True
    _parameter_constraints: ClassVar[Rules] = {
        "n_clusters": [*count(), None],
        "n_init": count(),
        "max_iter": count(),
        "tol": at_least(0),
        "class_prior": CLASS_PRIOR,
        "random_state": SEED,
    }

    def __init__(self, n_clusters=None, *, n_init=10, max_iter=100, tol=1e-6, class_prior=None, random_state=None):
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.class_prior = class_prior
        self.random_state = random_state

    def _fold_in(self, X: Matrix, d: int) -> Array:
        Z: Any = unit_rows(X)
        C, names = self.state_
        return add_up(
            by_class(shares(Z @ C[t].T), names[t], len(self.classes_)) for t in targets_of(self.domain_is_target_, d)
        )
