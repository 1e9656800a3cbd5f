"""The squared hinge in the primal: a linear support vector machine with a cost for every document, smooth on a graph.

    minimise  J(w, b) = 1/2 |w|^2 + sum_i c_i max(0, 1 - y_i f_i)^2 + 1/2 f'L f,      f = X w + b 1                  (1)

    X  documents x words     y  +1 or -1 of every document     c  cost of every document, 0 where y is not known
    L  documents x documents, sparse, symmetric and positive semi-definite; without entries for a plain machine

J is convex and once differentiable; its gradient is linear but where a document enters or leaves the margin, so
scipy's trust-region Newton method ends in a few steps, and in fewer still from the solution of a problem like it. The
Hessian is never formed: a product with it is one with X, one with L and one with X'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from ..linalg.matrix import Array, Matrix, squared_norm
from ..linalg.normalize import scale_rows
from .linear import LinearModel

TOLERANCE = 1e-5  # of the gradient's length, as a share of its length at w = 0, b = 0
FLAT = 0.01  # that length is no less than this share of all costs: below it the steps would drown in rounding
MAX_NEWTON = 1000


class Machine(NamedTuple):
    """The data of (1)."""

    X: Matrix
    y: Array
    cost: Array
    L: sp.csr_array


class Optimum(NamedTuple):
    point: Array  # w, then b
    value: float
    n_iter: int
    converged: bool


def no_graph(n_docs: int) -> sp.csr_array:
    """An L without entries."""
    return sp.csr_array((n_docs, n_docs))


def decisions(X: Matrix, point: Array) -> Array:
    """f."""
    return np.asarray(X @ point[:-1] + point[-1])


def slacks(f: Array, y: Array) -> Array:
    """How far every document is from its side of the margin."""
    return np.maximum(0.0, 1.0 - y * f)


def value_and_gradient(point: Array, f: Array, m: Machine) -> tuple[float, Array]:
    """J and its derivatives by w and b, for f = decisions(X, point)."""
    w, slack, Lf = point[:-1], slacks(f, m.y), m.L @ f
    value = 0.5 * (w @ w) + m.cost @ slack**2 + 0.5 * (f @ Lf)
    return float(value), _pull_back(w, Lf - 2 * m.cost * m.y * slack, m.X)


def curvature(direction: Array, f: Array, m: Machine) -> Array:
    """The Hessian of J times a direction; at the edge of the margin, that of the side beyond it."""
    change = decisions(m.X, direction)
    return _pull_back(direction[:-1], 2 * m.cost * (m.y * f < 1) * change + m.L @ change, m.X)


def minimise(m: Machine, start: Array | None = None) -> Optimum:
    """The point where (1) is smallest, found from `start`."""
    nowhere = np.zeros(m.X.shape[1] + 1)
    start = nowhere if start is None else start
    steepest = float(np.linalg.norm(value_and_gradient(nowhere, np.zeros(len(m.y)), m)[1]))
    steepest = max(steepest, FLAT * float(m.cost.sum()))
    last: list[Array] = [start, decisions(m.X, start)]  # a point is asked for its value and then for many curvatures

    def f_at(point: Array) -> Array:
        if not np.array_equal(point, last[0]):
            last[:] = point.copy(), decisions(m.X, point)
        return last[1]

    found: Any = minimize(
        lambda point: value_and_gradient(point, f_at(point), m),
        start,
        jac=True,
        hessp=lambda point, direction: curvature(direction, f_at(point), m),
        method="trust-ncg",
        options={
            "gtol": TOLERANCE * steepest,
            "maxiter": MAX_NEWTON,
            "initial_trust_radius": 10.0,
            "max_trust_radius": 1e6,
        },
    )
    return Optimum(found.x, float(found.fun), max(1, int(found.nit)), bool(found.success))


def unit_scale(X: Matrix) -> tuple[Any, float]:
    """X in double precision, divided so that its rows are of length one in the mean square; and the divisor.

    A cost then means the same for tf-idf and for counts, and the optimiser meets lengths of one kind.
    """
    double = X.astype(np.float64)  # type: ignore[attr-defined]
    length = float(np.sqrt(squared_norm(double) / X.shape[0])) or 1.0
    return scale_rows(double, np.full(X.shape[0], 1.0 / length)), length


def sides(n_classes: int) -> range:
    """The classes that a machine sets against the rest: the second of two, or every one of more."""
    return range(1, 2) if n_classes == 2 else range(n_classes)


def linear_model(points: Sequence[Array], length: float, dtype: Any) -> LinearModel:
    """The machines of `sides` as one model of the documents as they were before `unit_scale`."""
    P = np.array(points)
    return LinearModel((P[:, :-1] / length).astype(dtype), P[:, -1].astype(dtype))


def _pull_back(w: Array, by_document: Array, X: Matrix) -> Array:
    """w + X'r and 1'r, the derivatives by w and b of a function whose derivatives by f are r."""
    return np.append(w + X.T @ by_document, by_document.sum())
