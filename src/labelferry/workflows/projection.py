"""Two axes on which documents can be shown: what tells the classes apart, and what tells the domains apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..linalg.matrix import Array

AXES_OF_TWO = ("between the two classes", "between old and new")
AXES_OF_MORE = ("between the classes", "between the classes, another way")


def axes(X: Any, codes: Array, is_target: Array) -> tuple[Array, tuple[str, str]]:
    """words x 2, columns of unit length and at right angles; and what they are.

    With two classes: the difference of their means, then that of the domains. With more: the two directions in which
    their means differ most.
    """
    n_classes = int(codes.max()) + 1
    means = np.vstack([_mean(X, codes == c) for c in range(n_classes) if (codes == c).any()])
    if len(means) > 2:
        _, _, directions = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
        return _two(directions.T), AXES_OF_MORE
    first = means[-1] - means[0] if len(means) == 2 else means[0]
    second = _mean(X, is_target) - _mean(X, ~is_target)
    q, r = np.linalg.qr(np.vstack([first, second]).T)
    return _two(q * np.where(np.diag(r) < 0, -1, 1)), AXES_OF_TWO


def _two(directions: Array) -> Array:
    """Two columns, also where there is one word only."""
    return np.pad(directions[:, :2], ((0, 0), (0, max(0, 2 - directions.shape[1]))))


def _mean(X: Any, rows: Array) -> Array:
    weight = rows / max(rows.sum(), 1)
    return np.asarray(X.T @ weight).ravel()
