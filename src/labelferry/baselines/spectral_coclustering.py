r"""Spectral co-clustering: documents and words of the target clustered together and named by similar source classes.

    R = D_1^-1/2 A D_2^-1/2 = sum_l s_l u_l v_l'                                                                     (1)
    rows of [ D_1^-1/2 U ]  ,  U = (u_2 .. u_(l+1)),  V = (v_2 .. v_(l+1)),  l = ceil(log2 k),  by k-means           (2)
            [ D_2^-1/2 V ]

    A  documents x words of the target     D_1, D_2  sums of its rows and columns     k  clusters

The second singular vectors solve the relaxed normalized cut of the bipartite graph of documents and words. Only the
names are learned from the source (`families/cluster_names.py`).

Paper: Dhillon, Co-clustering Documents and Words Using Bipartite Spectral Graph Partitioning, KDD 2001.

Departures
----------
- `degree_regularization` tau adds tau times the mean degree to D_1 and to D_2. With 0, the paper's form, the cut often
  separates a few short documents: mean of CDSC's six newsgroup tasks (250 documents per class, tf-idf, five draws) .59,
  with 1, the default, .88. Pass tf-idf: plain counts are poor with both.
- Words that do not occur in the target and documents without words are not used.
- Every target is clustered separately.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator
from sklearn.cluster import KMeans

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, at_least, count
from ..core.registry import register
from ..core.threads import single_thread
from ..families.cluster_names import class_of_clusters
from ..families.clustering import by_class, likelihood, targets_of
from ..families.hybrid_graph import Scales, document_scale, relations, scales
from ..linalg.eigen import largest
from ..linalg.matrix import Array, Matrix
from ..linalg.multiplicative import add_up
from ..linalg.normalize import scale_rows


class TargetCoclusters(NamedTuple):
    """The clusters of one target."""

    V: Annotated[Array, "words x l"]  # v_l / s_l: a row of R times this is a row of U
    centers: Annotated[Array, "clusters x l"]
    variance: float  # mean squared distance of a document to its center, per dimension
    words: Annotated[Array, "words < any"]  # cluster of every word, -1 for words that do not occur
    names: Annotated[Array, "clusters < classes"]  # class of every cluster


class SpectralCoclusters(NamedTuple):
    """The scales of (1), and the clusters of every target."""

    scales: Scales
    targets: tuple[TargetCoclusters, ...]


def singular_vectors(R: Matrix, n_vectors: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """s and V of (1), from the second on, without those with s = 0. `largest` warns if it has not converged."""
    n = R.shape[0]
    RRt = LinearOperator((n, n), matvec=lambda x: R @ (R.T @ x), matmat=lambda B: R @ (R.T @ B), dtype=R.dtype)
    top = largest(RRt, min(n, n_vectors + 1), rng=rng)
    squares, U = top.values[::-1], top.vectors[:, ::-1]
    kept = (squares > 1e-6 * max(squares[0], 1e-6)) & (np.arange(len(squares)) > 0)
    s = np.sqrt(squares[kept])
    return s.astype(R.dtype), np.asarray((R.T @ U[:, kept]) / s, dtype=R.dtype)


def document_coordinates(X: Matrix, s: Scales, d: int, V: Array) -> Array:  # (2)
    """Rows of D_1^-1/2 U of documents of the d-th domain."""
    rows: Array = scale_rows(np.asarray(relations(X, s, d) @ V), document_scale(X, s, d))
    return rows


def closeness(points: Array, centers: Array) -> Array:
    """Negative squared distances, up to a constant per row."""
    close: Array = 2 * points @ centers.T - (centers**2).sum(axis=1)
    return close


def cocluster(
    domains: Domains, scale: Scales, d: int, k: int, n_vectors: int, n_init: int, rng: np.random.Generator
) -> TargetCoclusters:
    """The clusters of the documents and words of the d-th domain."""
    X = domains.X[d]
    s, V = singular_vectors(relations(X, scale, d), n_vectors, rng)
    documents, words = document_coordinates(X, scale, d, V / s), scale_rows(V, scale.word_scale[d])  # (2)
    points = [P[P.any(axis=1)] for P in (documents, words)]
    centers = _kmeans(np.vstack(points), k, n_init, rng)
    nearest = closeness(documents, centers).argmax(axis=1)
    names = class_of_clusters(*domains.labelled(), X, nearest, domains.n_classes, n_clusters=len(centers))
    variance = float(((documents - centers[nearest]) ** 2).sum() / max(documents.size, 1))
    of_word = np.where(words.any(axis=1), closeness(words, centers).argmax(axis=1), -1)
    return TargetCoclusters(V / s, centers, max(variance, 1e-12), of_word, names)


def _kmeans(points: Array, k: int, n_init: int, rng: np.random.Generator) -> Array:
    """The centers, fewer than k if there are fewer different points."""
    distinct = len(np.unique(points.round(9), axis=0))
    if distinct == 0:
        return np.zeros((1, points.shape[1]), dtype=points.dtype)
    seed = int(rng.integers(2**31 - 1))
    model = KMeans(min(k, distinct), n_init=n_init, random_state=seed)
    with single_thread("openmp"):
        model.fit(points)
    centers: Array = model.cluster_centers_.astype(points.dtype)
    return centers


def solve(
    domains: Domains,
    *,
    n_clusters: int | None,
    n_vectors: int | None,
    degree_regularization: float,
    n_init: int,
    rng: np.random.Generator,
) -> Solution:
    """Cluster every target; the parameters are those of `SpectralCoclustering`."""
    k = domains.n_classes if n_clusters is None else n_clusters
    l = max(1, ceil(log2(k))) if n_vectors is None else n_vectors
    scale = scales(domains, "none", degree_regularization)
    is_target = [domain.is_target for domain in domains]
    targets = tuple(cocluster(domains, scale, int(d), k, l, n_init, rng) for d in np.flatnonzero(is_target))
    return Solution(SpectralCoclusters(scale, targets), (), 1, True)


@register
class SpectralCoclustering(TransductiveClassifier):
    """Spectral co-clustering of documents and words of the target; clusters are named by similar source classes.

    Use it to see whether the classes are clusters of the target: the source only names the clusters.

    Pass tf-idf weights; X is used as it is.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, k in (2); None is the number of classes. With more clusters than classes, each remaining
        cluster gets the name of the nearest class.
    n_vectors : int, default=None
        Number of singular vectors, l in (2); None is ceil(log2 k), as in the paper.
    degree_regularization : float, default=1.0
        Multiple of the mean degree that is added to all degrees, tau; 0 is the paper's form.
    n_init : int, default=10
        Number of starts of k-means.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means and of the eigensolver.

    Attributes
    ----------
    state_ : SpectralCoclusters
        `scales`, and `targets` with the clusters of every target; `state_.targets[0].words` is the cluster of every
        word for the first target, -1 for words that do not occur.
        For the other attributes see `labelferry.core.classifier.TransductiveClassifier`.
    objective_history_ : array
        Empty; `n_iter_` is 1.

    References
    ----------
    I. Dhillon. Co-clustering Documents and Words Using Bipartite Spectral Graph Partitioning. KDD 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from labelferry.baselines import SpectralCoclustering
    >>> Xs = np.array([[2.0, 0, 0, 0], [1, 0, 0, 0], [0, 2, 0, 0], [0, 1, 0, 0]])
    >>> Xt = np.array([[1.0, 0, 3, 0], [0, 0, 2, 0], [0, 1, 0, 3], [0, 0, 0, 4]])
    >>> SpectralCoclustering(random_state=0).transfer(Xs, ["sport", "sport", "trade", "trade"], Xt).tolist()
    ['sport', 'sport', 'trade', 'trade']
    """

    State = SpectralCoclusters
    solve = staticmethod(solve)
    non_negative = True
    _parameter_constraints: ClassVar[Rules] = {
        "n_clusters": [*count(), None],
        "n_vectors": [*count(), None],
        "degree_regularization": at_least(0),
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_vectors: int | None = None,
        degree_regularization: float = 1.0,
        n_init: int = 10,
        class_prior: str | ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_vectors = n_vectors
        self.degree_regularization = degree_regularization
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def _fold_in(self, X: Matrix, d: int) -> Array:
        s: SpectralCoclusters = self.state_
        targets = [s.targets[t] for t in targets_of(self.domain_is_target_, d)]
        return add_up(
            by_class(
                likelihood(closeness(document_coordinates(X, s.scales, d, t.V), t.centers), t.variance),
                t.names,
                len(self.classes_),
            )
            for t in targets
        )
