"""Methods that solve each target on its own, and those among them that cluster it and name the clusters.

With several targets, the predictions for one of them do not depend on the others. A clustering method learns nothing
from the source except the names of the clusters (`families/cluster_names.py`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domain, Domains
from ..core.iterate import Solution
from ..core.params import Rules, count
from ..linalg.matrix import Array, Matrix
from ..linalg.multiplicative import add_up
from .cluster_names import class_of_clusters

_MIN_SCORE = 1e-6  # keeps the order of cosines below 0


class PerTargetClassifier(TransductiveClassifier):
    """Base class of the estimators that solve each target on its own.

    A new document of a source gets the sum of the scores of all targets.
    """

    @abstractmethod
    def _target_scores(self, X: Matrix, t: int) -> Array:
        """Scores (documents x classes, >= 0) of new documents by the solution of the t-th target."""

    def _fold_in(self, X: Matrix, d: int) -> Array:
        return add_up(self._target_scores(X, t) for t in targets_of(self.domain_is_target_, d))


class ClusteringClassifier(PerTargetClassifier):
    """Base class of the estimators that cluster each target and name the clusters.

    The state has a field `names`: per target, the class of each cluster.
    """

    _parameter_constraints: ClassVar[Rules] = {"n_clusters": [*count(), None]}

    @abstractmethod
    def _cluster_scores(self, X: Matrix, t: int) -> Array:
        """Scores (documents x clusters, >= 0) of new documents by the clusters of the t-th target."""

    def _target_scores(self, X: Matrix, t: int) -> Array:
        return by_class(self._cluster_scores(X, t), self.state_.names[t], len(self.classes_))


def cluster_targets(
    domains: Domains,
    cluster: Callable[[Matrix], Solution],
    assign: Callable[[Matrix, Any], tuple[Array, int]],
    make_state: Callable[[tuple[Any, ...], tuple[Array, ...]], Any],
) -> Solution:
    """Cluster each target and name its clusters."""
    # `assign`: `assign(X, state)` returns the cluster of each document of that target, and the number of clusters.
    # `make_state`: `make_state(states, names)` makes the state of the estimator from one state and one array of names
    # per target.
    X, codes = domains.labelled()
    solutions = [cluster(target.X) for target in domains.targets]

    def name(target: Domain, solution: Solution) -> Array:
        clusters, n_clusters = assign(target.X, solution.state)
        return class_of_clusters(X, codes, target.X, clusters, domains.n_classes, n_clusters=n_clusters)

    names = tuple(map(name, domains.targets, solutions))
    return join_solutions(solutions, make_state(tuple(solution.state for solution in solutions), names))


def join_solutions(solutions: Sequence[Solution], state: Any) -> Solution:
    """One Solution for all targets: `history` and `n_iter` of the slowest one, `converged` if all are."""
    slowest = max(solutions, key=lambda solution: solution.n_iter)
    return Solution(state, slowest.history, slowest.n_iter, all(solution.converged for solution in solutions))


def targets_of(is_target: Array, d: int) -> list[int]:
    """Indices of the targets whose solutions score new documents of the d-th domain: its own; for a source, all."""
    targets: list[int] = np.flatnonzero(is_target).tolist()
    return [targets.index(d)] if d in targets else list(range(len(targets)))


def by_class(scores: Array, names: Array, n_classes: int) -> Array:
    """Documents x classes from documents x clusters: the score of the best cluster of each class, 0 if it has none."""
    class_scores = np.zeros((len(scores), n_classes), dtype=scores.dtype)
    for cluster, name in enumerate(names):
        np.maximum(class_scores[:, name], scores[:, cluster], out=class_scores[:, name])
    return class_scores


def cosine_scores(cosine: Array) -> Array:
    """Scores >= 0 in the order of the cosines with the axes or centers of clusters: the positive ones, squared."""
    # A small term keeps the order in rows without a positive cosine.
    scores: Array = np.maximum(cosine, 0) ** 2 + cosine.dtype.type(_MIN_SCORE) * (1 + np.maximum(cosine, -1))
    return scores


def likelihood(closeness: Array, variance: float) -> Array:
    """Normal density of each cluster as a multiple of the nearest one's."""
    # `closeness` is minus the squared distance to each center, up to a constant per row.
    top = closeness.max(axis=1, keepdims=True, initial=-np.inf)
    ratio: Array = np.exp((closeness - top) / closeness.dtype.type(2 * variance))
    return ratio
