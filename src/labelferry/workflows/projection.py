"""Two axes on which documents can be plotted: directions that separate the classes, or the domains."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..linalg.matrix import Array

AXES_OF_TWO = ("between the two classes", "between labelled and new documents")
AXES_OF_MORE = ("between the classes", "between the classes, second direction")


def axes(X: Any, codes: Array, is_target: Array) -> tuple[Array, tuple[str, str]]:
    """Choose two axes for a plot of documents.

    With two classes: the difference of their means, then that of the domains. With more: the two directions in which
    the means of the classes differ most.

    Parameters
    ----------
    X : matrix of shape (n_documents, n_words)
        The documents.
    codes : array of int, shape (n_documents,)
        Class per document.
    is_target : array of bool, shape (n_documents,)
        Whether a document belongs to the target.

    Returns
    -------
    directions : array of shape (n_words, 2)
        Orthonormal columns.
    names : tuple of str
        What each axis shows.
    """
    n_classes = int(codes.max()) + 1
    means = np.vstack([_mean(X, codes == c) for c in range(n_classes) if (codes == c).any()])
    if len(means) > 2:
        _, _, directions = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
        return _two_columns(directions.T), AXES_OF_MORE
    first = means[-1] - means[0] if len(means) == 2 else means[0]
    second = _mean(X, is_target) - _mean(X, ~is_target)
    q, r = np.linalg.qr(np.vstack([first, second]).T)
    return _two_columns(q * np.where(np.diag(r) < 0, -1, 1)), AXES_OF_TWO


def _two_columns(directions: Array) -> Array:
    """The first two columns; if there is only one word, a column of zeros is added."""
    return np.pad(directions[:, :2], ((0, 0), (0, max(0, 2 - directions.shape[1]))))


def _mean(X: Any, rows: Array) -> Array:
    weight = rows / max(rows.sum(), 1)
    return np.asarray(X.T @ weight).ravel()
