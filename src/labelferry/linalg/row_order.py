"""An order of the rows of a matrix that depends on their content only."""

from __future__ import annotations

import numpy as np

from .matrix import Array, Matrix


def content_order(X: Matrix) -> Array:
    """The rows of X sorted by content: `X[content_order(X)]` is the same matrix for any order of the rows of X.

    A method that draws documents at random, or random numbers per document, works on the sorted matrix, so that the
    order in which the documents are given has no effect. The key of a row is its product with a fixed random vector;
    equal keys belong to equal rows, up to rounding.

    Parameters
    ----------
    X : matrix of shape (n_rows, n_columns)
        The rows to sort.

    Returns
    -------
    order : array of int, shape (n_rows,)
        The row numbers in sorted order.
    """
    keys = np.asarray(X @ np.random.default_rng(0).random(X.shape[1]).astype(X.dtype)).ravel()
    return np.argsort(keys, kind="stable")
