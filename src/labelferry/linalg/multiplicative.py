"""Multiplicative updates: the operations of every non-negative factorization of this library.

An update `A <- A * numerator / denominator` keeps A non-negative and lowers a least-squares objective (Lee and Seung
2000); with the square root of the ratio it also lowers one with quadratic side terms (Ding et al. 2006).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable

import numpy as np

from .matrix import Array, Matrix, squared_norm

_BLOCK_ENTRIES = 32_768
_PART_ROWS = 16_384


def ratio(numerator: Array, denominator: Array) -> Array:
    """numerator / denominator, with 0 / 0 = 0."""
    # The smallest normal number keeps 0 / 0 at 0 and changes no other quotient.
    quotient: Array = denominator + np.finfo(denominator.dtype).tiny
    return np.divide(numerator, quotient, out=quotient)


def scale(A: Array, numerator: Array, denominator: Array) -> Array:
    """A * numerator / denominator, with 0 / 0 = 0."""
    factor = ratio(numerator, denominator)
    return np.multiply(factor, A, out=factor)


def root_scale(A: Array, numerator: Array, denominator: Array) -> Array:
    """A * sqrt(numerator / denominator), with 0 / 0 = 0."""
    factor = ratio(numerator, denominator)
    np.sqrt(factor, out=factor)
    return np.multiply(factor, A, out=factor)


def update_tall(A: Array, N: Array, D: Array, H: Array, *, normalize: bool) -> tuple[Array, Array]:
    """A * (N H') / (D H') with 0 / 0 = 0, and its product with H.

    `normalize`: whether the columns of the result are divided by their sum; a column of zeros stays zero.
    Returns the updated factor. Its columns, not its rows, are contiguous: this halves the time, since numpy is slow
    with rows of few entries.
    """
    new, product = np.empty_like(A.T, order="C"), np.empty_like(N.T, order="C")
    tiny = np.finfo(A.dtype).tiny  # the smallest normal number keeps 0 / 0 at 0 and changes no other quotient

    def update(rows: slice) -> Array:
        part, denominator = new[:, rows], H @ D[rows].T
        denominator += tiny
        np.divide(H @ N[rows].T, denominator, out=denominator)
        np.multiply(denominator, A[rows].T, out=part)
        return part @ np.ones(part.shape[1], dtype=A.dtype)

    parts = equal_parts(len(A))
    total = add_up([update(rows) for rows in parts])
    factor = np.divide(1, total, out=np.ones_like(total), where=total > 0)[:, None]

    for rows in parts:
        if normalize:
            new[:, rows] *= factor
        np.matmul(H.T, new[:, rows], out=product[:, rows])
    return new.T, product.T


def tall_product(A: Array, B: Array) -> Array:
    """A B for a tall A and a small B, with contiguous columns, in which `update_tall` is fast."""
    product: Array = (B.T @ A.T).T
    return product


def tall_sums(A: Array, *others: Array) -> list[Array]:
    """A'B for a tall A and each of the other tall arrays B, with A read once."""
    parts = [[A[rows].T @ B[rows] for B in others] for rows in equal_parts(len(A))]
    return [add_up(products) for products in zip(*parts, strict=True)]


def equal_parts(n_rows: int) -> list[slice]:
    """Rows in parts of about the same size, which fit the cache."""
    ends = np.linspace(0, n_rows, max(1, math.ceil(n_rows / _PART_ROWS)) + 1).astype(int).tolist()
    return [slice(*pair) for pair in itertools.pairwise(ends)]


def by_rows(update: Callable[..., Array], A: Array, *others: Array) -> Array:
    """`update(A, *others)`, block by block, for an update that treats each row separately.

    The arrays of a tall factor do not fit the cache; the temporaries of one block do, which halves the time.
    """
    new = np.empty_like(A)
    height = max(1, _BLOCK_ENTRIES // A.shape[1])
    for first in range(0, len(A), height):
        rows = slice(first, first + height)
        new[rows] = update(A[rows], *(B[rows] for B in others))
    return new


def normalize_rows_l1(A: Array) -> Array:
    """Rows divided by their sum; a row of zeros becomes uniform."""
    total = A.sum(axis=1, keepdims=True)
    uniform: Array = np.full_like(A, 1.0 / A.shape[1])
    rows: Array = np.divide(A, total, out=uniform, where=total > 0)
    return rows


def normalize_columns_l1(A: Array, out: Array | None = None) -> Array:
    """Columns divided by their sum; a column of zeros stays zero. `out` as in numpy."""
    total = np.ones(len(A), dtype=A.dtype) @ A  # a product is faster than a sum along the short axis
    return np.divide(A, np.where(total > 0, total, 1), out=out)


def gram(A: Array) -> Array:
    """A'A."""
    return A.T @ A


def sq_residual(X: Matrix, B: Array, V: Array, XtV: Array | None = None) -> float:
    """||X' - B V'||^2 = ||X||^2 - 2 <X'V, B> + <B'B, V'V>, without forming B V'.

    X'V may be passed if it is known: it is the only product with the data.
    """
    XtV = X.T @ V if XtV is None else XtV
    return squared_norm(X) - 2.0 * float(np.vdot(XtV, B)) + float(np.vdot(gram(B), gram(V)))


def add_up(arrays: Iterable[Array]) -> Array:
    """The sum of arrays of one shape, with at most one of them in memory besides the sum."""
    remaining = iter(arrays)
    total = next(remaining).copy(order="K")  # columns stay contiguous
    for A in remaining:
        total += A
    return total
