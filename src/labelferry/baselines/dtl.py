r"""Dual transfer learning: some topics are common to all domains, some are of one domain; what both mean is shared.

    minimise  1/2 sum_d || X_d' - P_d H V_d' ||^2,   P_d = [U, W_d],   H = [H_0; H_1],                               (3)
    over      U, W_d, H, V_d >= 0,   U'1 = 1,  W_d'1 = 1,  V_d 1 = 1

    X_d  documents x words     U    words x common topics               H_0  common topics x classes, shared
                               W_d  words x topics of domain d          H_1  domain topics x classes, shared too
    V_d  documents x classes; a source's are its labels

The two ways of the name: U draws the documents of the domains together (marginal distribution), H their labels
(conditional distribution). Without common topics it is NMTF; without domain topics all words are shared.

    U    <-  U   * (sum_d X_d' V_d H_0') / (sum_d P_d H V_d'V_d H_0')                                                (a)
    W_d  <-  W_d * (X_d' V_d H_1') / (P_d H V_d'V_d H_1')                                                            (b)
    V_d  <-  V_d * (X_d P_d H) / (V_d H'P_d'P_d H)                                                                   (c)
    H    <-  H   * (sum_d P_d' X_d' V_d) / (sum_d P_d'P_d H V_d'V_d)                                                 (d)

Each ratio is the negative part of the gradient over the positive one, so (a)-(d) rest where the KKT conditions hold.
In each factor, the others held, (3) is a convex quadratic: with B the positive part of its gradient at A, the function
that has the curvatures B / A in place of the Hessian lies above (3), touches it at A, and has its minimum at the update
(Lee and Seung 2000). So (3) never rises.

Paper: Long, Wang, Ding, Cheng, Zhang and Wang, Dual Transfer Learning, SDM 2012. The problem is written here as Chen
and Zhang 2013 quote it, their (3). We had no copy of the paper itself: the updates and their letters are ours.

Departures
----------
- The sides on which the factors sum to one are those of Chen and Zhang's NMTF and TCL; (3) is quoted without them.
- (3) never rises without the normalisations; with them it may. Each factor is normalised right after its update, which
  is better than once a cycle: means of the six newsgroup tasks .948 and, with `normalize="cycle"`, .927. Chen and
  Zhang's table has .916.
- (c) is applied to documents without a label only.
- The paper's numbers of topics are not known to us: 10 common and 10 of the domain are as many as NMTF has in all.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from ..core.domains import Domains
from ..core.iterate import Solution, restart
from ..core.params import Rules, choice, count
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
    U: Array
    W: tuple[Array, ...]
    H: Array
    V: tuple[Array, ...]


def join(U: Array, Wd: Array) -> Array:
    """P_d, the words of domain d in the common topics and in its own."""
    return np.hstack([U, Wd])


def objective(f: Factors, p: Problem) -> float:  # (3)
    return 0.5 * sum(sq_residual(Xd, join(f.U, Wd) @ f.H, Vd) for Xd, Wd, Vd in zip(p.X, f.W, f.V, strict=True))


def step(f: Factors, p: Problem, normalize: str = "update") -> Factors:
    """One cycle of (a)-(d). `normalize`: after each "update", once a "cycle", or "never" (where (3) never rises)."""
    U, W, H, V = f
    H0, H1 = np.vsplit(H, [U.shape[1]])
    columns, rows = normalizers(normalize)
    XV = p.words_by_class(V)
    HVtV = [H @ gram(Vd) for Vd in V]
    U = columns(scale(U, sum(XV) @ H0.T, sum(join(U, Wd) @ Hd for Wd, Hd in zip(W, HVtV, strict=True)) @ H0.T))  # (a)
    W = tuple(
        columns(scale(Wd, XVd @ H1.T, join(U, Wd) @ Hd @ H1.T))
        for Wd, XVd, Hd in zip(W, XV, HVtV, strict=True)  # (b)
    )
    P = [join(U, Wd) for Wd in W]
    V = update_documents(V, p, [Pd @ H for Pd in P], to_one=rows)  # (c)
    H = update_association(H, P, p.words_by_class(V), V)  # (d)
    if normalize == "cycle":
        U, W = normalize_columns_l1(U), tuple(normalize_columns_l1(Wd) for Wd in W)
        V = p.update_unknown(V, lambda d: normalize_rows_l1(V[d]))
    return Factors(U, W, H, V)


def start(V: tuple[Array, ...], n_words: int, n_common: int, n_own: int, rng: np.random.Generator) -> Factors:
    """Random U, W_d and H; V from the labels and, where there is none, logistic regression."""
    draw = partial(random_factor, rng, dtype=V[0].dtype)
    U = normalize_columns_l1(draw(n_words, n_common))
    W = tuple(normalize_columns_l1(draw(n_words, n_own)) for _ in V)
    return Factors(U, W, draw(n_common + n_own, V[0].shape[1]), V)


def solve(
    domains: Domains,
    *,
    n_common_topics: int,
    n_domain_topics: int,
    normalize: str,
    max_iter: int,
    tol: float,
    n_init: int,
    rng: np.random.Generator,
) -> Solution:
    n_topics = n_common_topics + n_domain_topics
    if n_topics == 0:
        raise ValueError("n_common_topics + n_domain_topics must be at least 1; got 0 + 0. Raise one of them.")
    check_n_topics(n_topics, domains.n_words, "n_common_topics + n_domain_topics")
    V = start_labels(domains)
    p = pose(domains.X, domains.known, V, domains.shares)
    return restart(
        partial(step, p=p, normalize=normalize),
        partial(objective, p=p),
        lambda: start(V, domains.n_words, n_common_topics, n_domain_topics, rng),
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )


@register
class DTL(TriFactorization):
    """Dual transfer learning: topics common to all domains beside topics of each.

    Parameters
    ----------
    n_common_topics : columns of U; 0 is NMTF.
    n_domain_topics : columns of each W_d; 0 shares all words.
    normalize : "update" normalises each factor right after its update, "cycle" all of them at the end.
    max_iter : number of cycles of (a)-(d).
    tol : stop when the objective falls by less than this share of its first value in ten cycles; 0 runs all.
    n_init : restarts from other random topics; the lowest objective is kept.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.
    random_state : seed of the random topics.

    Attributes
    ----------
    state_ : Factors(U, W, H, V), in the order of `domain_names_`. The others are those of every estimator.

    References
    ----------
    M. Long, J. Wang, G. Ding, W. Cheng, X. Zhang and W. Wang. Dual Transfer Learning. SDM 2012.

    Examples
    --------
    >>> from labelferry.baselines import DTL
    >>> from labelferry.datasets import load_demo
    >>> demo = load_demo()
    >>> y_new = DTL(random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = Factors
    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[Rules] = {
        **{name: rule for name, rule in TriFactorization._parameter_constraints.items() if name != "n_topics"},
        "n_common_topics": count(0),
        "n_domain_topics": count(0),
        "normalize": choice("update", "cycle"),
    }

    def __init__(
        self,
        n_common_topics=10,
        n_domain_topics=10,
        *,
        normalize="update",
        max_iter=100,
        tol=0.0,
        n_init=1,
        class_prior=None,
        random_state=None,
    ):
        self.n_common_topics = n_common_topics
        self.n_domain_topics = n_domain_topics
        self.normalize = normalize
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def _class_profiles(self, d: int) -> Array:
        return join(self.state_.U, self.state_.W[d]) @ self.state_.H
