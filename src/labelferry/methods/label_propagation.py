r"""Label propagation on the hybrid graph: labels are passed from documents to words and back to documents.

    minimize  mu || R_i - C_i H_i C_w' ||^2 + || R_o - C_o H_o C_w' ||^2      over C_o, C_w, H_i, H_o               (5)
    with the best H = C' R C_w, that is:
    maximize  mu || C_i' R_i C_w ||^2 + || C_o' R_o C_w ||^2                  over partitions C_o, C_w              (7)

    R_i  labelled documents x words     C_i  labelled documents x K classes, given    C_w  words x word clusters
    R_o  unlabelled documents x words   C_o  unlabelled documents x K_o clusters      H    clusters x word clusters

R as in (4), C as in (2): `families/hybrid_graph.py`. In turn, C_w and C_o are the leading eigenvectors of

    mu R_i' C_i C_i' R_i + R_o' C_o C_o' R_o                                                                        (8)
    R_o C_w C_w' R_o'                                                                                               (9)

turned into partitions (Yu and Shi 2003). Neither matrix is formed: their eigenvectors are the left singular vectors of
the thin matrices [R_i' C_i, R_o' C_o], words x (K + K_o), and R_o C_w, documents x K_w. The first has rank K + K_o at
most, so K_w = K + K_o is the largest number of word clusters. It is the paper's, and the default. By default K_o = K.

mu (`source_weight`) is the "tradeoff parameter" that section 2.3 mentions without using it: the paper has mu = 1. With
K_w = K + K_o, no mu > 0 changes the result: all vectors of (8) are kept, they span the same space for every mu, and the
partition does not depend on the basis. mu matters only if `n_word_clusters` is smaller.

Paper: Wang, Song and Zhang, Knowledge Transfer on Hybrid Graph, IJCAI 2009, section 2.2.

Departures
----------
- The paper uses plain counts, and tau = 0. 1 + log tf and tau = 1 are the default: from the same start, on the paper's
  Table 3 with 500 documents per class (the first five draws of the bench), .933 against .901 (paper: .900); log tf
  alone .909, tau alone .926. `weighting="none", degree_regularization=0, start="logistic"` on counts is the paper's
  form.
- The paper does not specify the start of C_o. A random one fails. The default is similarity propagation for two classes
  (.953 on Table 3, against .933 from logistic regression) and logistic regression for more classes, where neither is
  always better.
- The paper calls (7) convex; it is neither convex nor concave in partitions, and in (6) C_w'C_w has size K_w, not K_i.
  By Ky Fan's theorem (the printed Theorem 3 lacks a trace) the eigenvectors are optimal for each step before they are
  turned into a partition; after it, (7) may decrease. The loop ends when a partition occurs again: if it is the last
  one, the loop has converged; if it is an older one, the loop would repeat for ever.
- `class_prior` is not in the paper. If it is given, the start and the partition of every round match the proportions;
  with `n_clusters`, only the start and the predictions match them.
- Words that occur in neither block belong to no cluster.
- Clusters are named by the source class with the nearest profile (`families/cluster_names.py`); the paper only says
  "the most relevant". With more clusters than classes several clusters have the same class; with fewer, some classes
  are not predicted.
- `n_clusters`, `n_word_clusters` and `source_weight` at other values than the paper's are not better on Table 3 (five
  draws): default .953; 3 or 4 clusters .898 and .863; K_w = 3 .950, .950 and .937 with mu = .25, 1 and 4; K_w = 2 .947,
  .941 and .896.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import CLASS_PRIOR, Rules, at_least, choice, count
from ..core.proportions import match_label_proportions
from ..core.registry import register
from ..families.cluster_names import class_of_clusters
from ..families.clustering import by_class, cosine_scores, join_solutions, targets_of
from ..families.hybrid_graph import (
    WEIGHTINGS,
    Scales,
    TargetGraph,
    indicator,
    leading_vectors,
    logistic_codes,
    relations,
    resolve_weighting,
    scales,
    target_graph,
)
from ..families.similarity import similarity_codes
from ..linalg.discretize import discretize
from ..linalg.matrix import Array, Matrix, squared_norm
from ..linalg.multiplicative import add_up
from ..linalg.normalize import normalize_rows_l2
from ..linalg.thin import thin_product


class TargetPartition(NamedTuple):
    """The partitions of one target, and what labels a new document of it."""

    codes: Annotated[Array, "unlabelled[t] < classes"]  # class of every unlabelled document
    clusters: Annotated[Array, "unlabelled[t] < clusters"]  # and its cluster, C_o
    words: Annotated[Array, "words < any"]  # cluster of every word, -1 for words that do not occur
    axes: Annotated[Array, "words x any"]  # R times this, at unit length, is closest to its cluster
    names: Annotated[Array, "clusters < classes"]  # class of every cluster


class PropagatedLabels(NamedTuple):
    """The scales of (4), and the partitions of every target."""

    scales: Scales
    targets: tuple[TargetPartition, ...]


class Sizes(NamedTuple):
    """The numbers of clusters, and the weight of the source in (5)."""

    n_classes: int  # K
    n_clusters: int | None = None  # K_o; None is K, with clusters numbered as the classes
    source_weight: float = 1.0  # mu
    n_word_clusters: int | None = None  # K_w; None is K + K_o

    @property
    def n_all(self) -> int:
        """K + K_o."""
        return self.n_classes + (self.n_clusters or self.n_classes)


def labelled_words(b: TargetGraph, sizes: Sizes) -> Array:
    """sqrt(mu) R_i' C_i, words x K: the part of (8) that is the same in every round."""
    C_i = indicator(b.codes_i, sizes.n_classes, b.R_i.dtype).toarray()
    product: Array = thin_product(b.R_i.T, C_i * b.R_i.dtype.type(np.sqrt(sizes.source_weight)))
    return product


