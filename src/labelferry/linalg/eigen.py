"""Eigenvectors: the only file that calls an eigensolver. It fixes order and signs, and checks convergence."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, lobpcg

from .matrix import Array

_DENSE_BELOW = 200  # nodes; below it a dense decomposition is cheaper than the first Krylov space
_MANY_NODES = 50_000  # from here on the first Krylov space is smaller: 40 vectors would need more memory than the data
_TOL = 1e-6  # of ARPACK and LOBPCG
_MAX_RESIDUAL = 1e-4  # as a fraction of the largest eigenvalue, or of 1; above it there is a warning


class ConvergenceWarning(UserWarning):
    """The eigenvectors do not have the required precision."""


class Eigen(NamedTuple):
    """Eigenpairs in ascending order of the values; in every vector the entry of largest magnitude is positive."""

    values: Array
    vectors: Array  # nodes x k
    residuals: Array  # |A v - value v| of each pair

    @property
    def converged(self) -> bool:
        """Whether all residuals are small."""
        return bool(self.residuals.max(initial=0.0) <= _MAX_RESIDUAL * max(1.0, np.abs(self.values).max(initial=0.0)))


def smallest(A: LinearOperator, k: int, *, rng: np.random.Generator) -> Eigen:
    """The k smallest eigenpairs of a symmetric operator, k <= number of nodes."""
    return _solve(A, k, "SA", rng)


def largest(A: LinearOperator, k: int, *, rng: np.random.Generator) -> Eigen:
    """The k largest eigenpairs of a symmetric operator, in ascending order too."""
    return _solve(A, k, "LA", rng)


def largest_ratio(A: Any, B: Any, k: int, *, rng: np.random.Generator) -> Eigen:
    """The k largest y'Ay / y'By, ascending, and their y with y'By = 1."""
    # A has `A @ Y`, B is positive definite and has `B @ Y` and `B.solve(Y)`.
    n = len(A.degree)
    if n <= _DENSE_BELOW or k > n // 3:
        one = np.eye(n)
        dense, weight = np.asarray(A @ one), np.asarray(B @ one)
        values, vectors = eigh((dense + dense.T) / 2, (weight + weight.T) / 2, subset_by_index=[n - k, n - 1])
    else:
        operators = [
            LinearOperator((n, n), matvec=lambda y, f=f: f(y.reshape(n, 1)).ravel(), dtype=np.float64)
            for f in (A.__matmul__, B.__matmul__, B.solve)
        ]
        weight, inverse = operators[1:]
        values, vectors = eigsh(operators[0], k, M=weight, Minv=inverse, which="LA", tol=_TOL, v0=rng.random(n))
        order = np.argsort(values, kind="stable")
        values, vectors = values[order], vectors[:, order]
    vectors = fix_signs(vectors)
    return Eigen(values, vectors, np.linalg.norm(B.solve(A @ vectors) - vectors * values, axis=0))


def leading_left(M: Array, k: int) -> tuple[Array, Array]:
    """The k largest singular values of a thin matrix, descending, and its left singular vectors with fixed signs."""
    left, values, _ = np.linalg.svd(M, full_matrices=False)
    return values[:k], fix_signs(left[:, :k])


def fix_signs(vectors: Array) -> Array:
    """Each column times 1 or -1, so that its entry of largest magnitude (the first of equals) is positive."""
    rounded = np.abs(vectors).round(6)  # values that differ by rounding only are equal
    top = vectors[rounded.argmax(axis=0), np.arange(vectors.shape[1])]
    signs: Array = np.where(top < 0, -1, 1).astype(vectors.dtype)
    return vectors * signs


def _solve(A: LinearOperator, k: int, which: str, rng: np.random.Generator) -> Eigen:
    n = A.shape[0]
    if n <= _DENSE_BELOW or k > n // 3:
        dense = np.asarray(A @ np.eye(n, dtype=A.dtype))
        first = 0 if which == "SA" else n - k
        values, vectors = eigh((dense + dense.T) / 2, subset_by_index=[first, first + k - 1])
    else:
        values, vectors = _arpack(A, k, which, rng)
    order = np.argsort(values, kind="stable")
    values, vectors = values[order], fix_signs(vectors[:, order])
    eigenpairs = Eigen(values, vectors, np.linalg.norm(A @ vectors - vectors * values, axis=0))
    if not eigenpairs.converged:
        warnings.warn(
            "the eigenvectors have not converged: the largest residual |A v - value v| is "
            f"{eigenpairs.residuals.max():.2g}. Labels that depend on them may be wrong: compute fewer eigenvectors, "
            "raise degree_regularization, or drop near-duplicate documents.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return eigenpairs


def _arpack(A: LinearOperator, k: int, which: str, rng: np.random.Generator) -> tuple[Array, Array]:
    n = A.shape[0]
    settings: dict[str, Any] = {"which": which, "v0": rng.random(n)}
    first = 40 if n < _MANY_NODES else 20
    # A larger Krylov space nearly always converges if a small one has not.
    for ncv, maxiter in ((max(first, 2 * k + 1), 10 * n), (max(120, 6 * k), 20 * n)):
        try:
            values, vectors = eigsh(A, k, tol=_TOL, ncv=min(n - 1, ncv), maxiter=maxiter, **settings)
            return values, vectors
        except ArpackNoConvergence as stopped:
            converged = stopped.eigenvectors
    # Start from the converged vectors and random ones; the caller reports the residuals.
    start = np.hstack([converged, rng.standard_normal((n, k - converged.shape[1]))]).astype(A.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values, vectors = lobpcg(A, start, largest=which == "LA", tol=_TOL, maxiter=200)[:2]
    return values, vectors
