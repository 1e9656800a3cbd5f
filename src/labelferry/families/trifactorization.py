"""Shared parts of all non-negative tri-factorizations X_d' ~ F_d H V_d'.

    X_d  documents x words     F_d  words x topics     H  topics x classes     V_d  documents x classes

Given labels are rows of V that never change; a new document is a new row of V. The products with the data have one
column per class, never one per topic: X_d' V_d is computed first, then multiplied by H'. X_d' V_d is needed at the end
of a step (update of H), in the objective and at the start of the next step, so it is a field of the factors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.iterate import Solution, restart
from ..core.params import Rules, count
from ..core.proportions import match_proportions
from ..linalg.matrix import Array, Matrix, map_reduce
from ..linalg.multiplicative import gram, normalize_columns_l1, normalize_rows_l1, scale
from ..linalg.thin import thin_product
from .linear import START_C, start_labels

Update: TypeAlias = Callable[[Array, Array, Array], Array]  # (A, numerator, denominator): `scale` or `root_scale`
Factors = TypeVar("Factors")  # the NamedTuple of the factors of one method


class FactorizationProblem(NamedTuple):
    """The data of a tri-factorization and the labels it starts from, one entry per domain."""

    X: tuple[Matrix, ...]
    known: tuple[Array, ...]  # True for documents whose label is given: their rows of V are kept
    V: tuple[Array, ...]  # at the start
    XV: tuple[Array, ...]  # X_d' V_d at the start; it never changes if all labels of the domain are given
    shares: tuple[Array | None, ...]  # class proportions of the documents without a label, if they have to be matched

    def words_by_class(self, V: Sequence[Array]) -> tuple[Array, ...]:
        """X_d' V_d of every domain, words x classes: one product per domain that has documents without a label."""
        return tuple(
            XVd if known.all() else thin_product(Xd.T, Vd)
            for Xd, Vd, known, XVd in zip(self.X, V, self.known, self.XV, strict=True)
        )

    def update_unknown(self, V: Sequence[Array], update: Callable[[int], Array]) -> tuple[Array, ...]:
        """V with the rows of documents without a label replaced by those of `update(d)`."""
        return tuple(
            Vd if known.all() else np.where(known[:, None], Vd, update(d))
            for d, (Vd, known) in enumerate(zip(V, self.known, strict=True))
        )

    def balanced(self, Vd: Array, d: int) -> Array:
        """V_d with the rows of documents without a label matched to the class proportions of the domain, if given."""
        shares, unknown = self.shares[d], ~self.known[d]
        if shares is None:
            return Vd
        Vd = normalize_rows_l1(Vd)
        Vd[unknown] = match_proportions(Vd[unknown], shares, tol=1e-4)
        return Vd


def factorization_problem(
    X: Sequence[Matrix], known: Sequence[Array], V: Sequence[Array], shares: Sequence[Array | None] | None = None
) -> FactorizationProblem:
    """The problem for data X, starting labels V, and the class proportions that the labels of each domain match."""
    XV = tuple(thin_product(Xd.T, Vd) for Xd, Vd in zip(X, V, strict=True))
    return FactorizationProblem(tuple(X), tuple(known), tuple(V), XV, tuple(shares or [None] * len(V)))


def problem_of_domains(
    domains: Domains, X: Sequence[Matrix] | None = None, C: float | str = START_C
) -> FactorizationProblem:
    """The problem that starts from logistic regression with C; `X` replaces the data of the domains, if given."""
    return factorization_problem(domains.X if X is None else X, domains.known, start_labels(domains, C), domains.shares)


def solve_trifactorization(
    p: FactorizationProblem,
    start: Callable[[FactorizationProblem], Factors],
    step: Callable[[Factors, FactorizationProblem], Factors],
    objective: Callable[[Factors, FactorizationProblem], float],
    *,
    n_init: int,
    max_iter: int,
    tol: float,
) -> Solution:
    """Repeat `step` from each of `n_init` starts; the solution with the lowest objective."""
    return restart(
        lambda f: step(f, p),
        lambda f: objective(f, p),
        lambda: start(p),
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )


def update_documents(
    V: Sequence[Array], p: FactorizationProblem, B: Sequence[Array], *, by: Update = scale, normalize: bool = True
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """V_d <- V_d * (X_d B_d) / (V_d B_d'B_d) for the documents without a label, and the new X_d' V_d."""
    # B_d = F_d H is words x classes. The data of a domain is visited once, or twice if V_d has to match class
    # proportions, which are those of all its documents.

    def update(Xd: Matrix, Vd: Array, Bd: Array, d: int) -> tuple[Array, Array]:
        if p.known[d].all():
            return Vd, p.XV[d]
        shared = (Bd, gram(Bd), by, normalize, p.shares[d] is None)
        new, sums = map_reduce(update_rows, Xd, Vd, p.known[d], shared=shared)
        if p.shares[d] is None:
            return new, sums[0]
        new = np.where(p.known[d][:, None], Vd, p.balanced(new, d))
        return new, Xd.T @ new

    new_V, new_XV = zip(*map(update, p.X, V, B, range(len(V))), strict=True)
    return new_V, new_XV


def update_rows(
    X: Matrix, V: Array, known: Array, B: Array, BtB: Array, by: Update, normalize: bool, with_sums: bool
) -> tuple[Array, tuple[Array, ...]]:
    """The update of some documents and, if asked for, their X'V."""
    new = by(V, thin_product(X, B), V @ BtB)
    new = normalize_rows_l1(new) if normalize else new
    if known.any():
        new = np.where(known[:, None], V, new)
    return new, (thin_product(X.T, new),) if with_sums else ()


def update_association(
    H: Array,
    F: Sequence[Array],
    XV: Sequence[Array],
    V: Sequence[Array],
    *,
    by: Update = scale,
    weights: Sequence[float] | None = None,
) -> Array:
    """H <- H * (sum_d w_d F_d' X_d' V_d) / (sum_d w_d F_d'F_d H V_d'V_d), with the weights w_d of the domains, or 1."""
    w = [1.0] * len(V) if weights is None else weights
    return by(
        H,
        np.sum([wd * (Fd.T @ XVd) for wd, Fd, XVd in zip(w, F, XV, strict=True)], axis=0),
        np.sum([wd * (Fd.T @ (Fd @ H) @ gram(Vd)) for wd, Fd, Vd in zip(w, F, V, strict=True)], axis=0),
    )


def normalize_columns_if(enabled: bool, A: Array) -> Array:
    """A with columns that sum to one if `enabled`, in the memory of A; otherwise A unchanged."""
    # Only for the result of an update, which is a new array.
    return normalize_columns_l1(A, out=A) if enabled else A


def random_factor(rng: np.random.Generator, rows: int, columns: int, dtype: Any) -> Array:
    """Positive random entries, the same numbers in both precisions."""
    return (1e-3 + rng.random((rows, columns))).astype(dtype)


def even_association(n_topics: int, n_classes: int, dtype: Any) -> Array:
    """The start of H (topics x classes): the same value everywhere, the mean of `random_factor`."""
    # All classes are treated alike, so the predictions do not depend on the names of the classes. The random words of
    # the topics and the first update of H make its columns different. In the update before that, which is of V, B = F H
    # has equal columns, so the labels of logistic regression do not change.
    return np.full((n_topics, n_classes), 0.5, dtype=dtype)


def fold_in(X: Matrix, B: Array, *, n_iter: int = 100) -> Array:
    """Rows V >= 0, V 1 = 1, with X' ~ B V' and B = F H (words x classes) fixed: `n_iter` updates of V."""
    XB, BtB = X @ B, gram(B)
    V: Array = np.full_like(XB, 1.0 / B.shape[1])
    for _ in range(n_iter):
        V = normalize_rows_l1(scale(V, XB, V @ BtB))
    return V


class TriFactorization(TransductiveClassifier):
    """Base class of the estimators in this family."""

    n_topics: int  # not in all of them
    non_negative: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Rules] = {"n_topics": count()}

    @abstractmethod
    def _class_profiles(self, d: int) -> Array:
        """B = F_d H, words x classes: the document of each class that the model expects in domain d."""

    def _document_factors(self) -> tuple[Array, ...]:
        """V, documents x classes per domain."""
        V: tuple[Array, ...] = self.state_.V
        return V

    def _check_domains(self, domains: Domains) -> None:
        check_n_topics(self.n_topics, domains.n_words)

    def _fold_in(self, X: Matrix, d: int) -> Array:
        return fold_in(X, self._class_profiles(d))

    def _scores(self, domains: Domains) -> list[Array]:
        return [V for V, domain in zip(self._document_factors(), domains, strict=True) if domain.is_target]


def check_n_topics(n_topics: int, n_words: int, name: str = "n_topics") -> None:
    """Raise a ValueError if there are more topics than words."""
    if n_topics > n_words:
        raise ValueError(
            f"{name} must be at most n_features={n_words}; got {n_topics}. Lower it or keep more words with min_df."
        )