def objective(partition: Array, words: Array, b: TargetGraph, sizes: Sizes, of_labelled: Array | None = None) -> float:
    """(5) with the best H, that is (7) subtracted from the squared norm of R."""
    C_w = indicator(words, sizes.n_all, b.R_i.dtype)
    C_o = indicator(partition, sizes.n_all, b.R_i.dtype)
    of_labelled = labelled_words(b, sizes) if of_labelled is None else of_labelled
    reached = squared_norm(C_w.T @ of_labelled) + squared_norm(C_o.T @ thin_product(b.R_o, C_w.toarray()))  # (7)
    return sizes.source_weight * squared_norm(b.R_i) + squared_norm(b.R_o) - reached


def step(
    partition: Array, b: TargetGraph, sizes: Sizes, prior: Array | None = None, of_labelled: Array | None = None
) -> TargetPartition:
    """One round of (8) and (9); the new classes match the class proportions `prior`, if given.

    `of_labelled` is that of `labelled_words`; None: it is computed.
    """
    K, K_w, dtype = sizes.n_classes, min(sizes.n_word_clusters or sizes.n_all, sizes.n_all), b.R_i.dtype
    of_labelled = labelled_words(b, sizes) if of_labelled is None else of_labelled
    C_o = indicator(partition, K if sizes.n_clusters is None else sizes.n_all, dtype).toarray()
    of_words = np.hstack([of_labelled, thin_product(b.R_o.T, C_o)])
    words = discretize(leading_vectors(of_words, K_w)[0]).codes  # (8)
    C_w = indicator(words, K_w, dtype).toarray()
    U, back = leading_vectors(thin_product(b.R_o, C_w), sizes.n_clusters or K)  # (9)
    clusters, T = discretize(U)
    clusters = np.maximum(clusters, 0)  # a document without words needs some cluster; its row of R is zero
    names = class_of_clusters(b.R_i, b.codes_i, b.R_o, clusters, K, n_clusters=max(len(T), 1))
    codes = names[clusters]
    if prior is not None:
        codes = match_label_proportions(by_class(cosine_scores(normalize_rows_l2(U @ T)), names, K), prior).argmax(
            axis=1
        )
    return TargetPartition(codes, clusters, words, C_w @ back @ T, names[: len(T)])


def propagate(b: TargetGraph, sizes: Sizes, codes: Array, *, max_iter: int, prior: Array | None = None) -> Solution:
    """Repeat steps until a partition occurs again, from the given classes of the unlabelled documents."""
    seen, history, of_labelled = [codes], [], labelled_words(b, sizes)
    for n_iter in range(1, max_iter + 1):
        state = step(seen[-1], b, sizes, prior, of_labelled)
        partition = state.codes if sizes.n_clusters is None else state.clusters
        history.append(objective(partition, state.words, b, sizes, of_labelled))
        if any(np.array_equal(partition, earlier) for earlier in seen):
            return Solution(state, tuple(history), n_iter, np.array_equal(partition, seen[-1]))
        seen.append(partition)
    return Solution(state, tuple(history), max_iter, False)


def solve(
    domains: Domains,
    *,
    start: str,
    weighting: str,
    degree_regularization: float,
    n_clusters: int | None,
    source_weight: float,
    n_word_clusters: int | None,
    max_iter: int,
    rng: np.random.Generator,
) -> Solution:
    """Label every target; the parameters are those of `HybridLabelPropagation`."""
    if start == "auto":
        start = "similarity" if domains.n_classes == 2 else "logistic"
    first = similarity_codes(domains) if start == "similarity" else logistic_codes(domains)
    s = scales(domains, resolve_weighting(domains, weighting, "log"), degree_regularization)
    R = [relations(X, s, d) for d, X in enumerate(domains.X)]
    sizes = Sizes(domains.n_classes, n_clusters, source_weight, n_word_clusters)
    solved = [
        propagate(target_graph(domains, target, R), sizes, codes, max_iter=max_iter, prior=target.shares)
        for target, codes in zip(domains.targets, first, strict=True)
    ]
    return join_solutions(solved, PropagatedLabels(s, tuple(solution.state for solution in solved)))


