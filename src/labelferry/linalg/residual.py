"""How far a factorisation is from the data, without forming what it reconstructs."""

from __future__ import annotations

import numpy as np

from .matrix import Array, Matrix, squared_norm
from .multiplicative import gram


def sq_residual(X: Matrix, B: Array, V: Array, XtV: Array | None = None) -> float:
    """||X' - B V'||^2 = ||X||^2 - 2 <X'V, B> + <B'B, V'V>. X'V may be given: it is the one product with the data."""
    XtV = X.T @ V if XtV is None else XtV
    return squared_norm(X) - 2.0 * float(np.vdot(XtV, B)) + float(np.vdot(gram(B), gram(V)))
