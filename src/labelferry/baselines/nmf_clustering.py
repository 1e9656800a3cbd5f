r"""Clusters of the target by non-negative matrix factorization, named after the source classes they resemble.

    minimize  J = 1/2 || X - V U' ||^2      over U, V >= 0                                                           (1)

    X  documents x words, rows of unit length     U  words x clusters     V  documents x clusters

(1) does not determine the lengths of the columns of U. They are set to one, and V is scaled accordingly:

    u_j <- u_j / |u_j|,   v_j <- v_j |u_j|;   document i belongs to the cluster argmax_j v_ij.                       (2)

With `weighting="cut"` each document is first divided by the root of its degree, X <- D^-1/2 X, D = diag(X X'1): the
matrix whose leading singular vectors are those of the normalized cut.                                               (3)
Nothing is learned from the source except the names (`families/cluster_names.py`).

Paper: Xu, Liu and Gong, Document Clustering Based on Non-negative Matrix Factorization, SIGIR 2003. We had no copy; the
method and the statements about the paper here are taken from papers that use it. The equation numbers are ours.

Departures
----------
- The solver is scikit-learn's coordinate descent instead of multiplicative updates. The best of `n_init` random starts
  is kept.
- (3), which the paper finds better, is an option: without protection against outliers one cluster contains a handful
  of unusual documents and the other the rest. Means of three newsgroup tasks (comp-sci, rec-talk, sci-talk), on which
  this was chosen: .844 without, .441 with; of all six: .906 and .458.
- GCMF's Table 3 has .662 on the six. It does not describe its input, here tf-idf.
- A new document gets the v >= 0 that fits it best with U unchanged. Several targets are clustered separately.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from sklearn.decomposition import NMF, non_negative_factorization
from sklearn.exceptions import ConvergenceWarning

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, choice
from ..core.registry import register
from ..families.clustering import ClusteringClassifier, cluster_targets
from ..linalg.matrix import Array, Matrix, empty_rows
from ..linalg.multiplicative import normalize_rows_l1, sq_residual
from ..linalg.normalize import normalize_rows_l2, scale_rows


class NamedFactors(NamedTuple):
    """The clusters of each target."""

    U: tuple[Annotated[Array, "words x clusters >= 0"], ...]  # per target: columns of unit length
    names: tuple[Annotated[Array, "clusters < classes"], ...]  # per target: the class of each cluster


def objective(U: Array, V: Array, X: Matrix) -> float:  # (1)
    return 0.5 * sq_residual(X, U, V)


def weigh(X: Matrix, weighting: str) -> Any:
    """Rows of unit length; for "cut" divided by the root of their degree, as in (3)."""
    Z = normalize_rows_l2(X)
    if weighting == "none":
        return Z
    degree = np.asarray(Z @ (Z.T @ np.ones(Z.shape[0], dtype=Z.dtype)))
    return scale_rows(Z, 1 / np.sqrt(degree))


def memberships(X: Matrix, U: Array) -> Array:
    """V of (2): the best V >= 0 for a given U with columns of unit length. It scales with the rows of X."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # by then only the last digits of a row change
        H = U.T.astype(X.dtype)
        V: Array = non_negative_factorization(X, H=H, n_components=len(H), update_H=False, tol=1e-6, max_iter=500)[0]
    return V


def factorize(X: Matrix, k: int, max_iter: int, tol: float, rng: np.random.Generator) -> Solution:
    """U of (2), from one random start."""
    model = NMF(k, init="random", max_iter=max_iter, tol=tol, random_state=int(rng.integers(2**31 - 1)))
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):  # root of an error that is 0 up to rounding
        warnings.simplefilter("ignore", ConvergenceWarning)  # reported by `converged_`
        V = model.fit_transform(X)
    U = model.components_.T
    history = (objective(U, V, X),)
    return Solution(normalize_rows_l2(U.T).T, history, model.n_iter_, model.n_iter_ < max_iter)


def cluster(
    X: Matrix, *, n_clusters: int, weighting: str, n_init: int, max_iter: int, tol: float, rng: np.random.Generator
) -> Solution:
    """The best of `n_init` factorizations of the documents that have words; the state is U."""
    Z = weigh(X[~empty_rows(X)], weighting)
    if Z.shape[0] == 0:
        return Solution(np.full((X.shape[1], 1), X.shape[1] ** -0.5, dtype=X.dtype), (), 1, True)
    k = min(n_clusters, Z.shape[0])
    return min((factorize(Z, k, max_iter, tol, rng) for _ in range(n_init)), key=lambda solution: solution.history[-1])


def assign(X: Matrix, U: Array) -> tuple[Array, int]:
    """The cluster of each document, and the number of clusters."""
    return memberships(normalize_rows_l2(X), U).argmax(axis=1), U.shape[1]


def solve(domains: Domains, *, n_clusters: int | None, rng: np.random.Generator, **settings: Any) -> Solution:
    k = domains.n_classes if n_clusters is None else n_clusters
    return cluster_targets(domains, partial(cluster, n_clusters=k, rng=rng, **settings), assign, NamedFactors)


@register
class NMFClustering(ClusteringClassifier):
    """Cluster the target by non-negative factors; name each cluster after the most similar source class.

    Use it to see whether the classes are clusters of the target: the source only names the clusters.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters; None takes the number of classes. If there are more clusters than classes, each remaining
        cluster gets the nearest class.
    weighting : {"none", "cut"}, default="none"
        "cut" divides each document by the root of its degree, as in the normalized cut.
    n_init : int, default=10
        Number of random starts; the one with the lowest objective is kept.
    max_iter : int, default=200
        Largest number of iterations per start.
    tol : float, default=1e-4
        Tolerance of scikit-learn's NMF.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.
    random_state : int, RandomState or None, default=None
        Seed of the starts.

    Attributes
    ----------
    state_ : NamedFactors
        Clusters and their classes, per target. The other attributes are those of `TransductiveClassifier`.
    objective_history_ : array
        The last value of (1) only.
    transduction_proba_ : array of shape (n_target, n_classes)
        The largest v of the clusters of each class, divided by the row sum. It is not calibrated.

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

    State = NamedFactors
    ignores_scale = "rows"
    solve = staticmethod(solve)
    non_negative: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Rules] = {
        **ClusteringClassifier._parameter_constraints,
        "weighting": choice("none", "cut"),
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        weighting: str = "none",
        n_init: int = 10,
        max_iter: int = 200,
        tol: float = 1e-4,
        class_prior: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weighting = weighting
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.class_prior = class_prior
        self.random_state = random_state

    def _cluster_scores(self, X: Matrix, t: int) -> Array:
        return normalize_rows_l1(memberships(normalize_rows_l2(X), self.state_.U[t]))
