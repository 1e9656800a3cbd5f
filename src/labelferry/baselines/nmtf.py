r"""Collective tri-factorisation: every domain has topics of its own; what they mean for the classes is shared.

    minimise  1/2 sum_d || X_d' - W_d H V_d' ||^2                                                                    (2)
    over      W_d, H, V_d >= 0,   W_d'1 = 1,  V_d 1 = 1

    X_d  documents x words     W_d  words x topics of domain d     H  topics x classes, shared
    V_d  documents x classes; a source's are its labels

Only H joins the domains: the i-th topic of each has the same share in every class, whatever its words are.

Papers: (2) and the updates (6)-(8), there with alpha = 0, are those of Chen and Zhang, Domain Adaptation with Topical
Correspondence Learning, IJCAI 2013, who compare with it; Long et al., AAAI 2012, have it as (2) too. The factorisation
is Ding, Li, Peng and Park's, KDD 2006. (2) never rises under (6)-(8).

Departures
----------
- That holds without the normalisations. With them the objective may rise, and where they stand matters as it does for
  TCL: right after each update is the default (mean of the six newsgroup tasks .945), `normalize="cycle"` is the order
  of the paper (.893, a point more or less with the seed; the paper's table has .860).
- The update (7) is applied to documents without a label only. For those with one it would change the length of the row,
  which the normalisation takes back; with `normalize="cycle"` (8) would see it, but the paper says that the
  labels of a source stay unchanged.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from ..core.domains import Domains
from ..core.iterate import Solution, restart
from ..core.params import Rules, choice
from ..core.registry import register
from ..families.linear import start_labels
from ..families.trifactorization import (
    Problem,
    TriFactorization,
    check_n_topics,
    normalizers,
    pose,
    random_factor,
    update_association,
    update_documents,
)
from ..linalg.matrix import Array
from ..linalg.multiplicative import gram, normalize_columns_l1, normalize_rows_l1, scale, sq_residual


class Factors(NamedTuple):
    W: tuple[Array, ...]
    H: Array
    V: tuple[Array, ...]


def objective(f: Factors, p: Problem) -> float:  # (2)
    return 0.5 * sum(sq_residual(Xd, Wd @ f.H, Vd) for Xd, Wd, Vd in zip(p.X, f.W, f.V, strict=True))


def step(f: Factors, p: Problem, normalize: str = "update") -> Factors:
    """One cycle of (6)-(8). `normalize`: after each "update", once a "cycle", or "never" (where (2) never rises)."""
    W, H, V = f
    columns, rows = normalizers(normalize)
    XV = p.words_by_class(V)
    W = tuple(
        columns(scale(Wd, XVd @ H.T, Wd @ H @ gram(Vd) @ H.T))
        for Wd, XVd, Vd in zip(W, XV, V, strict=True)  # (6)
    )
    V = update_documents(V, p, [Wd @ H for Wd in W], to_one=rows)  # (7)
    H = update_association(H, W, p.words_by_class(V), V)  # (8)
    if normalize == "cycle":
        W, V = tuple(normalize_columns_l1(Wd) for Wd in W), p.update_unknown(V, lambda d: normalize_rows_l1(V[d]))
    return Factors(W, H, V)


def start(V: tuple[Array, ...], n_words: int, n_topics: int, rng: np.random.Generator) -> Factors:
    """Random W_d and H; V from the labels and, where there is none, logistic regression."""
    draw = partial(random_factor, rng, dtype=V[0].dtype)
    W = tuple(normalize_columns_l1(draw(n_words, n_topics)) for _ in V)
    return Factors(W, draw(n_topics, V[0].shape[1]), V)


def solve(
    domains: Domains,
    *,
    n_topics: int,
    normalize: str,
    max_iter: int,
    tol: float,
    n_init: int,
    rng: np.random.Generator,
) -> Solution:
    check_n_topics(n_topics, domains.n_words)
    V = start_labels(domains)
    p = pose(domains.X, domains.known, V, domains.shares)
    return restart(
        partial(step, p=p, normalize=normalize),
        partial(objective, p=p),
        lambda: start(V, domains.n_words, n_topics, rng),
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )


@register
class NMTF(TriFactorization):
    """Collective tri-factorisation with a shared association of topics and classes.

    Parameters
    ----------
    n_topics : k; 20 is what Chen and Zhang 2013 (section 4.2) give it.
    normalize : "update" normalises each factor right after its update, "cycle" all of them at the end.
    max_iter : number of cycles of (6)-(8).
    tol : stop when the objective falls by less than this share of its first value in ten cycles; 0 runs all.
    n_init : restarts from other random topics; the lowest objective is kept.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.
    random_state : seed of the random topics.

    Attributes
    ----------
    state_ : Factors(W, H, V), in the order of `domain_names_`. The others are those of every estimator.

    References
    ----------
    C. Ding, T. Li, W. Peng and H. Park. Orthogonal Nonnegative Matrix Tri-factorizations for Clustering. KDD 2006.
    Z. Chen and W. Zhang. Domain Adaptation with Topical Correspondence Learning. IJCAI 2013.

    Examples
    --------
    >>> from labelferry.baselines import NMTF
    >>> from labelferry.datasets import load_demo
    >>> demo = load_demo()
    >>> y_new = NMTF(random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = Factors
    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[Rules] = {
        **TriFactorization._parameter_constraints,
        "normalize": choice("update", "cycle"),
    }

    def __init__(
        self, n_topics=20, *, normalize="update", max_iter=100, tol=0.0, n_init=1, class_prior=None, random_state=None
    ):
        self.n_topics = n_topics
        self.normalize = normalize
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def _class_profiles(self, d: int) -> Array:
        return self.state_.W[d] @ self.state_.H
