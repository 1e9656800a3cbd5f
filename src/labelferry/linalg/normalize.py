"""Scaling a matrix: each row to unit length, or the whole to unit norm."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .matrix import Array, Matrix, is_blocked, map_reduce, squared_norm, with_data


def row_norms(X: Any) -> Array:
    """Euclidean length of each row."""
    if is_blocked(X):
        return np.asarray(X.of_rows(row_norms))
    if sp.issparse(X):
        return np.asarray(np.sqrt(with_data(X, X.data**2) @ np.ones(X.shape[1], dtype=X.dtype)))
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", X, X)))


def scale_rows(X: Any, factor: Array) -> Any:
    """diag(factor) X, in the precision of X."""
    factor = np.asarray(factor, dtype=X.dtype)
    if is_blocked(X):
        return X.scale_rows(factor)
    if sp.issparse(X) and X.format == "csr":
        return with_data(X, X.data * np.repeat(factor, np.diff(X.indptr)))
    if sp.issparse(X):
        return sp.csr_array(sp.diags_array(factor) @ X)
    return np.asarray(X) * factor[:, None]


def scale_columns(X: Any, factor: Array) -> Any:
    """X diag(factor), in the precision of X."""
    factor = np.asarray(factor, dtype=X.dtype)
    if is_blocked(X):
        return X.scale_columns(factor)
    if sp.issparse(X) and X.format == "csr":
        return with_data(X, X.data * factor[X.indices])
    if sp.issparse(X):
        return sp.csr_array(X @ sp.diags_array(factor))
    return np.asarray(X) * factor


def normalize_rows_l2(X: Matrix) -> Any:
    """Rows divided by their length; rows of zeros stay zero."""
    length = row_norms(X)
    return scale_rows(X, np.divide(1.0, length, out=np.zeros_like(length), where=length > 0))


def unit_projections(X: Matrix, axes: Array) -> Array:
    """The rows of X projected on the axes, at unit length, in single precision; axes x columns are given."""
    Z: Array = map_reduce(_unit_projections, X, shared=(axes,))[0]
    return Z


def _unit_projections(X: Matrix, axes: Array) -> tuple[Array, tuple[()]]:
    return normalize_rows_l2(np.asarray(X @ axes.T, dtype=np.float32)), ()


def unit_norm(X: Matrix) -> Any:
    """X divided by its Frobenius norm; a zero matrix stays zero."""
    norm = np.sqrt(squared_norm(X))
    return scale_rows(X, np.full(X.shape[0], 1.0 / norm if norm > 0 else 0.0))


def unit_total(X: Any) -> Any:
    """X divided by the sum of its entries; a zero matrix stays zero."""
    total = float(X.sum())
    return scale_rows(X, np.full(X.shape[0], 1.0 / total if total > 0 else 0.0))
