"""The squared hinge loss in the primal: a linear support vector machine with a cost per document, smooth on a graph.

    minimize  J(w, b) = 1/2 |w|^2 + sum_i c_i max(0, 1 - y_i f_i)^2 + 1/2 f'L f,      f = X w + b 1                  (1)

    X  documents x words     y  +1 or -1 per document     c  cost per document, 0 if y is not known
    L  documents x documents, sparse, symmetric and positive semi-definite; without entries for a plain machine

J is convex and once differentiable. Its gradient is linear except if a document enters or leaves the margin, so
scipy's trust-region Newton method needs a few steps, and fewer from the solution of a similar problem. The Hessian is
never formed: a product with it is one product with X, one with L and one with X'.
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

TOLERANCE = 1e-5  # of the norm of the gradient, as a fraction of its norm at w = 0, b = 0
MIN_NORM = 0.01  # lower bound of that norm, as a fraction of the sum of the costs: below it rounding errors dominate
MAX_NEWTON = 1000


class Machine(NamedTuple):
    """The data of (1)."""

    X: Matrix
    y: Array
    cost: Array
    L: sp.csr_array


class Optimum(NamedTuple):
    """The minimum of (1), and how the solver ended."""

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
    """max(0, 1 - y f), the slack of each document."""
    return np.maximum(0.0, 1.0 - y * f)


def value_and_gradient(point: Array, f: Array, m: Machine) -> tuple[float, Array]:
    """J and its derivatives by w and b, for f = decisions(X, point)."""
    w, slack, Lf = point[:-1], slacks(f, m.y), m.L @ f
    value = 0.5 * (w @ w) + m.cost @ slack**2 + 0.5 * (f @ Lf)
    return float(value), _gradient(w, Lf - 2 * m.cost * m.y * slack, m.X)


def hessian_product(direction: Array, f: Array, m: Machine) -> Array:
    """The Hessian of J times a direction; at the edge of the margin, the one of the side beyond it."""
    change = decisions(m.X, direction)
    return _gradient(direction[:-1], 2 * m.cost * (m.y * f < 1) * change + m.L @ change, m.X)


def fit_machine(m: Machine, start: Array | None = None) -> Optimum:
    """The minimum of (1), from `start` or from w = 0, b = 0."""
    origin = np.zeros(m.X.shape[1] + 1)
    start = origin if start is None else start
    norm = float(np.linalg.norm(value_and_gradient(origin, np.zeros(len(m.y)), m)[1]))
    norm = max(norm, MIN_NORM * float(m.cost.sum()))
    last: list[Array] = [start, decisions(m.X, start)]  # scipy needs one value and many Hessian products per point

    def f_at(point: Array) -> Array:
        if not np.array_equal(point, last[0]):
            last[:] = point.copy(), decisions(m.X, point)
        return last[1]

    result: Any = minimize(
        lambda point: value_and_gradient(point, f_at(point), m),
        start,
        jac=True,
        hessp=lambda point, direction: hessian_product(direction, f_at(point), m),
        method="trust-ncg",
        options={
            "gtol": TOLERANCE * norm,
            "maxiter": MAX_NEWTON,
            "initial_trust_radius": 10.0,
            "max_trust_radius": 1e6,
        },
    )
    return Optimum(result.x, float(result.fun), max(1, int(result.nit)), bool(result.success))


def unit_scale(X: Matrix) -> tuple[Any, float]:
    """X in double precision, divided such that the mean squared length of its rows is one; and the divisor."""
    # Then a cost has the same effect for tf-idf and for counts, and the optimizer always works on the same scale.
    double = X.astype(np.float64)  # type: ignore[attr-defined]
    length = float(np.sqrt(squared_norm(double) / X.shape[0])) or 1.0
    return scale_rows(double, np.full(X.shape[0], 1.0 / length)), length


def positive_classes(n_classes: int) -> range:
    """The classes that get a machine against the rest: the second of two, or each of more than two."""
    return range(1, 2) if n_classes == 2 else range(n_classes)


def linear_model(points: Sequence[Array], length: float, dtype: Any) -> LinearModel:
    """One model of the documents before `unit_scale`, from the machines of `positive_classes`."""
    P = np.array(points)
    return LinearModel((P[:, :-1] / length).astype(dtype), P[:, -1].astype(dtype))


def _gradient(w: Array, by_document: Array, X: Matrix) -> Array:
    """w + X'r and 1'r: the derivatives by w and b of 1/2 |w|^2 plus a function whose derivatives by f are r."""
    return np.append(w + X.T @ by_document, by_document.sum())
