r"""Dual knowledge transfer: the domains share their word clusters, and what these mean for the classes.

    minimise  sum_d || X_d' - F S G_d' ||^2                                                                          (1)
    over      F, S, G_d >= 0,   F'F = I,  G_d'G_d = I

    X_d  documents x words, ||X_d|| = 1     F  words x topics, shared     S  topics x classes, shared
    G_d  documents x classes; a source's are its labels, the column of a class of n documents divided by sqrt(n)

Columns that are non-negative and orthogonal share no row: each word is of one cluster, each document of one class.

    F    <-  F   * sqrt(A / F sym(F'A)),           A = sum_d X_d' G_d S'                                             (a)
    G_d  <-  G_d * sqrt(A_d / G_d sym(G_d'A_d)),   A_d = X_d F S                                                     (b)
    S    <-  S   * sqrt((sum_d F'X_d'G_d) / (sum_d F'F S G_d'G_d)),   sym(C) = (C + C') / 2                          (c)

Why: with a symmetric multiplier L of F'F = I, the Lagrangian in F is tr(F'F C) - 2 tr(F'A) but for a constant, where
C = sum_d S G_d'G_d S' + L. Where it is stationary, the signs aside, F C = A, so that C = F'A eliminates L (Ding et
al.). What follows, and is tested:

- With the multiplier held, (a) and (b) never raise their Lagrangian (C is symmetric and non-negative, so Ding et al.'s
  auxiliary function lies above it), and (c) never raises (1).
- After (a) or (b) no column is longer than one, and it is as long as that only if it shares no row with another.
- Where F and G are orthonormal and S fits, L = 0: the ratio in (a) is that of the tri-factorisation with shared words.

It does not follow that (1) falls from step to step, as the multiplier moves; orthogonality is approached, not reached.

Papers: Wang, Huang, Nie and Ding, Cross-Language Web Page Classification via Dual Knowledge Transfer Using Nonnegative
Matrix Tri-factorization, SIGIR 2011; Ding, Li, Peng and Park, Orthogonal Nonnegative Matrix Tri-factorizations for
Clustering, KDD 2006. We had no copy of the first. (1) is the method as it is described in short where others compare
with it; its abstract speaks of word cluster "approximations", which may mean that F differs a little between the
domains. (a)-(c) are the second's, summed over the domains; the rest of this page is ours.

Departures
----------
- Ding et al. write F'A in place of its symmetric part. A multiplier of F'F = I is symmetric, so theirs is one only
  where F'A happens to be. The accuracy is much the same.
- Each X_d is scaled to norm one. || F S G_d' || = || F S || is the same for every domain, so its X_d must be as long as
  the others; otherwise a small target is fitted at a wrong scale. With it, a domain given twice over has the same
  answer.
- A document's label is read from its row of G_d after each column is brought to the length at which it comes nearest to
  ones, g <- g (g'1 / g'g): for the G of given labels that gives back 0 and 1, whatever the sizes of the classes.
- F and S start at random (Ding et al.: k-means), G from logistic regression; 20 topics as for NMTF.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from ..core.domains import Domains
from ..core.iterate import Solution, restart
from ..core.params import Rules
from ..core.registry import register
from ..families.linear import start_labels
from ..families.trifactorization import (
    Problem,
    TriFactorization,
    check_n_topics,
    pose,
    random_factor,
    update_association,
)
from ..linalg.matrix import Array
from ..linalg.multiplicative import ratio, root_scale, sq_residual
from ..linalg.normalize import normalize_rows_l2, unit_norm


class Factors(NamedTuple):
    F: Array
    S: Array
    G: tuple[Array, ...]

    @property
    def V(self) -> tuple[Array, ...]:
        """G with its columns at the scale of labels."""
        return tuple(Gd * ratio(Gd.sum(axis=0), (Gd * Gd).sum(axis=0)) for Gd in self.G)


def objective(f: Factors, p: Problem) -> float:  # (1)
    return sum(sq_residual(Xd, f.F @ f.S, Gd) for Xd, Gd in zip(p.X, f.G, strict=True))


def multiplier(F: Array, A: Array) -> Array:
    """sym(F'A): the matrix C of the Lagrangian tr(F'F C) - 2 tr(F'A)."""
    C = F.T @ A
    return (C + C.T) / 2


def turn(F: Array, A: Array) -> Array:
    """(a) and (b): towards A, and towards orthonormal columns."""
    return root_scale(F, A, F @ multiplier(F, A))


def step(f: Factors, p: Problem) -> Factors:
    """One cycle of (a)-(c)."""
    F, S, G = f
    F = turn(F, sum(p.words_by_class(G)) @ S.T)  # (a)
    G = p.update_unknown(G, lambda d: turn(G[d], p.X[d] @ (F @ S)))  # (b)
    S = update_association(S, [F] * len(G), p.words_by_class(G), G, by=root_scale)  # (c)
    return Factors(F, S, G)


def unit_columns(A: Array) -> Array:
    """Every column divided by its length; one of zeros, a class that a source does not have, stays zero."""
    return np.asarray(normalize_rows_l2(A.T)).T


def start(G: tuple[Array, ...], n_words: int, n_topics: int, rng: np.random.Generator) -> Factors:
    """Random F and S."""
    draw = partial(random_factor, rng, dtype=G[0].dtype)
    return Factors(unit_columns(draw(n_words, n_topics)), draw(n_topics, G[0].shape[1]), G)


def solve(
    domains: Domains, *, n_topics: int, max_iter: int, tol: float, n_init: int, rng: np.random.Generator
) -> Solution:
    check_n_topics(n_topics, domains.n_words)
    G = tuple(unit_columns(Vd) for Vd in start_labels(domains))
    p = pose([unit_norm(Xd) for Xd in domains.X], domains.known, G)
    return restart(
        partial(step, p=p),
        partial(objective, p=p),
        lambda: start(G, domains.n_words, n_topics, rng),
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )


@register
class DKT(TriFactorization):
    """Dual knowledge transfer: shared word clusters and a shared association, both nearly orthogonal.

    Parameters
    ----------
    n_topics : number of word clusters.
    max_iter : number of cycles of (a)-(c).
    tol : stop when the objective changes by less than this share of its first value in ten cycles; 0 runs all.
    n_init : restarts from other random clusters; the lowest objective is kept.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.
    random_state : seed of the random clusters.

    Attributes
    ----------
    state_ : Factors(F, S, G), G in the order of `domain_names_`; `state_.V` is G at the scale of labels. The others are
        those of every estimator. `objective_history_` may rise.

    References
    ----------
    H. Wang, H. Huang, F. Nie and C. Ding. Cross-Language Web Page Classification via Dual Knowledge Transfer Using
    Nonnegative Matrix Tri-factorization. SIGIR 2011.

    Examples
    --------
    >>> from labelferry.baselines import DKT
    >>> from labelferry.datasets import load_demo
    >>> demo = load_demo()
    >>> y_new = DKT(random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = Factors
    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[Rules] = TriFactorization._parameter_constraints

    def __init__(self, n_topics=20, *, max_iter=100, tol=0.0, n_init=1, class_prior=None, random_state=None):
        self.n_topics = n_topics
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def _class_profiles(self, d: int) -> Array:
        # F S G' = (F S / s) (G s)': the profiles at the scale of V. A new document has no say in what is orthogonal, so
        # it is fitted by least squares.
        F, S, G = self.state_
        return (F @ S) * ratio((G[d] * G[d]).sum(axis=0), G[d].sum(axis=0))
