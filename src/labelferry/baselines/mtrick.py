r"""MTrick: every domain has word clusters of its own; what they mean for the classes is shared, and starts from pLSA.

    minimise  sum_s ||X_s' - F_s S G_s'||^2 + alpha / n_s ||G_s - Y_s||^2  +  beta sum_t ||X_t' - F_t S G_t'||^2     (1)
    over      F_d, S, G_d >= 0,   F_d 1 = 1,  G_d 1 = 1

    X_d  documents x words, entries sum to one     F_d  words x topics, P(topic | word)     S  topics x classes, shared
    G_d  documents x classes     Y_s  labels of a source, n_s rows     beta  weight of the targets

    F_d  <-  F_d * sqrt((X_d' G_d S') / (F_d S G_d'G_d S'))                                                          (a)
    G_t  <-  G_t * sqrt((X_t F_t S) / (G_t S'F_t'F_t S))                                                             (b)
    G_s  <-  G_s * sqrt((X_s F_s S + alpha / n_s Y_s) / (G_s S'F_s'F_s S + alpha / n_s G_s))                         (c)
    S    <-  S   * sqrt((sum_d w_d F_d'X_d'G_d) / (sum_d w_d F_d'F_d S G_d'G_d)),   w_s = 1, w_t = beta              (d)

and the rows of F and G are brought to one after each. (1) never rises under (a)-(d) without that.

(c) is not in the code, since it does nothing: G_s starts at Y_s, where it is 0 it stays 0, and in each row the entry
that is left is brought back to one. So the labels of a source are fixed, the term with alpha is zero, and alpha, which
the authors set to 1, has no influence at any value. The tests compare `step` with (a)-(d) in full for several alpha.

Paper: Zhuang, Luo, Xiong, He, Xiong and Shi, Exploiting Associations between Word Clusters and Document Classes for
Cross-Domain Text Categorization, SDM 2010 (and Statistical Analysis and Data Mining 4, 2011). We had no copy: the
problem and the authors' settings (50 clusters, beta 1.5, each X divided by its sum, pLSA, logistic regression, uniform
S) are as the papers that compare with it and published code have them; the letters in the margin are ours.

Departures
----------
- pLSA is scikit-learn's NMF with the Kullback-Leibler loss, which has the same stationary points (Ding, Li and Peng
  2006), for 20 iterations in single precision: it is only a start.
- S starts uniform at the height at which F S G' sums to one as X does, not at one over the number of classes. F and G
  never notice, as they are normalised; `tol` does, for which the first objective is the measure.
- Several sources and targets: the terms of (1) are summed. Labels given for documents of a target are kept, as by (c).
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.decomposition import NMF

from ..core.domains import Domains
from ..core.iterate import Solution, restart
from ..core.params import Rules, positive
from ..core.registry import register
from ..families.linear import start_labels
from ..families.trifactorization import (
    Problem,
    TriFactorization,
    check_n_topics,
    pose,
    update_association,
    update_documents,
)
from ..linalg.matrix import Array, Matrix, stack_rows
from ..linalg.multiplicative import gram, normalize_rows_l1, root_scale, sq_residual
from ..linalg.normalize import unit_total

PLSA_ITER = 20


class Factors(NamedTuple):
    F: tuple[Array, ...]
    S: Array
    G: tuple[Array, ...]

    @property
    def V(self) -> tuple[Array, ...]:
        """The labels, by the name they have in other methods."""
        return self.G


def objective(f: Factors, p: Problem, weights: tuple[float, ...]) -> float:  # (1)
    return sum(w * sq_residual(Xd, Fd @ f.S, Gd) for w, Xd, Fd, Gd in zip(weights, p.X, f.F, f.G, strict=True))


def step(f: Factors, p: Problem, weights: tuple[float, ...], normalize: bool = True) -> Factors:
    """One cycle of (a)-(d). (1) never rises with `normalize=False`."""
    F, S, G = f
    to_one = normalize_rows_l1 if normalize else np.asarray
    XG = p.words_by_class(G)
    F = tuple(
        to_one(root_scale(Fd, XGd @ S.T, Fd @ S @ gram(Gd) @ S.T))
        for Fd, XGd, Gd in zip(F, XG, G, strict=True)  # (a)
    )
    G = update_documents(G, p, [Fd @ S for Fd in F], by=root_scale, to_one=to_one)  # (b)
    S = update_association(S, F, p.words_by_class(G), G, by=root_scale, weights=weights)  # (d)
    return Factors(F, S, G)


def word_clusters(X: Matrix, n_topics: int, rng: np.random.Generator) -> Array:
    """P(topic | word) of pLSA on all documents: words x topics. Words that do not occur are in all topics alike."""
    model = NMF(
        n_topics,
        init="random",
        solver="mu",
        beta_loss="kullback-leibler",
        max_iter=PLSA_ITER,
        tol=0,
        random_state=int(rng.integers(2**31 - 1)),
    )
    topics_of_documents = model.fit_transform(X.astype(np.float32))  # type: ignore[attr-defined]
    joint = model.components_.T * topics_of_documents.sum(axis=0)  # P(word, topic), but for a factor
    return normalize_rows_l1(joint).astype(X.dtype)


def start(G: tuple[Array, ...], F: Array) -> Factors:
    """The clusters F in every domain, and S uniform; G from the labels or logistic regression."""
    n = np.mean([len(Gd) for Gd in G])
    S = np.full((F.shape[1], G[0].shape[1]), 1 / (len(F) * n), dtype=F.dtype)
    return Factors((F,) * len(G), S, G)


def solve(
    domains: Domains,
    *,
    n_topics: int,
    target_weight: float,
    max_iter: int,
    tol: float,
    n_init: int,
    rng: np.random.Generator,
) -> Solution:
    check_n_topics(n_topics, domains.n_words)
    G = start_labels(domains)
    p = pose([unit_total(Xd) for Xd in domains.X], domains.known, G, domains.shares)
    weights = tuple(float(target_weight) if d.is_target else 1.0 for d in domains)
    documents = stack_rows(domains.X)
    return restart(
        partial(step, p=p, weights=weights),
        partial(objective, p=p, weights=weights),
        lambda: start(G, word_clusters(documents, n_topics, rng)),
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )


@register
class MTrick(TriFactorization):
    """Matrix tri-factorisation with word clusters of each domain and a shared association.

    Parameters
    ----------
    n_topics : number of word clusters.
    target_weight : beta in (1).
    max_iter : number of cycles of (a)-(d).
    tol : stop when the objective falls by less than this share of its first value in ten cycles; 0 runs all.
    n_init : restarts from other runs of pLSA; the lowest objective is kept.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.
    random_state : seed of pLSA.

    Attributes
    ----------
    state_ : Factors(F, S, G), in the order of `domain_names_`. The others are those of every estimator.

    References
    ----------
    F. Zhuang, P. Luo, H. Xiong, Q. He, Y. Xiong and Z. Shi. Exploiting Associations between Word Clusters and Document
    Classes for Cross-Domain Text Categorization. SDM 2010.

    Examples
    --------
    >>> from labelferry.baselines import MTrick
    >>> from labelferry.datasets import load_demo
    >>> demo = load_demo()
    >>> y_new = MTrick(random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = Factors
    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[Rules] = {
        **TriFactorization._parameter_constraints,
        "target_weight": positive(),
    }

    def __init__(
        self, n_topics=50, *, target_weight=1.5, max_iter=100, tol=0.0, n_init=1, class_prior=None, random_state=None
    ):
        self.n_topics = n_topics
        self.target_weight = target_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def _class_profiles(self, d: int) -> Array:
        return self.state_.F[d] @ self.state_.S
