r"""Collective tri-factorization: every domain has its own topics; the association of topics and classes is shared.

    minimize  1/2 sum_d || X_d' - W_d H V_d' ||^2                                                                    (2)
    over      W_d, H, V_d >= 0,   W_d'1 = 1,  V_d 1 = 1

    X_d  documents x words     W_d  words x topics of domain d     H  topics x classes, shared
    V_d  documents x classes; those of a source are its labels

Only H connects the domains: the i-th topic of each domain has the same proportion in every class, but its words may
differ.

Papers: (2) and the updates (6)-(8), there with alpha = 0, are those of Chen and Zhang, Domain Adaptation with Topical
Correspondence Learning, IJCAI 2013, who compare with it; it is also (2) in Long et al., AAAI 2012. The factorization is
due to Ding, Li, Peng and Park, KDD 2006. (2) never increases under (6)-(8).

Departures
----------
- That is true without the normalizations. With them the objective may increase, and their position matters as it does
  for TCL: right after each update is the default (mean of the six newsgroup tasks .945), `normalize="cycle"` is the
  order of the paper (.88 to .90 depending on the seed; the paper's table has .860).
- H starts with equal entries, so that the predictions do not depend on the names of the classes.
- The update (7) is applied only to documents without a label. For labelled documents it would change the length of the
  row, which the normalization reverts; with `normalize="cycle"`, (8) would use that length, but the paper states that
  the labels of a source do not change.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, choice
from ..core.registry import register
from ..families.trifactorization import (
    FactorizationProblem,
    TriFactorization,
    even_association,
    normalize_columns_if,
    problem_of_domains,
    random_factor,
    solve_trifactorization,
    update_association,
    update_documents,
)
from ..linalg.matrix import Array
from ..linalg.multiplicative import gram, normalize_columns_l1, normalize_rows_l1, scale, sq_residual


class Factors(NamedTuple):
    """The factors of (2); W, V and XV have one entry per domain."""

    W: tuple[Annotated[Array, "words x topics >= 0"], ...]
    H: Annotated[Array, "topics x classes >= 0"]
    V: tuple[Annotated[Array, "documents[d] x classes >= 0"], ...]
    XV: tuple[Annotated[Array, "words x classes >= 0"], ...]  # X_d' V_d


def objective(f: Factors, p: FactorizationProblem) -> float:  # (2)
    """Half the squared residual, summed over the domains."""
    parts = zip(p.X, f.W, f.V, f.XV, strict=True)
    return 0.5 * sum(sq_residual(Xd, Wd @ f.H, Vd, XVd) for Xd, Wd, Vd, XVd in parts)


def step(f: Factors, p: FactorizationProblem, normalize: str = "update") -> Factors:
    """One cycle of (6)-(8); factors are normalized after each "update", after the "cycle", or "never"."""
    W, H, V, XV = f
    each = normalize == "update"
    W = tuple(
        normalize_columns_if(each, scale(Wd, XVd @ H.T, Wd @ H @ gram(Vd) @ H.T))
        for Wd, XVd, Vd in zip(W, XV, V, strict=True)  # (6)
    )
    V, XV = update_documents(V, p, [Wd @ H for Wd in W], normalize=each)  # (7)
    H = update_association(H, W, XV, V)  # (8)
    if normalize == "cycle":
        W, V = tuple(normalize_columns_l1(Wd) for Wd in W), p.update_unknown(V, lambda d: normalize_rows_l1(V[d]))
        XV = p.words_by_class(V)
    return Factors(W, H, V, XV)


def start(p: FactorizationProblem, n_topics: int, rng: np.random.Generator) -> Factors:
    """Random W_d, even H; V from the labels and, for the other documents, logistic regression."""
    n_words, n_classes = p.XV[0].shape
    draw = partial(random_factor, rng, dtype=p.V[0].dtype)
    W = tuple(normalize_columns_l1(draw(n_words, n_topics)) for _ in p.V)
    return Factors(W, even_association(n_topics, n_classes, p.V[0].dtype), p.V, p.XV)


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
    """Fit the factors; the parameters are those of `NMTF`."""
    return solve_trifactorization(
        problem_of_domains(domains),
        partial(start, n_topics=n_topics, rng=rng),
        partial(step, normalize=normalize),
        objective,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )


@register
class NMTF(TriFactorization):
    """Collective tri-factorization with a shared association of topics and classes.

    Use it to compare with TCL and GCMF, which extend it.

    Parameters
    ----------
    n_topics : int, default=20
        Number of topics, k; 20 is the value in Chen and Zhang 2013 (section 4.2).
    normalize : {"update", "cycle"}, default="update"
        "update" normalizes each factor right after its update, "cycle" all of them at the end of the cycle.
    max_iter : int, default=100
        Number of cycles of (6)-(8).
    tol : float, default=0.0
        Stop if the objective decreases by less than this fraction of its first value in ten cycles; 0 runs all cycles.
    n_init : int, default=1
        Number of starts with different random topics; the solution with the lowest objective is kept.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.
    random_state : int, RandomState instance or None, default=None
        Seed of the random topics.

    Attributes
    ----------
    state_ : Factors
        W, H, V and XV, in the order of `domain_names_`.
        For the other attributes see `labelferry.core.classifier.TransductiveClassifier`.

    References
    ----------
    C. Ding, T. Li, W. Peng and H. Park. Orthogonal Nonnegative Matrix Tri-factorizations for Clustering. KDD 2006.
    Z. Chen and W. Zhang. Domain Adaptation with Topical Correspondence Learning. IJCAI 2013.

    Examples
    --------
    >>> from labelferry.baselines import NMTF
    >>> from labelferry import load_demo
    >>> demo = load_demo()
    >>> y_new = NMTF(random_state=0).transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.9
    True
    """

    State = Factors
    ignores_scale = "all"
    solve = staticmethod(solve)
    takes_blocks: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Rules] = {
        **TriFactorization._parameter_constraints,
        "normalize": choice("update", "cycle"),
    }

    def __init__(
        self,
        n_topics: int = 20,
        *,
        normalize: str = "update",
        max_iter: int = 100,
        tol: float = 0.0,
        n_init: int = 1,
        class_prior: str | ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.normalize = normalize
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.class_prior = class_prior
        self.random_state = random_state

    def _class_profiles(self, d: int) -> Array:
        f: Factors = self.state_
        return f.W[d] @ f.H
