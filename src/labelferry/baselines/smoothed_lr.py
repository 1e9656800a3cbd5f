r"""The source's classifier, its answers smoothed over the target's nearest neighbours.

    F = (1 - a) P + a D^-1 W F      solved by `n_rounds` rounds, from F = P                                          (1)

    P  documents x classes, probabilities of logistic regression     W  max(W, W') of the cosine nearest neighbours
    F  documents x classes, the smoothed ones                        D  row sums of W

A document is taken for what its neighbours in the target are taken for. The shares of the classes may be what they
like, so that a target with rare classes does no harm.

Paper: Zhou, Bousquet, Lal, Weston and Schoelkopf, Learning with Local and Global Consistency, NIPS 2003, with a
classifier's probabilities in the place of given labels. We had no copy.

Departures
----------
- The row-stochastic D^-1 W in place of D^-1/2 W D^-1/2, so that rows of F stay probabilities.
- Ten rounds, not the limit: a^10 = .35 of the way is left, which keeps an answer near its own neighbourhood.
- A document without a neighbour keeps its P. New documents, on which the paper is silent, take (1) once, with the
  nearest documents of the target as neighbours.
- Several targets are smoothed each on its own.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import CLASS_PRIOR, Rules, count, positive, share
from ..core.registry import register
from ..families.linear import START_C, LinearModel, logistic
from ..families.per_target import targets_of
from ..linalg import knn
from ..linalg.matrix import Array, Matrix
from ..linalg.multiplicative import add_up
from ..linalg.smoothing import smooth, step


class Smoothed(NamedTuple):
    coef: Array  # of the source's classifier
    intercept: Array
    F: tuple[Array, ...]  # of each target
    X: tuple[Matrix, ...]  # the documents of each target, where new ones look for neighbours


def solve(
    domains: Domains, *, n_neighbors: int, smoothness: float, n_rounds: int, C: float, rng: np.random.Generator
) -> Solution:
    model = logistic(*domains.labelled(), C)
    graphs = [knn.neighbour_graph(d.X, n_neighbors=n_neighbors) for d in domains.targets]
    spread = partial(smooth, a=smoothness, n_rounds=n_rounds)
    F = tuple(spread(model.proba(d.X), W) for d, W in zip(domains.targets, graphs, strict=True))
    state = Smoothed(*model, F, tuple(d.X for d in domains.targets))
    return Solution(state, (), n_rounds, True)


@register
class SmoothedLR(TransductiveClassifier):
    """Logistic regression of the source, its answers smoothed over the target's nearest neighbours.

    Parameters
    ----------
    n_neighbors : neighbours of a document in the graph, and of a new one.
    smoothness : a in (1), from 0 (the source's answers as they are) to 1.
    n_rounds : rounds of (1).
    C : of the logistic regression, the weight of the loss against the squared norm of the weights.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.

    Attributes
    ----------
    state_ : Smoothed(*model, F, X). The others are those of every estimator; `objective_history_` is empty.

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
        "n_neighbors": count(),
        "smoothness": share(),
        "n_rounds": count(0),
        "C": positive(),
        "class_prior": CLASS_PRIOR,
    }

    def __init__(self, n_neighbors=10, *, smoothness=0.9, n_rounds=10, C=START_C, class_prior=None):
        self.n_neighbors = n_neighbors
        self.smoothness = smoothness
        self.n_rounds = n_rounds
        self.C = C
        self.class_prior = class_prior

    def _fold_in(self, X: Matrix, d: int) -> Array:
        s = self.state_
        P = LinearModel(s.coef, s.intercept).proba(X)
        near = targets_of(self.domain_is_target_, d)
        answers = [step(s.F[t], P, knn.nearest(X, s.X[t], n_neighbors=self.n_neighbors), self.smoothness) for t in near]
        return add_up(answers) / len(near)

    def _scores(self, domains: Domains) -> list[Array]:
        return list(self.state_.F)
