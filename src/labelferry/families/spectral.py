"""Documents as points in the space of a few eigenvectors, with a classifier: shared parts of spectral methods.

    U U'    must-link constraints, one block for the documents of one class in one domain
    x       documents x k, the coordinates: (D - W + beta U U' + lambda (D_t - W_t)) x = d D x
    rows    of x, scaled to unit length: the input of the classifier

A new document with the similarities w to all documents and w_t to those of the target has no row in x. It gets the row
that the eigenvector equation gives it if all other rows stay as they are:

    (w'1 (1 - d) + lambda w_t'1 - d) x_new = w'x + lambda w_t'x_t                                                    (E)

The last d on the left is the document's similarity to itself, 1, which is on both sides in a new fit. Since
w'x = z'(Z'x) + c 1'x, only a words x k matrix has to be stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import clone

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.labels import UNKNOWN
from ..linalg import eigen
from ..linalg.laplacian import MustLink, Similarity, cut_operator, inverse_root
from ..linalg.matrix import Array, Matrix, stack_rows
from ..linalg.normalize import normalize_rows_l2
from .linear import LinearModel, logistic

_MIN_DIVISOR = 0.05  # (E) divides by at least this fraction of the degree, so that coordinates do not become huge


class Nodes(NamedTuple):
    """The documents of all domains as nodes of one graph, sources first."""

    X: Matrix  # double precision: eigenvectors of stiff operators need it
    codes: Array  # class, or UNKNOWN
    blocks: Array  # number of the pair (domain, class), or UNKNOWN
    first_target: int

    @property
    def known(self) -> Array:
        """True for documents with a given label."""
        is_known: Array = self.codes != UNKNOWN
        return is_known


class Extension(NamedTuple):
    """The sums over documents that (E) needs for the coordinates of a new document."""

    values: Annotated[Array, "k"]  # eigenvalues d, ascending
    sums: Annotated[Array, "words x k+1"]  # Z'[x, 1]
    constant: Annotated[Array, "k+1"]  # c 1'[x, 1]

    def similarity_sums(self, X: Matrix) -> tuple[Array, Array]:
        """w'x and, as a column, w'1 of new documents."""
        both = normalize_rows_l2(X) @ self.sums + self.constant
        return both[:, :-1], both[:, -1:]

    def coordinates(self, X: Matrix) -> Array:
        """Coordinates of new documents by (E) with lambda = 0."""
        wx, degree = self.similarity_sums(X)
        return divide(wx, degree * (1 - self.values) - self.values, degree)


class ClassifierModel(NamedTuple):
    """A fitted classifier of scikit-learn, with the interface of `LinearModel`. It cannot be saved without pickle."""

    classifier: Any
    codes: Annotated[Array, "known < classes"]  # the class of each column of its probabilities
    n_classes: int

    def proba(self, X: Array) -> Array:
        """Probabilities, one column per class; 0 for classes that the classifier has not seen."""
        proba = np.zeros((len(X), self.n_classes), dtype=X.dtype)
        proba[:, self.codes] = self.classifier.predict_proba(X)
        return proba


class Spectrum(NamedTuple):
    """A fitted embedding and the classifier on its rows of unit length."""

    vectors: Annotated[Array, "documents x k"]  # of the documents, sources first
    extension: Extension  # over all documents
    target: Extension  # over the documents of the targets
    model: LinearModel | ClassifierModel
    target_cut: float = 0.0  # lambda


def nodes(domains: Domains) -> Nodes:
    """All documents of the domains, stacked."""
    codes = np.concatenate([d.codes for d in domains])
    domain = np.repeat(np.arange(len(domains.domains)), [len(d.codes) for d in domains])
    blocks = np.full(len(codes), UNKNOWN)
    known = codes != UNKNOWN
    blocks[known] = np.unique((domain * domains.n_classes + codes)[known], return_inverse=True)[1]
    first_target = sum(len(d.codes) for d in domains if not d.is_target)
    return Nodes(stack_rows(domains.X).astype(np.float64), codes, blocks, first_target)


def cut_eigenvectors(
    g: Nodes, *, n_eigenvectors: int, beta: float, lam: float, tau: float, rng: np.random.Generator
) -> tuple[Similarity, eigen.Eigen, Array]:
    """The similarity W, the smallest eigenpairs of D^-1/2 (D - W + beta U U' + lam (D_t - W_t)) D^-1/2, and x."""
    W = Similarity(g.X, tau)
    T = cut_operator(W, links=MustLink(g.blocks), link_weight=beta, first=g.first_target, block_weight=lam)
    # Linked documents have the same coordinates. With as many eigenvectors as points, all points are equally distant.
    n_points = len(np.unique(g.blocks[g.known])) + int((~g.known).sum())
    eigenpairs = eigen.smallest(T, max(1, min(n_eigenvectors, n_points - 1)), rng=rng)
    return W, eigenpairs, inverse_root(W.degree)[:, None] * eigenpairs.vectors


def used_columns(W: Similarity, x: Array) -> Array:
    """True for the columns of x with W x not 0: the others are noise of a W of low rank. At least one is True."""
    size = np.linalg.norm(W.degree[:, None] * x, axis=0)
    used: Array = np.linalg.norm(W @ x, axis=0) > 1e-6 * np.maximum(size, np.finfo(float).tiny)
    used[used.argmax()] = True  # if no document is similar to another, one column without meaning
    return used


def make_extension(W: Similarity, values: Array, x: Array, dtype: Any, first: int = 0) -> Extension:
    """The sums over the documents from `first` on."""
    with_ones = np.hstack([x, np.ones((len(x), 1))])[first:]
    sums, constant = W.Z[first:].T @ with_ones, W.constant * with_ones.sum(axis=0)
    return Extension(values.astype(dtype), sums.astype(dtype), constant.astype(dtype))


def train(X: Array, codes: Array, C: float, dtype: Any, classifier: Any = None) -> LinearModel | ClassifierModel:
    """A copy of the classifier, fitted; None is logistic regression with weights in precision `dtype`."""
    if classifier is not None:
        fitted = clone(classifier).fit(X, codes)
        return ClassifierModel(fitted, fitted.classes_, int(codes.max()) + 1)
    model = logistic(X, codes, C)
    return LinearModel(model.coef.astype(dtype), model.intercept.astype(dtype))


def make_spectrum(
    W: Similarity,
    g: Nodes,
    values: Array,
    x: Array,
    C: float,
    dtype: Any,
    *,
    classifier: Any = None,
    target_cut: float = 0.0,
) -> Spectrum:
    """The embedding and its classifier, trained on the labelled documents, in the precision of the data."""
    used = used_columns(W, x)
    values, x = values[used], x[:, used]
    return Spectrum(
        x.astype(dtype),
        make_extension(W, values, x, dtype),
        make_extension(W, values, x, dtype, g.first_target),
        train(normalize_rows_l2(x)[g.known], g.codes[g.known], C, dtype, classifier),
        float(target_cut),
    )


def extend(s: Spectrum, X: Matrix, target_cut: float = 0.0) -> Array:
    """Coordinates of new documents by (E); `target_cut` is lambda, 0 for documents of a source."""
    wx, degree = s.extension.similarity_sums(X)
    wx_t, degree_t = s.target.similarity_sums(X)
    values = s.extension.values
    left = degree * (1 - values) + target_cut * degree_t - values  # (E)
    return divide(wx + target_cut * wx_t, left, degree)


def divide(wx: Array, left: Array, degree: Array) -> Array:
    """wx / left, with |left| at least a small fraction of the degree; 0 for a document without similarities."""
    left = np.copysign(np.maximum(np.abs(left), _MIN_DIVISOR * np.abs(degree)), left)
    return np.divide(wx, left, out=np.zeros_like(wx), where=left != 0)


class SpectralClassifierBase(TransductiveClassifier):
    """Base class of the estimators whose state is a Spectrum."""

    State: ClassVar[type] = Spectrum
    ignores_scale = "rows"
    axes: ClassVar[Mapping[str, str]] = {}  # the features of the model are eigenvectors

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
        model: LinearModel | ClassifierModel = self.state_.model
        return model.proba(normalize_rows_l2(x))
