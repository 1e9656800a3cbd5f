"""Methods that solve every target on its own, so that what one target gets does not depend on the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.iterate import Solution
from ..linalg.matrix import Array


def join(solved: Sequence[Solution], state: Any) -> Solution:
    """One solution of several targets: as many iterations as the slowest, its history, converged if all are."""
    slowest = max(solved, key=lambda solution: solution.n_iter)
    return Solution(state, slowest.history, slowest.n_iter, all(solution.converged for solution in solved))


def targets_of(is_target: Array, d: int) -> list[int]:
    """Which of the targets' solutions speak for a new document of the d-th domain: its own; for a source, all."""
    targets = np.flatnonzero(is_target).tolist()
    return [targets.index(d)] if d in targets else list(range(len(targets)))


def shares(closeness: Array) -> Array:
    """Scores >= 0 from cosines with the axes or centres of clusters, in the same order: the positive ones, squared.

    A little is added so that the order holds also in a row without a positive one.
    """
    return np.maximum(closeness, 0) ** 2 + closeness.dtype.type(1e-6) * (1 + np.maximum(closeness, -1))


def likelihood(closeness: Array, spread: float) -> Array:
    """Scores >= 0 from squared distances (negative, up to a constant a row): 1 for the nearest, normal about each."""
    top = closeness.max(axis=1, keepdims=True, initial=-np.inf)
    return np.exp((closeness - top) / closeness.dtype.type(2 * spread))


def by_class(scores: Array, names: Array, n_classes: int) -> Array:
    """Documents x classes from documents x clusters: a class has the score of the best of its clusters, else 0."""
    out = np.zeros((len(scores), n_classes), dtype=scores.dtype)
    for cluster, name in enumerate(names):
        np.maximum(out[:, name], scores[:, cluster], out=out[:, name])
    return out
