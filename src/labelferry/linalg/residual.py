"""How far a factorisation is from the data, without forming what it reconstructs."""

from __future__ import annotations

import numpy as np

from .matrix import Array, Matrix, squared_norm
from .multiplicative import gram


def sq_residual(X: Matrix, B: Array, V: Array) -> float:
    """||X' - B V'||^2 = ||X||^2 - 2 <X'V, B> + <B'B, V'V>, for one product with as many columns as V has."""
    return squared_norm(X) - 2.0 * float(np.vdot(X.T @ V, B)) + float(np.vdot(gram(B), gram(V)))
