r"""Label propagation on the hybrid graph: labels of documents go to words, and from the words back to documents.

    minimise  || R_i - C_i H_i C_w' ||^2 + || R_o - C_o H_o C_w' ||^2      over C_o, C_w, H_i, H_o                  (5)
    with H = C' R C_w at their best, that is:
    maximise  || C_i' R_i C_w ||^2 + || C_o' R_o C_w ||^2                  over partitions C_o, C_w                 (7)

    R_i  labelled documents x words     C_i  labelled documents x classes, given     C_w  words x word clusters
    R_o  unlabelled documents x words   C_o  unlabelled documents x K classes        H    classes x word clusters

R as in (4), C as in (2): `families/hybrid_graph.py`. In turn, C_w and C_o are the leading eigenvectors of

    R_i' C_i C_i' R_i + R_o' C_o C_o' R_o                                                                           (8)
    R_o C_w C_w' R_o'                                                                                               (9)

made partitions (Yu and Shi 2003). Neither is formed: their eigenvectors are the left singular vectors of the thin
matrices [R_i' C_i, R_o' C_o], words x 2K, and R_o C_w, documents x K_w. The first has rank 2K at most, so that the
number of word clusters K_w = 2K is no parameter at all.

Paper: Wang, Song and Zhang, Knowledge Transfer on Hybrid Graph, IJCAI 2009, section 2.2.

Departures
----------
- The paper takes counts as they are, and tau = 0. 1 + log tf and tau = 1 are the default: from the same start, on the
  paper's Table 3 with 500 documents a class, .933 against .901 (paper: .900); log tf alone .909, tau alone .926.
  `weighting="none", degree_regularization=0, start="logistic"` on counts is the paper's form.
- The paper leaves the start of C_o open. A random one fails. By default it is similarity propagation's answer for two
  classes (.953 on Table 3, where logistic regression's leads to .933) and logistic regression's for more, where neither
  is always better.
- (7) is called convex; it is neither convex nor concave in partitions, and in (6) C_w'C_w has size K_w, not K_i. By
  Ky Fan's theorem (the printed Theorem 3 lacks a trace) the eigenvectors are optimal for each step before they are made
  a partition; after it, (7) may fall. The loop ends when a partition comes back: the last one, and it has converged, or
  an older one, and it would go round for ever.
- `class_prior` is not in the paper. Where it is given, the start and the partition of every round match the proportions.
- Words that occur in neither block belong to no cluster.
- Clusters are named by the source class with the nearest profile (`families/cluster_names.py`); the paper only says "the most
  relevant".
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

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
    Blocks,
    Scales,
    blocks,
    indicator,
    leading_vectors,
    logistic_codes,
    relations,
    resolve,
    scales,
)
from ..families.similarity import similarity_codes
from ..linalg.discretize import discretize
from ..linalg.matrix import Array, Matrix, squared_norm
from ..linalg.multiplicative import add_up
from ..linalg.normalize import normalize_rows_l2


class Labels(NamedTuple):
    """One target's partitions, and what labels a new document of it."""

    codes: Array  # class of every unlabelled document
    words: Array  # cluster of every word, -1 for words that do not occur
    axes: Array  # words x clusters: a row of R times this, at unit length, is closest to the axis of its cluster
    names: Array  # class of every cluster


class Propagated(NamedTuple):
    weighting: str
    idf: Array
    floor: tuple[float, ...]  # of each domain, as the next
    word: tuple[Array, ...]
    codes: tuple[Array, ...]  # of each target, as all that follow
    words: tuple[Array, ...]
    axes: tuple[Array, ...]
    names: tuple[Array, ...]


def objective(codes: Array, words: Array, b: Blocks, n_classes: int) -> float:  # (5) with the best H, that is (7)
    K, dtype = n_classes, b.R_i.dtype
    C_w = indicator(words, 2 * K, dtype).toarray()
    explained = [squared_norm(indicator(c, K, dtype).T @ (R @ C_w)) for R, c in ((b.R_i, b.codes_i), (b.R_o, codes))]
    return squared_norm(b.R_i) + squared_norm(b.R_o) - sum(explained)


def step(codes: Array, b: Blocks, n_classes: int, prior: Array | None = None) -> Labels:
    K, dtype = n_classes, b.R_i.dtype
    C_i, C_o = (indicator(c, K, dtype).toarray() for c in (b.codes_i, codes))
    words = discretize(leading_vectors(np.hstack([b.R_i.T @ C_i, b.R_o.T @ C_o]), 2 * K)[0]).codes  # (8)
    C_w = indicator(words, 2 * K, dtype).toarray()
    U, back = leading_vectors(b.R_o @ C_w, K)  # (9)
    clusters, T = discretize(U)
    clusters = np.maximum(clusters, 0)  # a document without words has to stand somewhere; its row of R is zero
    names = class_of_clusters(b.R_i, b.codes_i, b.R_o, clusters, K, n_clusters=max(len(T), 1))
    codes = names[clusters]
    if prior is not None:
        codes = match_label_proportions(by_class(cosine_scores(normalize_rows_l2(U @ T)), names, K), prior).argmax(
            axis=1
        )
    return Labels(codes, words, C_w @ back @ T, names[: len(T)])


