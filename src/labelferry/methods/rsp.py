r"""Risk-sensitive spectral partition: clusters of the target, supported by the source as far as the risk allows.

    minimize  tr(Z' D^-1/2 A D^-1/2 Z)   over Z'Z = 1,   Z  documents x clusters,                                   (12)
    A = D - W + beta ((1 - R) M_L'M_L + R M_U'M_U)                                                                  (11)

    W  cosines of all documents of all domains     M_L  one row e_i - e_j per pair of source documents of one class  (8)
    D  its row sums, on the diagonal               M_U  the same for two target documents of one cluster of the
    R  risk of the transfer, in [0, 1]                  normalized cut of the target alone

The rows of Z of the target, each of unit length, are clustered by k-means. Source and target need not have the same
classes, nor the same number of classes. Every source has its own blocks in M_L; several targets are clustered together.
Neither W nor M'M is formed: a product with A consists of two thin products with the documents, and sums.

A new document has no constraints, so its row of Y = D^-1/2 Z follows from the eigenproblem (Nystrom): let w be its
cosines with all documents of the fit, and 1 its cosine with itself; then (w'1 (1 - mu) - mu) y = w'Y for the
eigenvalues mu.

Paper: Shi, Fan, Yang and Ren, Relaxed Transfer of Different Classes via Spectral Partition, ECML PKDD 2009.

Departures
----------
- The paper's algorithm is `RSP(risk="paper", divergence="paper", kappa=math.exp(2), degree_regularization=0,
  micro_clusters=100)`: R is (6), and (11) is solved for every R. The printed formula has also `pseudo_count=0`; with
  it the divergence of the tasks of Table 3 is infinite, R is 1, and nothing is transferred.
- `risk="auto"`, the default, does not use R. Full transfer (R = 0) and the normalized cut of the target alone are both
  computed, and the clusters that are better separated are kept: those with the smaller ratio of the k-means cost to the
  total variance of the target's rows of Z. Reason: the weight of the target's constraints, beta R n_c with n_c
  documents in a cluster, is so large that for R of .05 or more (11) gives the clusters of the target alone, and R does
  not predict which of the two is better. Mean purity over 32 tasks, three draws each (`python -m benchmarks.rsp_tasks
  3`): target alone .843; full transfer .817; choice by R < .1 or by the lower normalized cut .830; this rule .843; the
  better of the two in each draw, chosen with labels, .849. So the rule avoids the losses of full transfer, but its mean
  is not above that of the target alone: it gains up to 5 points (CDSC's sci vs talk) and loses 10 on one task (below).
  It is within a point of the better of the two on 91% of the tasks, the target alone on 88%. The rule has no parameter.
  It was chosen among eight rules with the results of these tasks known, so the figures are optimistic.
- W has tau mean(d) / n added to every entry (`degree_regularization`, tau = 1): without it, and without micro-clusters,
  the cut finds outliers.
- The divergence: Lemma 1 corrected and kappa = 2 in (6), see `labelferry.families.divergence`.
- Labels given for documents of a target link them in M_L, and are used to name the clusters. They are not used by the
  cut of the target alone, nor with micro-clusters.
- The paper's micro-clusters (`micro_clusters=100`, for sources and for targets) are off by default. With them, those of
  a source lie within its classes, and k-means weights each by its number of documents.
- Theorem 1, a PAC-Bayes bound, is not computed: its prior over partitions and its constant are not given.
- Documents without words are not in the graph. In `cluster_` they get the largest cluster; their probabilities are the
  class proportions of the source, or those of the clusters if these are no classes.

Limits
------
- The divergence grows with the size of the samples: kappa = 2 is for about 500 documents per class. `gap_` depends less
  on the size. Neither predicts how much a transfer gains or loses.
- The rule of `risk="auto"` fails on people vs places of Reuters with the domains exchanged: full transfer loses 10
  points and is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.labels import UNKNOWN
from ..core.params import SEED, Rules, at_least, choice, count, positive, share
from ..core.registry import register
from ..families.cluster_names import class_of_clusters, profile_similarity
from ..families.divergence import DEFAULT_KAPPA, PSEUDO_COUNT, SAME_MEANS, clustered_kl, gap, transfer_risk, word_kl
from ..families.partition import Embedding, Points, cluster_posterior, cluster_rows, embed, normalized_cut, points
from ..families.spectral import Extension, make_extension, nodes
from ..linalg.laplacian import Similarity
from ..linalg.matrix import Array, Matrix, empty_rows
from ..linalg.normalize import normalize_rows_l2

MUST_LINK_GRID = (0.1, 0.3, 0.6, 1.0, 3.0)  # values of beta that `must_link="cut"` compares
COUNTERPART = 0.15  # similarity from which on a source class is a counterpart; set by eye on newsgroups
_MIN_VARIANCE = 1e-4  # of a cluster of equal documents


class TargetClusters(NamedTuple):
    """The clusters of the target and what assigns a new document to one of them."""

    extension: Extension
    centers: Annotated[Array, "clusters x k"]
    variance: float  # about a center in each direction
    outputs: Annotated[Array, "clusters x classes"]  # 1 at the class, or the number, of every cluster
    similarity: Annotated[Array, "clusters x source_classes"]  # to the source classes: cosine of their profiles
    cluster: Annotated[Array, "rows < clusters"]  # of the target rows, in row order
    proba: Annotated[Array, "rows x clusters"]  # of the target rows, in row order
    transfer: str  # "full", "partial" or "none"
    risk: float  # (6), all sources together, or the given one
    divergence: float  # KL_c of the paper
    word_divergence: float  # KL_t of the paper
    gap: float
    source_divergence: Annotated[Array, "any or NaN"]  # KL_c of each source


class TargetCut(NamedTuple):
    """The clusters of the points of the target."""

    embedding: Embedding
    T: Array  # points of the target x k, unit rows of Y
    cluster: Array  # of each of these points
    centers: Array


def cluster_alone(p: Points, k: int, *, cut: str, tau: float, rng: np.random.Generator) -> TargetCut:
    """The clusters of the target alone: No-T of the paper."""
    e = embed(p.X[p.is_target], min(k, int(p.is_target.sum())), tau=tau, rng=rng, cut=cut)
    return _clusters(p, k, e, e.Y, rng)


def cluster_jointly(
    p: Points, k: int, R: float, *, beta: float, cut: str, tau: float, rng: np.random.Generator
) -> TargetCut:
    """The clusters of the target by (11) and (12); R = 0 is Full-T of the paper."""
    M_U = np.full(len(p.blocks), UNKNOWN)
    if R > 0:
        M_U[p.is_target] = cluster_alone(p, k, cut=cut, tau=tau, rng=rng).cluster
    links = [(beta * (1 - R), p.blocks), (beta * R, M_U)]  # (11)
    links = [link for link in links if link[0] > 0]
    both = embed(p.X, min(k, len(p.blocks)), tau=tau, rng=rng, links=links, cut=cut)  # (12)
    return _clusters(p, k, both, both.Y[p.is_target], rng)


def _clusters(p: Points, k: int, e: Embedding, Y: Array, rng: np.random.Generator) -> TargetCut:
    T = normalize_rows_l2(Y)
    return TargetCut(e, T, *cluster_rows(T, k, p.size[p.is_target], rng))


def spread(c: TargetCut, size: Array) -> float:
    """The k-means cost divided by the total variance: 0 for clusters that are points, 1 for no clusters."""
    total = np.average(np.square(c.T - np.average(c.T, axis=0, weights=size)).sum(axis=1), weights=size)
    within = np.average(np.square(c.T - c.centers[c.cluster]).sum(axis=1), weights=size)
    return float(within / total) if total > 0 else 1.0


def choose_clusters(
    p: Points, k: int, R: float | None, *, beta: float | str, cut: str, tau: float, rng: np.random.Generator
) -> tuple[TargetCut, str]:
    """The clusters for the risk R, and the kind of transfer; None compares full transfer with the target alone."""
    if beta == "cut":
        beta = lowest_cut_beta(p, k, R or 0.0, cut=cut, tau=tau, rng=rng)
    if R is not None:
        kind = "full" if R == 0 else "partial"
        return cluster_jointly(p, k, R, beta=float(beta), cut=cut, tau=tau, rng=rng), kind
    alone = cluster_alone(p, k, cut=cut, tau=tau, rng=rng)
    full = cluster_jointly(p, k, 0.0, beta=float(beta), cut=cut, tau=tau, rng=rng)
    size = p.size[p.is_target]
    return (full, "full") if spread(full, size) < spread(alone, size) else (alone, "none")


def lowest_cut_beta(p: Points, k: int, R: float, *, cut: str, tau: float, rng: np.random.Generator) -> float:
    """The beta of MUST_LINK_GRID whose clusters have the lowest normalized cut in the target (section 4.2)."""
    W, seed = Similarity(p.X[p.is_target], tau), int(rng.integers(2**31 - 1))

    def cost(beta: float) -> float:
        fresh = np.random.default_rng(seed)
        return normalized_cut(W, cluster_jointly(p, k, R, beta=beta, cut=cut, tau=tau, rng=fresh).cluster)

    return min(MUST_LINK_GRID, key=cost)


def solve(
    domains: Domains,
    *,
    n_clusters: int | None,
    must_link: float | str,
    risk: str | float | None,
    divergence: str,
    same_means: float,
    min_cluster_size: int | None,
    pseudo_count: float,
    kappa: float,
    cut: str,
    partition: str,
    n_neighbors: int,
    degree_regularization: float,
    micro_clusters: int | None,
    cluster_labels: str,
    rng: np.random.Generator,
) -> Solution:
    """Cluster the target and name its clusters; the parameters are those of `RSP`."""
    g, k = nodes(domains), domains.n_classes if n_clusters is None else n_clusters
    has_words = ~empty_rows(g.X)
    is_target = np.arange(len(g.codes)) >= g.first_target
    s, t = has_words & ~is_target, has_words & is_target
    _check(domains, n_clusters, partition, int(t.sum()))
    Xs, Xt = g.X[s], g.X[t]

    (own_rng,) = rng.spawn(1)  # the clusters do not depend on how the divergence is computed
    distance = partial(
        clustered_kl,
        form=divergence,
        theta=same_means,
        min_size=min_cluster_size,
        pseudo_count=pseudo_count,
        rng=own_rng,
    )
    KL = distance(Xs, Xt)
    R = float(risk) if isinstance(risk, int | float) else transfer_risk(KL, kappa)  # (6)
    p = points(g.X[has_words], g.blocks[has_words], is_target[has_words], micro_clusters, rng)
    settings: dict[str, Any] = {"cut": cut, "tau": degree_regularization, "rng": rng}
    if risk is None:
        chosen, transfer = cluster_alone(p, k, **settings), "none"
    else:
        chosen, transfer = choose_clusters(p, k, None if risk == "auto" else R, beta=must_link, **settings)
    point = (np.cumsum(p.is_target) - 1)[p.of_row[is_target[has_words]]]  # of each target document with words
    labelled, n_classes = has_words & g.known, domains.n_classes
    if partition == "knn":
        codes = g.codes[has_words]
        chosen = classify_by_neighbors(chosen, p, codes, n_neighbors) if transfer != "none" else chosen
    variance = mean_variance(chosen, p.size[p.is_target])
    cluster, proba = clusters_of_documents(chosen, variance, point, has_words[is_target])

    n_centers = len(chosen.centers)
    profiles = (g.X[labelled], g.codes[labelled], Xt, chosen.cluster[point], n_classes, n_centers)
    are_classes = k == n_classes or cluster_labels == "classes"
    output = np.arange(n_centers)
    if are_classes and not (partition == "knn" and transfer != "none"):
        output = class_of_clusters(*profiles)
    W, mu, Y, converged = chosen.embedding
    state = TargetClusters(
        extension=make_extension(W, mu, Y, domains.dtype),
        centers=chosen.centers.astype(domains.dtype),
        variance=variance,
        outputs=np.eye(n_classes if are_classes else k, dtype=domains.dtype)[output],
        similarity=profile_similarity(*profiles),
        cluster=domains.in_row_order([cluster]),
        proba=domains.in_row_order([proba.astype(domains.dtype)]),
        transfer=transfer,
        risk=R,
        divergence=KL,
        word_divergence=word_kl(Xs, Xt),
        gap=gap(Xs, Xt),
        source_divergence=source_divergences(domains, Xt, KL, distance),
    )
    return Solution(state, (float(mu.sum()),), 1, converged)


def classify_by_neighbors(c: TargetCut, p: Points, codes: Array, n_neighbors: int) -> TargetCut:
    """The classes of the target by its nearest source documents in the eigenspace (section 3.3), as clusters."""
    T = normalize_rows_l2(c.embedding.Y)
    codes = codes[np.unique(p.of_row, return_index=True)[1]]  # of each point: points of a source lie within a class
    known = (codes != UNKNOWN) & ~p.is_target
    model = KNeighborsClassifier(min(n_neighbors, int(known.sum()))).fit(T[known], codes[known])
    cluster = model.predict(T[p.is_target])
    centers = np.stack([T[known][codes[known] == code].mean(axis=0) for code in range(codes.max() + 1)])
    return c._replace(cluster=cluster, centers=centers)


def source_divergences(domains: Domains, Xt: Matrix, KL: float, distance: Callable[[Matrix, Matrix], float]) -> Array:
    """Lemma 1 for each source; with one source, the value of all documents."""
    if len(domains.sources) == 1:
        return np.array([KL])
    blocks = [d.X[~empty_rows(d.X)].astype(np.float64) for d in domains.sources]
    return np.array([distance(X, Xt) if X.shape[0] else np.nan for X in blocks])


def mean_variance(c: TargetCut, size: Array) -> float:
    """Mean squared distance of a document to the center of its cluster, per dimension; points weighted by `size`."""
    squares = np.square(c.T - c.centers[c.cluster]).mean(axis=1)
    return max(float(np.average(squares, weights=size)), _MIN_VARIANCE)


def clusters_of_documents(c: TargetCut, variance: float, point: Array, has_words: Array) -> tuple[Array, Array]:
    """The cluster of every target document and its probabilities; the largest cluster for documents without words.

    `point` is the point of each document with words.
    """
    cluster = np.full(len(has_words), np.bincount(c.cluster[point]).argmax())
    cluster[has_words] = c.cluster[point]
    proba = np.eye(len(c.centers))[cluster]
    proba[has_words] = cluster_posterior(c.T, c.centers, variance)[point]
    return cluster, proba


def _check(domains: Domains, n_clusters: int | None, partition: str, n_documents: int) -> None:
    if n_documents == 0:
        raise ValueError("no document of the target has words: there is nothing to cluster. Check the vectorizer.")
    if all(empty_rows(d.X).all() for d in domains if not d.is_target):
        raise ValueError("no document of a source has words: there is nothing to transfer. Check the vectorizer.")
    if n_clusters is not None and n_clusters > n_documents:
        raise ValueError(
            f"n_clusters must be at most the number of target documents with words, {n_documents}; got {n_clusters}. "
            "Lower n_clusters or add documents."
        )
    if partition == "knn" and n_clusters not in (None, domains.n_classes):
        raise ValueError(
            f'partition="knn" needs clusters that are classes, but n_clusters={n_clusters} and there are '
            f'{domains.n_classes} classes. Omit n_clusters, or use partition="kmeans".'
        )
    if n_clusters not in (None, domains.n_classes) and any(d.known.any() for d in domains.targets):
        raise ValueError(
            f"use_target_labels=True needs clusters that are classes, but n_clusters={n_clusters} and there are "
            f"{domains.n_classes} classes. Omit n_clusters, or set use_target_labels=False."
        )


@register
class RSP(TransductiveClassifier):
    """Risk-sensitive spectral partition, for a target whose classes may differ from those of the source.

    Use it if the target may have other classes than the source, or another number of classes.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters of the target, k in the paper. None: the number of classes of the source.
    must_link : float or "cut", default=0.6
        Weight of the constraints, beta in equation (11) of the paper. "cut" selects the value from .1 to 3 whose
        clusters have the lowest normalized cut in the target.
    risk : {"auto", "paper", None} or float, default="auto"
        How far the source is used. A number is R in (11), from 0 (full transfer, the paper's Full-T) to 1; "paper"
        computes R from the divergence of the domains. None: the target is clustered alone (No-T). "auto": full transfer
        or the target alone, whichever clusters are better separated.
    divergence : {"corrected", "paper"}, default="corrected"
        Formula of the divergence of source and target (Lemma 1 of the paper): corrected, or as printed.
    same_means : float, default=0.1
        The bisection stops in a cluster if the means of source and target differ by less than this, theta.
    min_cluster_size : int, default=None
        The bisection splits no cluster with fewer documents; None is 10, or 1% of all documents if that is more.
    pseudo_count : float, default=0.5
        Added to the number of source and of target documents of each cluster. With 0, as in the paper, a cluster
        without source documents makes the divergence infinite, and the risk 1.
    kappa : float, default=2.0
        The divergence at which the risk R is 1/2. The default 2 suits about 500 documents per class; the paper has e^2.
    cut : {"normalized", "minmax"}, default="normalized"
        The graph cut of equation (7).
    partition : {"kmeans", "knn"}, default="kmeans"
        How the target's rows of Z become clusters. "knn" gives each document the class of its nearest source documents;
        source and target must have the same classes.
    n_neighbors : int, default=15
        Number of neighbors of `partition="knn"`.
    degree_regularization : float, default=1.0
        Fraction of the mean degree added to the degree of every document, tau; 0 is the paper.
    micro_clusters : int, default=None
        Number of means of documents, for the sources and for the targets, that are clustered instead of the documents;
        100 in the paper.
    cluster_labels : {"auto", "classes"}, default="auto"
        What is predicted if the number of clusters is not that of the classes: the number of the cluster ("auto"), or
        a source class ("classes"); as many clusters as there are classes are matched one to one, and each further
        cluster gets the most similar class.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means, the bisection and the eigensolver.

    Attributes
    ----------
    cluster_ : array of shape (n_target,)
        Number of the cluster of every target row, in row order.
    classes_ : array
        The classes of the source if there are as many clusters as classes: each cluster then has the name of the most
        similar class, even if the similarity is small. Otherwise, unless `cluster_labels` is "classes", the numbers of
        the clusters; then `transduction_`, `predict` and the others return these. Probabilities are not calibrated.
    source_classes_ : array
        The classes of the source.
    correspondence_ : list of dict
        One dict per cluster: `cluster`, `size`, `nearest` (the most similar source class), `strength` (the cosine of
        their profiles) and `counterpart`: that class if the strength is at least .15, else None. The threshold fits
        newsgroups; for other documents use the order: the cluster with the lowest strength is the most likely to be a
        class that the source does not have.
    risk_ : float
        The risk (6), or the given one.
    divergence_ : float
        The divergence of all sources and the target over clusters (Lemma 1), KL_c in the paper.
    word_divergence_ : float
        The divergence of their words, KL_t in the paper.
    source_risks_ : list of dict
        One dict per source: `source`, `divergence` and `risk`.
    gap_ : float
        1 minus the cosine of the mean source document and the mean target document, without noise.
    transfer_ : {"full", "partial", "none"}
        How the source was used.
    state_ : TargetClusters
        The solution. For the other attributes see `labelferry.core.classifier.TransductiveClassifier`.

    References
    ----------
    X. Shi, W. Fan, Q. Yang and J. Ren. Relaxed Transfer of Different Classes via Spectral Partition. ECML PKDD 2009.

    Examples
    --------
    >>> from labelferry import RSP
    >>> from labelferry import load_demo
    >>> demo = load_demo()
    >>> est = RSP(random_state=0)
    >>> y_new = est.transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    >>> coarse = RSP(n_clusters=2, random_state=0)
    >>> sorted(set(coarse.transfer(demo.X_source, demo.y_source, demo.X_target).tolist()))
    [0, 1]
    """

    State = TargetClusters
    ignores_scale = "all"
    source_classes_: Array
    solve = staticmethod(solve)
    non_negative = True  # degrees are sums of cosines
    axes: ClassVar[Mapping[str, str]] = {"source_classes": "classes"}
    drops_empty = False  # `cluster_` has all rows of the target: `solve` handles those without words itself
    _parameter_constraints: ClassVar[Rules] = {
        "n_clusters": [None, *count()],
        "must_link": [*choice("cut"), *at_least(0)],
        "risk": [*choice("auto", "paper"), *share(), None],
        "divergence": choice("corrected", "paper"),
        "same_means": at_least(0),
        "min_cluster_size": [None, *count(2)],
        "pseudo_count": at_least(0),
        "kappa": positive(),
        "cut": choice("normalized", "minmax"),
        "partition": choice("kmeans", "knn"),
        "n_neighbors": count(),
        "degree_regularization": at_least(0),
        "micro_clusters": [None, *count(2)],
        "cluster_labels": choice("auto", "classes"),
        "random_state": SEED,
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        must_link: float | str = 0.6,
        risk: str | float | None = "auto",
        divergence: str = "corrected",
        same_means: float = SAME_MEANS,
        min_cluster_size: int | None = None,
        pseudo_count: float = PSEUDO_COUNT,
        kappa: float = DEFAULT_KAPPA,
        cut: str = "normalized",
        partition: str = "kmeans",
        n_neighbors: int = 15,
        degree_regularization: float = 1.0,
        micro_clusters: int | None = None,
        cluster_labels: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.must_link = must_link
        self.risk = risk
        self.divergence = divergence
        self.same_means = same_means
        self.min_cluster_size = min_cluster_size
        self.pseudo_count = pseudo_count
        self.kappa = kappa
        self.cut = cut
        self.partition = partition
        self.n_neighbors = n_neighbors
        self.degree_regularization = degree_regularization
        self.micro_clusters = micro_clusters
        self.cluster_labels = cluster_labels
        self.random_state = random_state

    @property
    def cluster_(self) -> Array:
        """Number of the cluster of every target row, in row order."""
        return self._clusters().cluster

    @property
    def risk_(self) -> float:
        """The risk (6), or the given one."""
        return self._clusters().risk

    @property
    def divergence_(self) -> float:
        """The divergence over clusters (Lemma 1)."""
        return self._clusters().divergence

    @property
    def word_divergence_(self) -> float:
        """The divergence of the words, (2) and (3)."""
        return self._clusters().word_divergence

    @property
    def source_risks_(self) -> list[dict[str, Any]]:
        """One dict per source: `source`, `divergence` and `risk`."""
        names = np.array(self.domain_names_)[~self.domain_is_target_]
        return [
            {"source": str(name), "divergence": float(KL), "risk": transfer_risk(float(KL), self.kappa)}
            for name, KL in zip(names, self._clusters().source_divergence, strict=True)
        ]

    @property
    def gap_(self) -> float:
        """The distance of the means."""
        return self._clusters().gap

    @property
    def transfer_(self) -> str:
        """How the source was used: "full", "partial" or "none"."""
        return self._clusters().transfer

    @property
    def correspondence_(self) -> list[dict[str, Any]]:
        """One dict per cluster: `cluster`, `size`, `nearest`, `strength` and `counterpart`."""
        similarity = self._clusters().similarity
        size = np.bincount(self.cluster_, minlength=len(similarity))
        best, names = similarity.argmax(axis=1), self.source_classes_.tolist()
        return [
            {
                "cluster": c,
                "size": int(size[c]),
                "nearest": names[best[c]],
                "strength": float(similarity[c, best[c]]),
                "counterpart": names[best[c]] if similarity[c, best[c]] >= COUNTERPART else None,
            }
            for c in range(len(similarity))
        ]

    def _clusters(self) -> TargetClusters:
        clusters: TargetClusters = self.state_
        return clusters

    def _set_domains(self, domains: Domains) -> None:
        self.source_classes_ = domains.classes
        super()._set_domains(domains)

    def _classes(self, domains: Domains) -> Array:
        k = self._clusters().outputs.shape[1]
        return domains.classes if k == domains.n_classes else np.arange(k)

    def _prior(self, domains: Domains) -> Array:
        s = self._clusters()
        if s.outputs.shape[1] == domains.n_classes:
            return domains.class_prior
        return np.bincount(s.cluster, minlength=s.outputs.shape[1]) / len(s.cluster)

    def _scores(self, domains: Domains) -> list[Array]:
        scores = self._clusters().proba @ self._clusters().outputs
        return [scores[np.searchsorted(domains.target_rows, d.rows)] for d in domains.targets]

    def _fold_in(self, X: Matrix, d: int) -> Array:
        s = self._clusters()
        T = normalize_rows_l2(s.extension.coordinates(X))
        return cluster_posterior(T, s.centers, s.variance).astype(X.dtype) @ s.outputs