@register
class HybridLabelPropagation(TransductiveClassifier):
    """Label propagation from documents to clusters of words and back, until the partition of the target repeats.

    Use it if the classes are clusters of the target and there are many documents.

    Pass counts (`CountVectorizer`): they are weighted here. tf-idf weights are used as they are; they are nearly as
    good with the default start, and worse with "logistic".

    Parameters
    ----------
    start : {"auto", "similarity", "logistic"}, default="auto"
        Method for the first labels of the target: "similarity" propagation, "logistic" regression, or "auto": the first
        for two classes, the second for more.
    weighting : {"auto", "none", "log", "tfidf"}, default="auto"
        Weighting of X. "none": X as it is; "log": 1 + log tf, of counts; "tfidf": that times idf, with rows of unit
        length; "auto": "log" if all entries are whole numbers, else "none". A multiple of X can get other labels than
        X, many if X does not separate the classes.
    degree_regularization : float, default=1.0
        Multiple of the mean degree that is added to both degrees of (4), tau; 0 is the paper's form.
    n_clusters : int, default=None
        Number of clusters of a target, K_o; None is the number of classes. Every cluster gets the source class with the
        nearest profile.
    source_weight : float, default=1.0
        Weight mu of the labelled documents in (5); the paper has 1. Without `n_word_clusters` it has no effect, except
        that 0 ignores the labelled documents.
    n_word_clusters : int, default=None
        Number of word clusters K_w; None is the number of classes plus the number of clusters, the largest possible.
    max_iter : int, default=30
        Maximum number of rounds of (8) and (9); a few are nearly always enough.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.

    Attributes
    ----------
    state_ : PropagatedLabels
        `scales`, and `targets` with the partitions of every target; `state_.targets[0].words` is the cluster of every
        word for the first target, -1 for words that do not occur.
        For the other attributes see `labelferry.core.classifier.TransductiveClassifier`.
    objective_history_ : array
        The objective (5).
    converged_ : bool
        Whether the last partition occurred again; False also if the partitions form a cycle.
    transduction_proba_ : array of shape (n_target, n_classes)
        From the squared cosines with the axes of the clusters. They are not calibrated.

    Notes
    -----
    R_i contains all sources, each normalized separately. Every target is solved separately. Target documents with a
    given label are added to R_i. A new document gets the cluster that its words indicate, as a document of the target
    does in the last round.

    References
    ----------
    Z. Wang, Y. Song and C. Zhang. Knowledge Transfer on Hybrid Graph. IJCAI 2009.
    S. Yu and J. Shi. Multiclass Spectral Clustering. ICCV 2003.

    Examples
    --------
    >>> from labelferry import HybridLabelPropagation
    >>> from labelferry import load_demo
    >>> demo = load_demo()
    >>> y_new = HybridLabelPropagation().transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = PropagatedLabels
    solve = staticmethod(solve)
    takes_blocks: ClassVar[bool] = True
    non_negative = True
    _parameter_constraints: ClassVar[Rules] = {
        "start": choice("auto", "similarity", "logistic"),
        "weighting": choice(*WEIGHTINGS),
        "degree_regularization": at_least(0),
        "n_clusters": [*count(), None],
        "source_weight": at_least(0),
        "n_word_clusters": [*count(), None],
        "max_iter": count(),
        "class_prior": CLASS_PRIOR,
    }

    def __init__(
        self,
        start: str = "auto",
        *,
        weighting: str = "auto",
        degree_regularization: float = 1.0,
        n_clusters: int | None = None,
        source_weight: float = 1.0,
        n_word_clusters: int | None = None,
        max_iter: int = 30,
        class_prior: str | ArrayLike | None = None,
    ) -> None:
        self.start = start
        self.weighting = weighting
        self.degree_regularization = degree_regularization
        self.n_clusters = n_clusters
        self.source_weight = source_weight
        self.n_word_clusters = n_word_clusters
        self.max_iter = max_iter
        self.class_prior = class_prior

    def _fold_in(self, X: Matrix, d: int) -> Array:
        s: PropagatedLabels = self.state_
        R = relations(X, s.scales, d)
        targets = [s.targets[t] for t in targets_of(self.domain_is_target_, d)]
        return add_up(
            by_class(cosine_scores(normalize_rows_l2(R @ p.axes)), p.names, len(self.classes_)) for p in targets
        )
