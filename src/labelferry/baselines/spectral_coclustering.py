r"""Spectral co-clustering: documents and words of the target cut together, named by the source classes they resemble.

    R = D_1^-1/2 A D_2^-1/2 = sum_l s_l u_l v_l'                                                                     (1)
    rows of [ D_1^-1/2 U ]  ,  U = (u_2 .. u_(l+1)),  V = (v_2 .. v_(l+1)),  l = ceil(log2 k),  by k-means           (2)
            [ D_2^-1/2 V ]

    A  documents x words of the target     D_1, D_2  sums of its rows and columns     k  clusters

The second singular vectors solve the relaxed normalised cut of the bipartite graph of documents and words. Nothing is
learnt from the source but the names (`families/cluster_names.py`).

Paper: Dhillon, Co-clustering Documents and Words Using Bipartite Spectral Graph Partitioning, KDD 2001.

Departures
----------
- `degree_regularization` tau adds tau times the mean degree to D_1 and to D_2. With 0, the paper's form, the cut often
  takes off a handful of short documents: mean of CDSC's six newsgroup tasks (250 documents a class, tf-idf, five draws)
  .59, with 1, the default, .88. Pass tf-idf: plain counts are poor with either.
- Words that do not occur in the target and documents without words take no part.
- Several targets are cut each on its own.
"""

from __future__ import annotations

from math import ceil, log2
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator
from sklearn.cluster import KMeans

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import CLASS_PRIOR, SEED, Rules, at_least, count
from ..core.registry import register
from ..families.cluster_names import class_of_clusters
from ..families.clustering import by_class, likelihood, targets_of
from ..families.hybrid_graph import Scales, document_scale, relations, scales
from ..linalg.eigen import largest
from ..linalg.matrix import Array, Matrix
from ..linalg.multiplicative import add_up
from ..linalg.normalize import scale_rows


class Coclusters(NamedTuple):
    """The scales of (1), then one entry a target of each."""

    weighting: str
    idf: Array
    floor: tuple[float, ...]  # of each domain, as the next
    word: tuple[Array, ...]
    V: tuple[Array, ...]  # words x l, v_l / s_l: a row of R times this is a row of U
    centres: tuple[Array, ...]  # clusters x l
    spread: tuple[float, ...]  # mean squared distance of a document to its centre, by dimension
    words: tuple[Array, ...]  # cluster of every word, -1 for words that do not occur
    names: tuple[Array, ...]  # class of every cluster


def singular_vectors(R: Matrix, n_vectors: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """s and V of (1), from the second on, as far as s is not zero. A loose result is warned of by `largest`."""
    n = R.shape[0]
    RRt = LinearOperator((n, n), matvec=lambda x: R @ (R.T @ x), matmat=lambda B: R @ (R.T @ B), dtype=R.dtype)
    top = largest(RRt, min(n, n_vectors + 1), rng=rng)
    squares, U = top.values[::-1], top.vectors[:, ::-1]
    kept = (squares > 1e-6 * max(squares[0], 1e-6)) & (np.arange(len(squares)) > 0)
    s = np.sqrt(squares[kept])
    return s.astype(R.dtype), np.asarray((R.T @ U[:, kept]) / s, dtype=R.dtype)


def place(X: Matrix, scale: Scales, d: int, V: Array) -> Array:
    """Rows of D_1^-1/2 U of documents of the d-th domain."""  # (2)
    return scale_rows(np.asarray(relations(X, scale, d) @ V), document_scale(X, scale, d))


def closeness(points: Array, centres: Array) -> Array:
    """Squared distances, negative and up to a constant a row."""
    return 2 * points @ centres.T - (centres**2).sum(axis=1)


def cut(
    domains: Domains, scale: Scales, d: int, k: int, n_vectors: int, n_init: int, rng: np.random.Generator
) -> tuple:
    """V, centres, spread, words and names of the d-th domain."""
    X = domains.X[d]
    s, V = singular_vectors(relations(X, scale, d), n_vectors, rng)
    documents, words = place(X, scale, d, V / s), scale_rows(V, scale.word[d])  # (2)
    points = [P[P.any(axis=1)] for P in (documents, words)]
    centres = _kmeans(np.vstack(points), k, n_init, rng)
    nearest = closeness(documents, centres).argmax(axis=1)
    names = class_of_clusters(*domains.labelled(), X, nearest, domains.n_classes, n_clusters=len(centres))
    spread = float(((documents - centres[nearest]) ** 2).sum() / max(documents.size, 1))
    of_word = np.where(words.any(axis=1), closeness(words, centres).argmax(axis=1), -1)
    return V / s, centres, max(spread, 1e-12), of_word, names


def _kmeans(points: Array, k: int, n_init: int, rng: np.random.Generator) -> Array:
    distinct = len(np.unique(points.round(9), axis=0))
    if distinct == 0:
        return np.zeros((1, points.shape[1]), dtype=points.dtype)
    seed = int(rng.integers(2**31 - 1))
    model = KMeans(min(k, distinct), n_init=n_init, random_state=seed).fit(points)
    return model.cluster_centers_.astype(points.dtype)


def solve(
    domains: Domains,
    *,
    n_clusters: int | None,
    n_vectors: int | None,
    degree_regularization: float,
    n_init: int,
    rng: np.random.Generator,
) -> Solution:
    k = domains.n_classes if n_clusters is None else n_clusters
    l = max(1, ceil(log2(k))) if n_vectors is None else n_vectors
    scale = scales(domains, "none", degree_regularization)
    found = [cut(domains, scale, d, k, l, n_init, rng) for d, domain in enumerate(domains) if domain.is_target]
    return Solution(Coclusters(*scale, *zip(*found, strict=True)), (), 1, True)


@register
class SpectralCoclustering(TransductiveClassifier):
    """Documents and words of the target cut together; clusters have the names of the source classes they resemble.

    Pass tf-idf weights; X is taken as it is.

    Parameters
    ----------
    n_clusters : k in (2); None takes the number of classes. Where there are more clusters than classes, those left over
        take the nearest class.
    n_vectors : l in (2); None takes ceil(log2 k), as the paper does.
    degree_regularization : tau, in mean degrees; 0 is the paper's form.
    n_init : starts of k-means.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.
    random_state : seed of k-means and of the eigensolver.

    Attributes
    ----------
    state_ : Coclusters; `state_.words` has the cluster of every word, one array a target, -1 for words that do not
        occur. The others are those of every estimator; `objective_history_` is empty and `n_iter_` is 1.

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

    State = Coclusters
    solve = staticmethod(solve)
    non_negative = True
    _parameter_constraints: ClassVar[Rules] = {
        "n_clusters": [*count(), None],
        "n_vectors": [*count(), None],
        "degree_regularization": at_least(0),
        "n_init": count(),
        "class_prior": CLASS_PRIOR,
        "random_state": SEED,
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        n_vectors=None,
        degree_regularization=1.0,
        n_init=10,
        class_prior=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_vectors = n_vectors
        self.degree_regularization = degree_regularization
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def _fold_in(self, X: Matrix, d: int) -> Array:
        f = self.state_
        scale = Scales(*f[:4])
        return add_up(
            by_class(
                likelihood(closeness(place(X, scale, d, f.V[t]), f.centres[t]), f.spread[t]),
                f.names[t],
                len(self.classes_),
            )
            for t in targets_of(self.domain_is_target_, d)
        )
