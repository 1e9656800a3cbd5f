r"""In the manner of dual knowledge transfer: the domains share word clusters and their association with the classes.

    minimize  sum_d || X_d' - F S G_d' ||^2                                                                          (1)
    over      F, S, G_d >= 0,   F'F = I,  G_d'G_d = I

    X_d  documents x words, ||X_d|| = 1     F  words x topics, shared     S  topics x classes, shared
    G_d  documents x classes; those of a source are its labels, the column of a class of n documents divided by sqrt(n)

Non-negative orthogonal columns have no row in common: each word belongs to one cluster, each document to one class.

    F    <-  F   * sqrt(A / F sym(F'A)),           A = sum_d X_d' G_d S'                                             (a)
    G_d  <-  G_d * sqrt(A_d / G_d sym(G_d'A_d)),   A_d = X_d F S                                                     (b)
    S    <-  S   * sqrt((sum_d F'X_d'G_d) / (sum_d F'F S G_d'G_d)),   sym(C) = (C + C') / 2                          (c)

Derivation: with a symmetric multiplier L of F'F = I, the Lagrangian in F is tr(F'F C) - 2 tr(F'A) up to a constant,
with C = sum_d S G_d'G_d S' + L. At a stationary point, ignoring the signs, F C = A, so C = F'A eliminates L (Ding et
al.). The consequences, which are tested:

- With the multiplier fixed, (a) and (b) never increase their Lagrangian (C is symmetric and non-negative, so Ding et
  al.'s auxiliary function lies above it), and (c) never increases (1).
- After (a) or (b) no column is longer than one, and its length is one only if it has no row in common with another.
- If F and G are orthonormal and S fits, L = 0: the ratio in (a) is that of the tri-factorization with shared words.

It does not follow that (1) decreases in each step, because the multiplier changes; orthogonality is approached, not
reached.

Papers: Wang, Huang, Nie and Ding, Cross-Language Web Page Classification via Dual Knowledge Transfer Using Nonnegative
Matrix Tri-factorization, SIGIR 2011; Ding, Li, Peng and Park, Orthogonal Nonnegative Matrix Tri-factorizations for
Clustering, KDD 2006. We had no copy of the first. (1) is the method as summarized in papers that compare with it; its
abstract mentions word cluster "approximations", which may mean that F differs slightly between the domains. (a)-(c) are
those of the second paper, summed over the domains; we wrote the other parts of this text.

Departures
----------
- Ding et al. write F'A instead of its symmetric part. A multiplier of F'F = I is symmetric, so theirs is a multiplier
  only if F'A happens to be symmetric. The accuracy is about the same.
- Each X_d is scaled to norm one. || F S G_d' || = || F S || is the same for every domain, so all X_d must have the same
  norm; otherwise a small target is fitted at a wrong scale. As a result, a domain given twice gets the same
  predictions.
- The label of a document is read from its row of G_d after each column is scaled to the length at which it is nearest
  to ones, g <- g (g'1 / g'g): for the G of given labels that gives back 0 and 1 for any sizes of the classes.
- F starts at random and S with equal entries (Ding et al.: k-means), G from logistic regression; 20 topics as for NMTF.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.registry import register
from ..families.linear import start_labels
from ..families.trifactorization import (
    FactorizationProblem,
    TriFactorization,
    even_association,
    factorization_problem,
    random_factor,
    solve_trifactorization,
    update_association,
)
from ..linalg.matrix import Array
from ..linalg.multiplicative import ratio, root_scale, sq_residual
from ..linalg.normalize import normalize_rows_l2, unit_norm


class Factors(NamedTuple):
    """The factors of (1); G and XG have one entry per domain."""

    F: Annotated[Array, "words x topics >= 0"]
    S: Annotated[Array, "topics x classes >= 0"]
    G: tuple[Annotated[Array, "documents[d] x classes >= 0"], ...]
    XG: tuple[Annotated[Array, "words x classes >= 0"], ...]  # X_d' G_d

    @property
    def V(self) -> tuple[Array, ...]:
        """G with its columns at the scale of labels."""
        return tuple(Gd * ratio(Gd.sum(axis=0), (Gd * Gd).sum(axis=0)) for Gd in self.G)


def objective(f: Factors, p: FactorizationProblem) -> float:  # (1)
    """The squared residual, summed over the domains."""
    return sum(sq_residual(Xd, f.F @ f.S, Gd, XGd) for Xd, Gd, XGd in zip(p.X, f.G, f.XG, strict=True))


def multiplier(F: Array, A: Array) -> Array:
    """sym(F'A): the matrix C of the Lagrangian tr(F'F C) - 2 tr(F'A)."""
    C = F.T @ A
    symmetric: Array = (C + C.T) / 2
    return symmetric


def orthogonal_update(F: Array, A: Array) -> Array:
    """(a) and (b): F moves towards A and towards orthonormal columns."""
    return root_scale(F, A, F @ multiplier(F, A))


def step(f: Factors, p: FactorizationProblem) -> Factors:
    """One cycle of (a)-(c)."""
    F, S, G, XG = f
    F = orthogonal_update(F, sum(XG) @ S.T)  # (a)
    G = p.update_unknown(G, lambda d: orthogonal_update(G[d], p.X[d] @ (F @ S)))  # (b)
    XG = p.words_by_class(G)
    S = update_association(S, [F] * len(G), XG, G, by=root_scale)  # (c)
    return Factors(F, S, G, XG)


def unit_columns(A: Array) -> Array:
    """Every column divided by its length; a column of zeros (a class that a source does not have) stays zero."""
    return np.asarray(normalize_rows_l2(A.T)).T


def start(p: FactorizationProblem, n_topics: int, rng: np.random.Generator) -> Factors:
    """Random F, even S; G from the labels and, for the other documents, logistic regression."""
    n_words, n_classes = p.XV[0].shape
    draw = partial(random_factor, rng, dtype=p.V[0].dtype)
    S = even_association(n_topics, n_classes, p.V[0].dtype)
    return Factors(unit_columns(draw(n_words, n_topics)), S, p.V, p.XV)


def solve(
    domains: Domains, *, n_topics: int, max_iter: int, tol: float, n_init: int, rng: np.random.Generator
) -> Solution:
    """Fit the factors; the parameters are those of `DKT`."""
    G = tuple(unit_columns(Vd) for Vd in start_labels(domains))
    return solve_trifactorization(
        factorization_problem([unit_norm(Xd) for Xd in domains.X], domains.known, G),
        partial(start, n_topics=n_topics, rng=rng),
        step,
        objective,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )


@register
class DKT(TriFactorization):
    """In the manner of dual knowledge transfer: shared word clusters and a shared association, nearly orthogonal.

    Its paper was not available: word clusters that differ between the domains may be part of the original.

    Use it to compare with TCL and GCMF if the classes are topics.

    Parameters
    ----------
    n_topics : int, default=20
        Number of word clusters.
    max_iter : int, default=100
        Number of cycles of (a)-(c).
    tol : float, default=0.0
        Stop if the objective changes by less than this fraction of its first value in ten cycles; 0 runs all cycles.
    n_init : int, default=1
        Number of starts with different random clusters; the solution with the lowest objective is kept.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.
    random_state : int, RandomState instance or None, default=None
        Seed of the random clusters.

    Attributes
    ----------
    state_ : Factors
        F, S, G and XG, in the order of `domain_names_`; `state_.V` is G at the scale of labels.
        For the other attributes see `labelferry.core.classifier.TransductiveClassifier`.
    objective_history_ : array
        The objective (1), which may increase.

    References
    ----------
    H. Wang, H. Huang, F. Nie and C. Ding. Cross-Language Web Page Classification via Dual Knowledge Transfer Using
    Nonnegative Matrix Tri-factorization. SIGIR 2011.

    Examples
    --------
    >>> from labelferry.baselines import DKT
    >>> from labelferry import load_demo
    >>> demo = load_demo()
    >>> y_new = DKT(random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = Factors
    ignores_scale = "all"
    solve = staticmethod(solve)

    def __init__(
        self,
        n_topics: int = 20,
        *,
        max_iter: int = 100,
        tol: float = 0.0,
        n_init: int = 1,
        class_prior: str | ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def _class_profiles(self, d: int) -> Array:
        # F S G' = (F S / s) (G s)': the profiles at the scale of V. A new document does not change what is orthogonal,
        # so it is fitted by least squares.
        f: Factors = self.state_
        G = f.G[d]
        return (f.F @ f.S) * ratio((G * G).sum(axis=0), G.sum(axis=0))