def propagate(b: Blocks, n_classes: int, codes: Array, *, max_iter: int, prior: Array | None = None) -> Solution:
    """Steps until a partition comes back, from the given classes of the unlabelled documents."""
    seen, history = [codes], []
    for n_iter in range(1, max_iter + 1):
        state = step(seen[-1], b, n_classes, prior)
        history.append(objective(state.codes, state.words, b, n_classes))
        if any(np.array_equal(state.codes, old) for old in seen):
            return Solution(state, tuple(history), n_iter, np.array_equal(state.codes, seen[-1]))
        seen.append(state.codes)
    return Solution(state, tuple(history), max_iter, False)


def solve(
    domains: Domains,
    *,
    start: str,
    weighting: str,
    degree_regularization: float,
    max_iter: int,
    rng: np.random.Generator,
) -> Solution:
    if start == "auto":
        start = "similarity" if domains.n_classes == 2 else "logistic"
    first = similarity_codes(domains) if start == "similarity" else logistic_codes(domains)
    s = scales(domains, resolve(domains, weighting, "log"), degree_regularization)
    R = [relations(X, s, d) for d, X in enumerate(domains.X)]
    solved = [
        propagate(blocks(domains, target, R), domains.n_classes, codes, max_iter=max_iter, prior=target.shares)
        for target, codes in zip(domains.targets, first, strict=True)
    ]
    return join_solutions(solved, Propagated(*s, *zip(*(solution.state for solution in solved), strict=True)))


@register
class HybridLabelPropagation(TransductiveClassifier):
    """Labels go from documents to clusters of words and back, until the partition of the target stands still.

    Pass counts (`CountVectorizer`): they are weighted here. tf-idf weights are taken as they are and do nearly as well
    from the default start, less well from "logistic".

    Parameters
    ----------
    start : the first labels of the target: "similarity" propagation, "logistic" regression, or "auto": the former for
        two classes, the latter for more.
    weighting : what is done to X. "none": nothing; "log": 1 + log tf, of counts; "tfidf": that times idf, with rows of
        unit length; "auto": "log" where all entries are whole numbers, else "none".
    degree_regularization : tau, added in mean degrees to both degrees of (4); 0 is the paper's form.
    max_iter : number of rounds of (8) and (9), of which a few do nearly always.
    class_prior : shares of the classes in the target that its answers have to match: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.

    Attributes
    ----------
    state_ : Propagated; `state_.words` has the cluster of every word, one array a target, -1 for words that do not
        occur. `objective_history_` is (5); `converged_` is False also where partitions go round in a circle.
        The others are those of every estimator; `transduction_proba_` has the squared cosines with the axes of the
        clusters. They are not calibrated.

    Notes
    -----
    Several sources stand side by side in R_i, each normalised on its own. Several targets are solved each on its own.
    Target documents whose label is given stand with the sources. A new document gets the cluster that its words have,
    as a document of the target does in the last round.

    References
    ----------
    Z. Wang, Y. Song and C. Zhang. Knowledge Transfer on Hybrid Graph. IJCAI 2009.
    S. Yu and J. Shi. Multiclass Spectral Clustering. ICCV 2003.

    Examples
    --------
    >>> from labelferry import HybridLabelPropagation
    >>> from labelferry.datasets import load_demo
    >>> demo = load_demo()
    >>> y_new = HybridLabelPropagation().transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = Propagated
    solve = staticmethod(solve)
    non_negative = True
    _parameter_constraints: ClassVar[Rules] = {
        "start": choice("auto", "similarity", "logistic"),
        "weighting": choice(*WEIGHTINGS),
        "degree_regularization": at_least(0),
        "max_iter": count(),
        "class_prior": CLASS_PRIOR,
    }

    def __init__(self, start="auto", *, weighting="auto", degree_regularization=1.0, max_iter=30, class_prior=None):
        self.start = start
        self.weighting = weighting
        self.degree_regularization = degree_regularization
        self.max_iter = max_iter
        self.class_prior = class_prior

    def _fold_in(self, X: Matrix, d: int) -> Array:
        f = self.state_
        R = relations(X, Scales(*f[:4]), d)
        return add_up(
            by_class(cosine_scores(normalize_rows_l2(R @ f.axes[t])), f.names[t], len(self.classes_))
            for t in targets_of(self.domain_is_target_, d)
        )
