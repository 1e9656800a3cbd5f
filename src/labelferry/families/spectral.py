"""Documents as points in the space of a few eigenvectors, and a linear classifier there: what spectral methods share.

    U U'    must-link constraints, one block for the documents of a class in a domain
    x       documents x k, the coordinates: (D - W + beta U U' + lambda (D_t - W_t)) x = d D x
    rows    of x, to unit length: what the classifier sees

A new document with the similarities w to all documents and w_t to those of the target has no row in x, but the row that
the eigenvector equation would give it, all other rows as they are:

    (w'1 (1 - d) + lambda w_t'1 - d) x_new = w'x + lambda w_t'x_t                                                    (E)

The last d on the left is the document's similarity to itself, 1, which a refit would see on both sides. Since
w'x = z'(Z'x) + c 1'x, a words x k matrix is all that has to be kept.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.labels import UNKNOWN
from ..linalg import eigen
from ..linalg.laplacian import MustLink, Similarity, cut_operator, inverse_root
from ..linalg.matrix import Array, Matrix, stack_rows
from ..linalg.normalize import normalize_rows_l2
from .linear import LinearModel, logistic

_SHALLOW = 0.05  # (E) divides by no less than this share of the degree: a document of few links is not blown up


class Nodes(NamedTuple):
    """The documents of all domains as nodes of one graph, sources first."""

    X: Matrix  # double precision: eigenvectors of stiff operators need it
    codes: Array  # class, or UNKNOWN
    blocks: Array  # class within the domain, numbered through all domains, or UNKNOWN
    first_target: int

    @property
    def known(self) -> Array:
        return self.codes != UNKNOWN


class Spectrum(NamedTuple):
    """A fitted embedding and the linear classifier on its rows of unit length."""

    values: Array  # k eigenvalues, ascending
    vectors: Array  # documents x k, sources first
    sums: Array  # words x (k + 1): Z'[x, 1]
    target_sums: Array  # the same over the documents of the targets
    constant: Array  # 2 x (k + 1): c 1'[x, 1], all documents and those of the targets
    coef: Array
    intercept: Array


def nodes(domains: Domains) -> Nodes:
    """All documents of the domains, stacked."""
    codes = np.concatenate([d.codes for d in domains])
    domain = np.repeat(np.arange(len(domains.domains)), [len(d.codes) for d in domains])
    blocks = np.full(len(codes), UNKNOWN)
    known = codes != UNKNOWN
    blocks[known] = np.unique((domain * domains.n_classes + codes)[known], return_inverse=True)[1]
    first_target = sum(len(d.codes) for d in domains if not d.is_target)
    return Nodes(stack_rows(domains.X).astype(np.float64), codes, blocks, first_target)


def cut(
    g: Nodes, *, n_eigenvectors: int, beta: float, lam: float, tau: float, rng: np.random.Generator
) -> tuple[Similarity, eigen.Eigen, Array]:
    """The similarity W, the smallest eigenpairs of D^-1/2 (D - W + beta U U' + lam (D_t - W_t)) D^-1/2, and x."""
    W = Similarity(g.X, tau)
    T = cut_operator(W, links=MustLink(g.blocks), link_weight=beta, first=g.first_target, block_weight=lam)
    # Linked documents fall on one point. With as many eigenvectors as points, all points are equally far apart.
    n_points = len(np.unique(g.blocks[g.known])) + int((~g.known).sum())
    found = eigen.smallest(T, max(1, min(n_eigenvectors, n_points - 1)), rng=rng)
    return W, found, inverse_root(W.degree)[:, None] * found.vectors


def reached(W: Similarity, x: Array) -> Array:
    """True for the coordinates that similarity reaches: W x is not 0. The others are noise of a W of low rank."""
    size = np.linalg.norm(W.degree[:, None] * x, axis=0)
    return np.linalg.norm(W @ x, axis=0) > 1e-6 * np.maximum(size, np.finfo(float).tiny)


def describe(W: Similarity, g: Nodes, values: Array, x: Array, C: float, dtype: Any) -> Spectrum:
    """The embedding with its classifier, trained on the labelled documents, in the precision of the data."""
    kept = reached(W, x)
    kept[kept.argmax()] = True  # where nothing is similar to anything, one column without a meaning
    values, x = values[kept], x[:, kept]
    model = logistic(normalize_rows_l2(x)[g.known], g.codes[g.known], C)
    first, with_ones = g.first_target, np.hstack([x, np.ones((len(x), 1))])
    parts = (
        values,
        x,
        W.Z.T @ with_ones,
        W.Z[first:].T @ with_ones[first:],
        W.constant * np.vstack([with_ones.sum(axis=0), with_ones[first:].sum(axis=0)]),
        *model,
    )
    return Spectrum(*(part.astype(dtype) for part in parts))


def similarities(s: Spectrum, X: Matrix, *, of_target: bool = False) -> tuple[Array, Array]:
    """w'x and, as a column, w'1 of new documents; with `of_target` over the documents of the targets alone."""
    sums, constant = (s.target_sums, s.constant[1]) if of_target else (s.sums, s.constant[0])
    both = normalize_rows_l2(X) @ sums + constant
    return both[:, :-1], both[:, -1:]


def extend(s: Spectrum, X: Matrix, target_cut: float = 0.0) -> Array:
    """Coordinates of new documents by (E); `target_cut` is lambda, 0 for documents of a source."""
    wx, degree = similarities(s, X)
    wx_t, degree_t = similarities(s, X, of_target=True)
    left = degree * (1 - s.values) + target_cut * degree_t - s.values  # (E)
    return divide(wx + target_cut * wx_t, left, degree)


def divide(wx: Array, left: Array, degree: Array) -> Array:
    """wx / left, |left| being no less than a small share of the degree; 0 for a document without similarities."""
    left = np.copysign(np.maximum(np.abs(left), _SHALLOW * np.abs(degree)), left)
    return np.divide(wx, left, out=np.zeros_like(wx), where=left != 0)


class SpectralShell(TransductiveClassifier):
    """Shell of the estimators whose state is a Spectrum."""

    State: ClassVar[type] = Spectrum

    def _extend(self, X: Matrix, d: int) -> Array:
        """Coordinates of new documents of the d-th domain."""
        return extend(self.state_, X)

    def _fold_in(self, X: Matrix, d: int) -> Array:
        return self._classify(self._extend(X, d))

    def _scores(self, domains: Domains) -> list[Array]:
        ends = np.cumsum([len(d.codes) for d in domains])[:-1]
        parts = np.split(self.state_.vectors, ends)
        return [self._classify(x) for x, d in zip(parts, domains, strict=True) if d.is_target]

    def _classify(self, x: Array) -> Array:
        return LinearModel(self.state_.coef, self.state_.intercept).proba(normalize_rows_l2(x))
