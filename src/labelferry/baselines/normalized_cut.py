r"""Normalized cut of the target alone: clusters without any label, named afterwards by the source.

    the k smallest eigenvectors y of D^-1/2 (D - W) D^-1/2,   W  cosines of the target's documents,   D = diag(W 1)  (1)
    rows of x = D^-1/2 y to unit length, then k-means; each cluster gets the name of the most similar source class

Papers: Shi and Malik, Normalized Cuts and Image Segmentation, PAMI 2000; k-means on unit rows as in Ng, Jordan and
Weiss, On Spectral Clustering, NIPS 2001.

Departures
----------
- `degree_regularization` tau adds tau mean(d) / n to every similarity; 0 is the papers'. Without it the cut finds a few
  outliers: the error on CDSC's six newsgroup tasks (250 documents per class, five draws) is .22, with tau = 1 .081.
- Ng et al. scale the rows of y, which have the same directions as those of x: the unit rows are the same.
- New documents get their coordinates from their own row of (1) (see `labelferry.families.spectral`, lambda = 0), then
  the nearest center.
- k-means gives no probabilities: `transduction_proba_` is 0 or 1. If `class_prior` is given, clusters are treated as
  normal distributions about their centers, so that the documents nearest to the border are those that change cluster.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, at_least, count
from ..core.registry import register
from ..families.cluster_names import class_of_clusters
from ..families.clustering import by_class, likelihood
from ..families.partition import cluster_rows, embed
from ..families.spectral import Extension, make_extension
from ..linalg.matrix import Array, Matrix, stack_rows
from ..linalg.normalize import normalize_rows_l2

VARIANCE = 0.1  # of a cluster, on rows of unit length


class CutClusters(NamedTuple):
    """The clusters of the target and what assigns a new document to one of them."""

    vectors: Annotated[Array, "targets x k"]  # x of the documents of all targets
    extension: Extension
    centers: Annotated[Array, "clusters x k"]
    names: Annotated[Array, "clusters < classes"]  # class of every cluster


def nearest_center(x: Array, centers: Array) -> Array:
    """Cluster of every row of x, scaled to unit length."""
    rows = normalize_rows_l2(x)
    nearest: Array = np.argmin((centers**2).sum(axis=1) - 2 * rows @ centers.T, axis=1)
    return nearest


def solve(
    domains: Domains,
    *,
    n_clusters: int | None,
    degree_regularization: float,
    n_init: int,
    rng: np.random.Generator,
) -> Solution:
    """Cluster the target; the parameters are those of `NormalizedCut`."""
    X = stack_rows([d.X for d in domains.targets]).astype(np.float64)
    k, dtype = min(n_clusters or domains.n_classes, X.shape[0]), domains.dtype
    W, values, x, converged = embed(X, k, tau=degree_regularization, rng=rng)  # (1)
    clusters, centers = cluster_rows(normalize_rows_l2(x), k, np.ones(len(x)), rng, n_init=n_init)
    names = class_of_clusters(*domains.labelled(), X, clusters, domains.n_classes, n_clusters=len(centers))
    state = CutClusters(x.astype(dtype), make_extension(W, values, x, dtype), centers.astype(dtype), names)
    return Solution(state, (float(values.sum()),), 1, converged)


@register
class NormalizedCut(TransductiveClassifier):
    """Normalized cut of the documents of the target; each cluster is named by the most similar source class.

    Use it to see whether the classes are clusters of the target: the source only names the clusters.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters k; None is the number of classes. It is reduced to the number of target documents if there
        are fewer.
    degree_regularization : float, default=1.0
        Fraction of the mean degree added to the degree of every document, tau.
    n_init : int, default=10
        Number of starts of k-means.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means and of the start of the eigensolver.

    Attributes
    ----------
    state_ : CutClusters
        `vectors` (coordinates of the target documents), `extension` (eigenvalues and the sums that new documents need),
        `centers` and `names` (the class of every cluster).
        For the other attributes see `labelferry.core.classifier.TransductiveClassifier`.

    References
    ----------
    J. Shi and J. Malik. Normalized Cuts and Image Segmentation. PAMI 22, 2000.
    A. Y. Ng, M. I. Jordan and Y. Weiss. On Spectral Clustering: Analysis and an Algorithm. NIPS 2001.

    Examples
    --------
    >>> from labelferry import NormalizedCut
    >>> from labelferry import load_demo
    >>> demo = load_demo()
    >>> y_new = NormalizedCut(random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = CutClusters
    ignores_scale = "rows"
    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[Rules] = {
        "n_clusters": [*count(), None],
        "degree_regularization": at_least(0),
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        degree_regularization: float = 1.0,
        n_init: int = 10,
        class_prior: str | ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.degree_regularization = degree_regularization
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def _fold_in(self, X: Matrix, d: int) -> Array:
        s: CutClusters = self.state_
        return self._scores_by_class(s.extension.coordinates(X))

    def _scores(self, domains: Domains) -> list[Array]:
        ends = np.cumsum([len(d.codes) for d in domains.targets])[:-1]
        return [self._scores_by_class(x) for x in np.split(self.state_.vectors, ends)]

    def _scores_by_class(self, x: Array) -> Array:
        s: CutClusters = self.state_
        if self.class_prior is not None:  # graded scores: a document near the border can change its cluster
            near = normalize_rows_l2(x) @ s.centers.T - np.square(s.centers).sum(axis=1) / 2
            return by_class(likelihood(2 * near, VARIANCE), s.names, len(self.class_prior_))
        codes = s.names[nearest_center(x, s.centers)]
        one_hot: Array = np.eye(len(self.class_prior_), dtype=x.dtype)[codes]
        return one_hot
