r"""MTrick: every domain has its own word clusters; their association with the classes is shared and starts from pLSA.

    minimize  sum_s ||X_s' - F_s S G_s'||^2 + alpha / n_s ||G_s - Y_s||^2  +  beta sum_t ||X_t' - F_t S G_t'||^2     (1)
    over      F_d, S, G_d >= 0,   F_d 1 = 1,  G_d 1 = 1

    X_d  documents x words, entries sum to one     F_d  words x topics, P(topic | word)     S  topics x classes, shared
    G_d  documents x classes     Y_s  labels of a source, n_s rows     beta  weight of the targets

    F_d  <-  F_d * sqrt((X_d' G_d S') / (F_d S G_d'G_d S'))                                                          (a)
    G_t  <-  G_t * sqrt((X_t F_t S) / (G_t S'F_t'F_t S))                                                             (b)
    G_s  <-  G_s * sqrt((X_s F_s S + alpha / n_s Y_s) / (G_s S'F_s'F_s S + alpha / n_s G_s))                         (c)
    S    <-  S   * sqrt((sum_d w_d F_d'X_d'G_d) / (sum_d w_d F_d'F_d S G_d'G_d)),   w_s = 1, w_t = beta              (d)

After each update the rows of F and G are divided by their sums. Without that, (1) never increases under (a)-(d).

(c) is not in the code because it has no effect: G_s starts at Y_s, its zeros stay zero, and the one remaining entry of
each row is normalized back to one. So the labels of a source are fixed, the term with alpha is zero, and alpha, which
the authors set to 1, has no influence at any value. The tests compare `step` with the complete (a)-(d) for several
alpha.

Paper: Zhuang, Luo, Xiong, He, Xiong and Shi, Exploiting Associations between Word Clusters and Document Classes for
Cross-Domain Text Categorization, SDM 2010 (and Statistical Analysis and Data Mining 4, 2011). We had no copy: the
problem and the authors' settings (50 clusters, beta 1.5, each X divided by its sum, pLSA, logistic regression, uniform
S) are taken from papers that compare with it and from published code; we chose the letters of the equations.

Departures
----------
- pLSA is scikit-learn's NMF with the Kullback-Leibler loss, which has the same stationary points (Ding, Li and Peng
  2006), with 20 iterations in single precision: it is only a start.
- S starts uniform, at the value for which F S G' sums to one as X does, not at one over the number of classes. F and G
  do not depend on it, since they are normalized; `tol` does, because it is relative to the first objective.
- Several sources and targets: the terms of (1) are summed. Labels given for documents of a target are kept, as by (c).
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.decomposition import NMF

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, positive
from ..core.registry import register
from ..families.trifactorization import (
    FactorizationProblem,
    TriFactorization,
    problem_of_domains,
    solve_trifactorization,
    update_association,
    update_documents,
)
from ..linalg.matrix import Array, Matrix, stack_rows
from ..linalg.multiplicative import gram, normalize_rows_l1, root_scale, sq_residual
from ..linalg.normalize import unit_total

PLSA_ITER = 20


class Factors(NamedTuple):
    """The factors of (1); F, G and XG have one entry per domain."""

    F: tuple[Annotated[Array, "words x k >= 0"], ...]
    S: Annotated[Array, "k x classes >= 0"]
    G: tuple[Annotated[Array, "documents[d] x classes >= 0"], ...]
    XG: tuple[Annotated[Array, "words x classes >= 0"], ...]  # X_d' G_d

    @property
    def V(self) -> tuple[Array, ...]:
        """G, by the name that it has in other methods."""
        return self.G


def objective(f: Factors, p: FactorizationProblem, weights: tuple[float, ...]) -> float:  # (1)
    """The weighted sum of the squared residuals of the domains."""
    parts = zip(weights, p.X, f.F, f.G, f.XG, strict=True)
    return sum(w * sq_residual(Xd, Fd @ f.S, Gd, XGd) for w, Xd, Fd, Gd, XGd in parts)


def step(f: Factors, p: FactorizationProblem, weights: tuple[float, ...], normalize: bool = True) -> Factors:
    """One cycle of (a)-(d). With `normalize=False`, (1) never increases."""
    F, S, G, XG = f
    F = tuple(
        root_scale(Fd, XGd @ S.T, Fd @ S @ gram(Gd) @ S.T)
        for Fd, XGd, Gd in zip(F, XG, G, strict=True)  # (a)
    )
    if normalize:
        F = tuple(normalize_rows_l1(Fd) for Fd in F)
    G, XG = update_documents(G, p, [Fd @ S for Fd in F], by=root_scale, normalize=normalize)  # (b)
    S = update_association(S, F, XG, G, by=root_scale, weights=weights)  # (d)
    return Factors(F, S, G, XG)


def word_clusters(X: Matrix, n_topics: int, rng: np.random.Generator) -> Array:
    """P(topic | word) of pLSA on all documents, words x topics; uniform for words that do not occur."""
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
    joint = model.components_.T * topics_of_documents.sum(axis=0)  # P(word, topic), up to a factor
    return normalize_rows_l1(joint).astype(X.dtype)


def start(p: FactorizationProblem, F: Array) -> Factors:
    """The clusters F in every domain, and S uniform; G from the labels or logistic regression."""
    n = np.mean([len(Gd) for Gd in p.V])
    S = np.full((F.shape[1], p.V[0].shape[1]), 1 / (len(F) * n), dtype=F.dtype)
    return Factors((F,) * len(p.V), S, p.V, p.XV)


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
    """Fit the factors; the parameters are those of `MTrick`."""
    weights = tuple(float(target_weight) if d.is_target else 1.0 for d in domains)
    documents = stack_rows(domains.X)
    return solve_trifactorization(
        problem_of_domains(domains, [unit_total(Xd) for Xd in domains.X]),
        lambda p: start(p, word_clusters(documents, n_topics, rng)),
        partial(step, weights=weights),
        partial(objective, weights=weights),
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )


@register
class MTrick(TriFactorization):
    """Matrix tri-factorization with word clusters per domain and a shared association.

    Use it to compare with TCL and GCMF if the classes are topics.

    Parameters
    ----------
    n_topics : int, default=50
        Number of word clusters.
    target_weight : float, default=1.5
        Weight of the targets, beta in (1).
    max_iter : int, default=100
        Number of cycles of (a)-(d).
    tol : float, default=0.0
        Stop if the objective decreases by less than this fraction of its first value in ten cycles; 0 runs all cycles.
    n_init : int, default=1
        Number of starts with different runs of pLSA; the solution with the lowest objective is kept.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.
    random_state : int, RandomState instance or None, default=None
        Seed of pLSA.

    Attributes
    ----------
    state_ : Factors
        F, S, G and XG, in the order of `domain_names_`.
        For the other attributes see `labelferry.core.classifier.TransductiveClassifier`.

    References
    ----------
    F. Zhuang, P. Luo, H. Xiong, Q. He, Y. Xiong and Z. Shi. Exploiting Associations between Word Clusters and Document
    Classes for Cross-Domain Text Categorization. SDM 2010.

    Examples
    --------
    >>> from labelferry.baselines import MTrick
    >>> from labelferry import load_demo
    >>> demo = load_demo()
    >>> y_new = MTrick(random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = Factors
    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[Rules] = {**TriFactorization._parameter_constraints, "target_weight": positive()}

    def __init__(
        self,
        n_topics: int = 50,
        *,
        target_weight: float = 1.5,
        max_iter: int = 100,
        tol: float = 0.0,
        n_init: int = 1,
        class_prior: str | ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.target_weight = target_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def _class_profiles(self, d: int) -> Array:
        f: Factors = self.state_
        return f.F[d] @ f.S
