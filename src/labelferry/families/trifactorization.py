"""What all non-negative tri-factorisations X_d' ~ F_d H V_d' have in common.

    X_d  documents x words     F_d  words x topics     H  topics x classes     V_d  documents x classes

The labels are rows of V that never change; a new document is a new row of V. The products with the data have as many
columns as there are classes, never as many as there are topics: X_d' V_d comes first, then times H'.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.params import CLASS_PRIOR, SEED, Rules, at_least, count
from ..core.proportions import match_proportions
from ..linalg.matrix import Array, Matrix
from ..linalg.multiplicative import gram, normalize_columns_l1, normalize_rows_l1, scale

Update: TypeAlias = Callable[[Array, Array, Array], Array]  # (A, numerator, denominator): `scale` or `root_scale`
Normalize: TypeAlias = Callable[[Array], Array]


class Problem(NamedTuple):
    """The data of a tri-factorisation, one entry a domain."""

    X: tuple[Matrix, ...]
    known: tuple[Array, ...]  # documents whose label is given: their rows of V are kept
    fixed: tuple[Array | None, ...]  # X_d' V_d where every label is given, so computed once
    last: dict[
        str, Any
    ]  # the last V that was asked for and its X' V: the end of a step and the start of the next agree
    shares: tuple[Array | None, ...]  # of the classes among the documents without a label, where they are given

    def words_by_class(self, V: tuple[Array, ...]) -> list[Array]:
        """X_d' V_d for every domain: words x classes."""
        if self.last.get("V") is not V:
            XV = [Xd.T @ Vd if XVd is None else XVd for Xd, Vd, XVd in zip(self.X, V, self.fixed, strict=True)]
            self.last.update(V=V, XV=XV)
        return list(self.last["XV"])

    def update_unknown(self, V: Sequence[Array], update: Callable[[int], Array]) -> tuple[Array, ...]:
        """V with the rows of documents without a label replaced by those of `update(d)`."""
        return tuple(
            Vd if XVd is not None else np.where(known[:, None], Vd, update(d))
            for d, (Vd, known, XVd) in enumerate(zip(V, self.known, self.fixed, strict=True))
        )

    def balanced(self, Vd: Array, d: int) -> Array:
        """V_d with the rows of documents without a label matched to the shares of the domain, where these are given."""
        shares, unknown = self.shares[d], ~self.known[d]
        if shares is None:
            return Vd
        Vd = normalize_rows_l1(Vd)
        Vd[unknown] = match_proportions(Vd[unknown], shares, tol=1e-4)
        return Vd


def pose(
    X: Sequence[Matrix], known: Sequence[Array], V: Sequence[Array], shares: Sequence[Array | None] | None = None
) -> Problem:
    """The problem for data X and starting labels V, and the shares that the labels of each domain have to keep to."""
    fixed = (Xd.T @ Vd if k.all() else None for Xd, Vd, k in zip(X, V, known, strict=True))
    return Problem(tuple(X), tuple(known), tuple(fixed), {}, tuple(shares or [None] * len(V)))


def update_documents(
    V: Sequence[Array], p: Problem, B: Sequence[Array], *, by: Update = scale, to_one: Normalize = normalize_rows_l1
) -> tuple[Array, ...]:
    """V_d <- V_d * (X_d B_d) / (V_d B_d'B_d) for the documents without a label; B_d = F_d H, words x classes."""
    return p.update_unknown(V, lambda d: p.balanced(to_one(by(V[d], p.X[d] @ B[d], V[d] @ gram(B[d]))), d))


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


def normalizers(when: str) -> tuple[Normalize, Normalize]:
    """What is done to the columns of a word factor and to the rows of V right after their update, if anything."""
    return (_columns_in_place, normalize_rows_l1) if when == "update" else (np.asarray, np.asarray)


def _columns_in_place(A: Array) -> Array:
    return normalize_columns_l1(A, out=A)  # an update gives a new array, which no one else has


def random_factor(rng: np.random.Generator, rows: int, columns: int, dtype: Any) -> Array:
    """Positive random entries, the same numbers in either precision."""
    return (1e-3 + rng.random((rows, columns))).astype(dtype)


def fold_in(X: Matrix, B: Array, *, n_iter: int = 100) -> Array:
    """Rows V >= 0, V 1 = 1, with X' ~ B V' and B = F H (words x classes) given: the update of V, till it rests."""
    XB, BtB = X @ B, gram(B)
    V = np.full_like(XB, 1.0 / B.shape[1])
    for _ in range(n_iter):
        V = normalize_rows_l1(scale(V, XB, V @ BtB))
    return V


class TriFactorization(TransductiveClassifier):
    """Shell of the estimators in this family. `state_` has a field V, one array a domain."""

    non_negative: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Rules] = {
        "n_topics": count(),
        "max_iter": count(),
        "tol": at_least(0),
        "n_init": count(),
        "class_prior": CLASS_PRIOR,
        "random_state": SEED,
    }

    @abstractmethod
    def _class_profiles(self, d: int) -> Array:
        """B = F_d H, words x classes: the document of each class that domain d would expect."""

    def _fold_in(self, X: Matrix, d: int) -> Array:
        return fold_in(X, self._class_profiles(d))

    def _scores(self, domains: Domains) -> list[Array]:
        return [V for V, domain in zip(self.state_.V, domains, strict=True) if domain.is_target]


def check_n_topics(n_topics: int, n_words: int, name: str = "n_topics") -> None:
    if n_topics > n_words:
        raise ValueError(
            f"{name} must be at most n_features={n_words}; got {n_topics}. Lower it or keep more words with min_df."
        )
