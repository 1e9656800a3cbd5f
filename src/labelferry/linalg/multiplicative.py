"""Multiplicative updates: the words in which every non-negative factorisation of this library is written.

An update `A <- A * numerator / denominator` keeps A non-negative and lowers a least-squares objective (Lee and Seung
2000); with the square root of the ratio it also lowers one with quadratic side terms (Ding et al. 2006).
"""

from __future__ import annotations

import numpy as np

from .matrix import Array


def _ratio(numerator: Array, denominator: Array) -> Array:
    # The smallest normal number keeps 0 / 0 at 0 and changes no other quotient.
    return numerator / (denominator + np.finfo(denominator.dtype).tiny)


def scale(A: Array, numerator: Array, denominator: Array) -> Array:
    """A * numerator / denominator, with 0 / 0 = 0."""
    return A * _ratio(numerator, denominator)


def root_scale(A: Array, numerator: Array, denominator: Array) -> Array:
    """A * sqrt(numerator / denominator), with 0 / 0 = 0."""
    return A * np.sqrt(_ratio(numerator, denominator))


def rows_to_one(A: Array) -> Array:
    """Rows divided by their sum; a row of zeros becomes uniform, since nothing speaks for any column."""
    total = A.sum(axis=1, keepdims=True)
    uniform = np.full_like(A, 1.0 / A.shape[1])
    return np.divide(A, total, out=uniform, where=total > 0)


def columns_to_one(A: Array) -> Array:
    """Columns divided by their sum; a column of zeros stays zero."""
    total = A.sum(axis=0, keepdims=True)
    return np.divide(A, total, out=np.zeros_like(A), where=total > 0)


def gram(A: Array) -> Array:
    """A'A."""
    return A.T @ A
