r"""Clusters of the target by non-negative matrix factorisation, named afterwards by the source classes they resemble.

    minimise  J = 1/2 || X - V U' ||^2      over U, V >= 0                                                           (1)

    X  documents x words, rows of unit length     U  words x clusters     V  documents x clusters

(1) leaves the lengths of the columns of U open: they are set to one, and V takes up the rest,

    u_j <- u_j / |u_j|,   v_j <- v_j |u_j|;   document i is of the cluster argmax_j v_ij.                            (2)

With `weighting="cut"` each document is first divided by the root of its degree, X <- D^-1/2 X, D = diag(X X'1): the
matrix whose leading singular vectors are those of the normalised cut.                                               (3)
Nothing is learnt from the source but the names (`families/cluster_names.py`).

Paper: Xu, Liu and Gong, Document Clustering Based on Non-negative Matrix Factorization, SIGIR 2003. We had no copy: the
method, and what is said of the paper here, is as it is known where others use it. The numbers above are ours.

Departures
----------
- The solver is scikit-learn's coordinate descent in place of multiplicative updates. The best of `n_init` random starts
  is kept.
- (3), which the paper finds better, is an option: without help against outliers the clusters are a handful of odd
  documents and the rest. Means of three newsgroup tasks (comp-sci, rec-talk, sci-talk), on which this was settled: .844
  without, .441 with; of all six: .906 and .459.
- GCMF's Table 3 has .662 on the six. It does not tell its input, here tf-idf.
- A new document has the v >= 0 that fits it best with U as it is. Several targets are clustered each on its own.
"""

from __future__ import annotations

import warnings
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.decomposition import NMF, non_negative_factorization
from sklearn.exceptions import ConvergenceWarning

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domain, Domains
from ..core.iterate import Solution
from ..core.params import CLASS_PRIOR, SEED, Rules, at_least, choice, count
from ..core.registry import register
from ..families.cluster_names import class_of_clusters
from ..families.per_target import by_class, join, targets_of
from ..linalg.matrix import Array, Matrix, empty_rows
from ..linalg.multiplicative import add_up, rows_to_one
from ..linalg.normalize import scale_rows, unit_rows
from ..linalg.residual import sq_residual


class Clusters(NamedTuple):
    U: tuple[Array, ...]  # of each target: words x clusters, columns of unit length
    names: tuple[Array, ...]  # of each target: the class of every cluster


def objective(U: Array, V: Array, X: Matrix) -> float:  # (1)
    return 0.5 * sq_residual(X, U, V)


def weigh(X: Matrix, weighting: str) -> Matrix:
    """Rows of unit length, for "cut" divided by the root of their degree, as (3)."""
    Z = unit_rows(X)
    if weighting == "none":
        return Z
    degree = np.asarray(Z @ (Z.T @ np.ones(Z.shape[0], dtype=Z.dtype)))
    return scale_rows(Z, 1 / np.sqrt(degree))


def memberships(X: Matrix, U: Array) -> Array:
    """V of (2): the best V >= 0 for the given U, whose columns have unit length; scales with the rows of X."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a row's last digits: its largest entry stands by then
        H = U.T.astype(X.dtype)
        V, _, _ = non_negative_factorization(X, H=H, n_components=len(H), update_H=False, tol=1e-6, max_iter=500)
    return V


def factorize(X: Matrix, k: int, max_iter: int, tol: float, rng: np.random.Generator) -> Solution:
    """U of (2), from one random start."""
    model = NMF(k, init="random", max_iter=max_iter, tol=tol, random_state=int(rng.integers(2**31 - 1)))
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):  # the root of an error that is 0 but for rounding
        warnings.simplefilter("ignore", ConvergenceWarning)  # said by `converged_`
        V = model.fit_transform(X)
    U = model.components_.T
    history = (objective(U, V, X),)
    return Solution(unit_rows(U.T).T, history, model.n_iter_, model.n_iter_ < max_iter)


def cluster(
    X: Matrix, n_clusters: int, weighting: str, n_init: int, max_iter: int, tol: float, rng: np.random.Generator
) -> Solution:
    """The lowest of `n_init` factorisations of the documents that have words."""
    Z = weigh(X[~empty_rows(X)], weighting)
    if Z.shape[0] == 0:
        return Solution(np.full((X.shape[1], 1), X.shape[1] ** -0.5, dtype=X.dtype), (), 1, True)
    k = min(n_clusters, Z.shape[0])
    return min((factorize(Z, k, max_iter, tol, rng) for _ in range(n_init)), key=lambda solution: solution.history[-1])


def solve(
    domains: Domains,
    *,
    n_clusters: int | None,
    weighting: str,
    n_init: int,
    max_iter: int,
    tol: float,
    rng: np.random.Generator,
) -> Solution:
    X, codes = domains.labelled()
    k = domains.n_classes if n_clusters is None else n_clusters
    solved = [cluster(target.X, k, weighting, n_init, max_iter, tol, rng) for target in domains.targets]

    def names(target: Domain, U: Array) -> Array:
        clusters = memberships(unit_rows(target.X), U).argmax(axis=1)
        return class_of_clusters(X, codes, target.X, clusters, domains.n_classes, n_clusters=U.shape[1])

    U = tuple(solution.state for solution in solved)
    return join(solved, Clusters(U, tuple(map(names, domains.targets, U))))


@register
class NMFClustering(TransductiveClassifier):
    """Clusters of the target by non-negative factors, each with the name of the source class it resembles most.

    Parameters
    ----------
    n_clusters : number of clusters; None takes the number of classes. Where there are more clusters than classes, those
        left over take the nearest class.
    weighting : "none", or "cut": documents divided by the root of their degree, as in the normalised cut.
    n_init : random starts; the one with the lowest objective is kept.
    max_iter : number of rounds of a start.
    tol : scikit-learn's tolerance of the factorisation.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.
    random_state : seed of the starts.

    Attributes
    ----------
    state_ : Clusters(U, names), one of each a target. The others are those of every estimator; `transduction_proba_`
        has the largest v of the clusters of each class, to sum one. They are not calibrated. `objective_history_` has
        the last value only.

    References
    ----------
    W. Xu, X. Liu and Y. Gong. Document Clustering Based on Non-negative Matrix Factorization. SIGIR 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from labelferry.baselines import NMFClustering
    >>> Xs = np.array([[2.0, 0, 0, 0], [1, 0, 0, 0], [0, 2, 0, 0], [0, 1, 0, 0]])
    >>> Xt = np.array([[1.0, 0, 3, 0], [0, 0, 2, 0], [0, 1, 0, 3], [0, 0, 0, 4]])
    >>> NMFClustering(random_state=0).transfer(Xs, ["sport", "sport", "trade", "trade"], Xt).tolist()
    ['sport', 'sport', 'trade', 'trade']
    """

    State = Clusters
    solve = staticmethod(solve)
    non_negative = True
    _parameter_constraints: ClassVar[Rules] = {
        "n_clusters": [*count(), None],
        "weighting": choice("none", "cut"),
        "n_init": count(),
        "max_iter": count(),
        "tol": at_least(0),
        "class_prior": CLASS_PRIOR,
        "random_state": SEED,
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        weighting="none",
        n_init=10,
        max_iter=200,
        tol=1e-4,
        class_prior=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.weighting = weighting
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.class_prior = class_prior
        self.random_state = random_state

    def _fold_in(self, X: Matrix, d: int) -> Array:
        U, names = self.state_
        Z = unit_rows(X)
        return add_up(
            by_class(rows_to_one(memberships(Z, U[t])), names[t], len(self.classes_))
            for t in targets_of(self.domain_is_target_, d)
        )
