r"""The source-only classifier, with predictions smoothed over the nearest neighbors in the target.

    F = (1 - a) P + a D^-1 W F      by `n_rounds` iterations, from F = P                                             (1)

    P  documents x classes, probabilities of logistic regression     W  max(W, W') of the cosine nearest neighbors
    F  documents x classes, the smoothed ones                        D  row sums of W

A document gets the predictions of its neighbors in the target. There is no constraint on the class proportions, so a
target with rare classes is no problem.

Paper: Zhou, Bousquet, Lal, Weston and Schoelkopf, Learning with Local and Global Consistency, NIPS 2003, with the
probabilities of a classifier instead of given labels. We had no copy.

Departures
----------
- The row-stochastic D^-1 W instead of D^-1/2 W D^-1/2, so that rows of F stay probabilities.
- Ten iterations, not the limit: a^10 = .35 of the way is left, which keeps a prediction near its own neighborhood.
- A document without a neighbor keeps its P. The paper does not treat new documents; here they get one iteration of (1),
  with the nearest documents of the target as neighbors.
- Several targets are smoothed separately.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, count, positive, share
from ..core.registry import register
from ..families.clustering import PerTargetClassifier
from ..families.linear import START_C, LinearModel, logistic
from ..linalg import knn
from ..linalg.matrix import Array, Matrix
from ..linalg.smoothing import smooth, step


class Smoothed(NamedTuple):
    """The source-only classifier and the smoothed predictions of each target."""

    model: LinearModel
    F: tuple[Annotated[Array, "documents[t] x classes"], ...]  # per target
    X: tuple[Annotated[Matrix, "documents[t] x words"], ...]  # documents among which new ones have neighbors
    place: tuple[Annotated[Array, "documents[t]"], ...]  # of equally near ones the first by content is the neighbor


def solve(
    domains: Domains, *, n_neighbors: int, smoothness: float, n_rounds: int, C: float, rng: np.random.Generator
) -> Solution:
    model = logistic(*domains.labelled(), C)
    X = tuple(d.X for d in domains.targets)
    graphs = [knn.neighbor_graph(Xt, n_neighbors=n_neighbors) for Xt in X]
    F = tuple(smooth(model.proba(Xt), W, smoothness, n_rounds) for Xt, W in zip(X, graphs, strict=True))
    return Solution(Smoothed(model, F, X, tuple(np.arange(len(Ft)) for Ft in F)), (), n_rounds, True)


@register
class SmoothedLR(PerTargetClassifier):
    """Logistic regression of the source, with predictions smoothed over the nearest neighbors in the target.

    Use it if similar documents of the target have the same class and its class proportions are unknown.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbors of a document in the graph, and of a new document.
    smoothness : float, default=0.9
        a in (1), from 0 (the predictions of the source-only classifier) to 1.
    n_rounds : int, default=10
        Number of iterations of (1).
    C : float, default=10.0
        Weight of the loss of logistic regression against the squared norm of the weights.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.

    Attributes
    ----------
    state_ : Smoothed
        Classifier, smoothed predictions and documents. The other attributes are those of `TransductiveClassifier`.
    objective_history_ : array
        Empty.

    References
    ----------
    D. Zhou, O. Bousquet, T. N. Lal, J. Weston and B. Schoelkopf. Learning with Local and Global Consistency. NIPS 2003.

    Examples
    --------
    >>> from labelferry import SmoothedLR, load_demo
    >>> demo = load_demo()
    >>> y_new = SmoothedLR(smoothness=0.5).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.75
    True
    """

    State = Smoothed
    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[Rules] = {
        "smoothness": share(),
        "n_rounds": count(0),
        "C": positive(),
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        smoothness: float = 0.9,
        n_rounds: int = 10,
        C: float = START_C,
        class_prior: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.smoothness = smoothness
        self.n_rounds = n_rounds
        self.C = C
        self.class_prior = class_prior

    def _target_scores(self, X: Matrix, t: int) -> Array:
        s = self.state_
        neighbors = knn.nearest(X, s.X[t], n_neighbors=self.n_neighbors, rank=s.place[t])
        return step(s.F[t], s.model.proba(X), neighbors, self.smoothness)

    def _scores(self, domains: Domains) -> list[Array]:
        return list(self.state_.F)
