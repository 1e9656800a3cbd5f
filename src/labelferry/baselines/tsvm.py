r"""Transductive support vector machine: the labels of the target that a linear machine separates with least loss.

    minimise  1/2 |w|^2 + C sum_i xi_i^2 + C_- sum_(j: y_j = -1) xi_j^2 + C_+ sum_(j: y_j = +1) xi_j^2               (1)
    over      w, b, and the labels y_j = +1 or -1 of the unlabelled documents, k of them +1

    xi = max(0, 1 - y f)     f = X w + b     i runs over documents with a label, j over those without

A machine of the labelled documents gives +1 to the k unlabelled ones with the largest f. Then C_-, at first very small,
and C_+, at first C_- k / (n - k) for n unlabelled documents, are doubled until both are C*. At each level alternate

    w, b  <-  the minimum of (1) for the labels at hand                                                              (2)
    y     <-  exchanged within pairs m, l with y_m = +1, y_l = -1, xi_m > 0, xi_l > 0 and xi_m + xi_l > 2            (3)

Such an exchange lowers (1), w and b held: l takes over the cost C_+ with the slack max(0, 2 - xi_l) < xi_m, and m the
cost C_- with max(0, 2 - xi_m) < xi_l. There are finitely many labellings, so (2) and (3) end. k of the labels stay +1,
which keeps the shares of the classes. More than two classes are set each against the rest, with its own share: every
machine is then an instance of (1), and what is proved of it holds.

Paper: Joachims, Transductive Inference for Text Classification using Support Vector Machines, ICML 1999. We had no
copy: the algorithm, and what is said of the paper here, is as it is known where others use it. The numbers above are
ours.

Departures
----------
- The slack is squared; the paper's is not. (3) needs only that the loss grows with the slack, and a smooth (1) can be
  solved from the last solution, which matters as it is solved some fifty times.
- Many pairs are exchanged at once, the worst of one side with the worst of the other, the second with the second and
  so on. They share no document, so that (1) falls by each of them. `max_switches=1` is the paper's single pair.
- The answer is the side of f on which a document lies, as for new documents. The paper returns the y_j, which hold to k
  even where the margin does not.
- C is in units of one over the mean squared length of the documents, so that `C=1` is SVMlight's default. Ours is 0.1,
  chosen on three of the six newsgroup tasks (comp-sci, rec-talk and sci-talk: .903, with 1 .841) and three pairs of
  reviews (books-kitchen, electronics-dvd and kitchen-electronics: .803): 0.01 is better on the former (.936) and worse
  on the latter (.764). All six newsgroup tasks: .927, with 1 .885. C* is C, as in SVMlight.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.labels import UNKNOWN
from ..core.params import Rules, choice, count, positive
from ..core.proportions import class_shares
from ..core.registry import register
from ..families.linear import LinearClassifier
from ..families.squared_hinge import (
    Machine,
    decisions,
    linear_model,
    fit_machine,
    no_graph,
    positive_classes,
    slacks,
    unit_scale,
)
from ..linalg.matrix import Array, Matrix, stack_rows

FIRST = 1e-5  # C_- at the first level, in units of C


class Costs(NamedTuple):
    """C, C_- and C_+ of (1)."""

    labelled: float
    minus: float
    plus: float

    def of(self, y: Array, unknown: Array) -> Array:
        """The cost of every document."""
        return np.where(unknown, np.where(y > 0, self.plus, self.minus), self.labelled)


def schedule(C: float, C_star: float, odds: float) -> Iterator[Costs]:
    """The costs of every level: C_- and C_+ = `odds` C_- doubled until both are C*."""
    minus, plus = min(FIRST * C, C_star), min(FIRST * C * odds, C_star)
    yield Costs(C, minus, plus)
    while min(minus, plus) < C_star:
        minus, plus = min(2 * minus, C_star), min(2 * plus, C_star)
        yield Costs(C, minus, plus)


def start(f: Array, k: int) -> Array:
    """+1 for the k largest f, the first of equals, and -1 for the others."""
    y = np.full(len(f), -1.0)
    y[np.argsort(-f, kind="stable")[:k]] = 1.0
    return y


def pairs(f: Array, y: Array, unknown: Array, most: int | None = None) -> tuple[Array, Array]:
    """m and l of (3): at most `most` pairs, the worst first."""
    slack = slacks(f, y)

    def worst_first(side: float) -> Array:
        rows = np.flatnonzero(unknown & (y == side) & (slack > 0))
        return rows[np.argsort(-slack[rows], kind="stable")]

    m, l = worst_first(1.0), worst_first(-1.0)
    n = min(len(m), len(l))
    m, l = m[:n], l[:n]
    gain = slack[m] + slack[l] > 2 + 1e-9  # the sums fall from pair to pair
    return m[gain][:most], l[gain][:most]


def switch(f: Array, y: Array, unknown: Array, most: int | None = None) -> Array:  # (3)
    m, l = pairs(f, y, unknown, most)
    y = y.copy()
    y[m], y[l] = -1.0, 1.0
    return y


def settle(
    point: Array, y: Array, X: Matrix, unknown: Array, costs: Costs, max_switches: int | None, max_iter: int
) -> tuple[Solution, Array]:
    """(2) and (3) at one level, from w, b and labels of the level before; and the labels it ends with."""
    history: list[float] = []
    for _ in range(max_iter):
        best = fit_machine(Machine(X, y, costs.of(y, unknown), no_graph(len(y))), point)  # (2)
        point = best.point
        history.append(best.value)
        switched = switch(decisions(X, point), y, unknown, max_switches)
        if (switched == y).all():
            return Solution(point, tuple(history), len(history), best.converged), y
        y = switched
    return Solution(point, tuple(history), max_iter, False), y


def separate(
    X: Matrix, y: Array, unknown: Array, k: int, *, C: float, C_star: float, max_switches: int | None, max_iter: int
) -> list[Solution]:
    """One class against the rest, a Solution a level; y is read where the label is given."""
    n_known, n = int((~unknown).sum()), int(unknown.sum())
    point = fit_machine(Machine(X[~unknown], y[~unknown], np.full(n_known, C), no_graph(n_known))).point
    y = y.copy()
    y[unknown] = start(decisions(X[unknown], point), k)
    levels = []
    for costs in schedule(C, C_star, max(k, 1) / max(n - k, 1)):
        solution, y = settle(point, y, X, unknown, costs, max_switches, max_iter)
        levels.append(solution)
        point = solution.state
    return levels


def solve(
    domains: Domains,
    *,
    C: float,
    target_C: float | None,
    class_prior: Any,
    max_switches: int | None,
    max_iter: int,
    rng: np.random.Generator,
) -> Solution:
    X, length = unit_scale(stack_rows(domains.X))
    codes = np.concatenate([d.codes for d in domains])
    unknown = codes == UNKNOWN
    share = class_shares(class_prior, domains)
    machines = [
        separate(
            X,
            np.where(codes == label, 1.0, -1.0),
            unknown,
            round(float(share[label]) * int(unknown.sum())),
            C=C,
            C_star=C if target_C is None else target_C,
            max_switches=max_switches,
            max_iter=max_iter,
        )
        for label in positive_classes(domains.n_classes)
    ]
    every = [level for levels in machines for level in levels]
    return Solution(
        linear_model([levels[-1].state for levels in machines], length, domains.dtype),
        tuple(value for level in every for value in level.history),
        sum(level.n_iter for level in every),
        all(level.converged for level in every),
    )


@register
class TSVM(LinearClassifier):
    """Transductive support vector machine: labels of the target that leave a wide margin, their shares given.

    Parameters
    ----------
    C : weight of the loss of labelled documents against 1/2 |w|^2, in units of one over the mean squared length of the
        documents.
    target_C : C*, the weight of the loss of unlabelled documents in the end; None takes C.
    class_prior : shares of the classes among the unlabelled documents: "source", those among the given labels;
        "uniform"; "estimate" (see `labelferry.core.proportions`); or an array in the order of `classes_`. They
        are kept: where the shares of source and target differ much and are not given, the answer suffers.
    max_switches : pairs of labels exchanged at once; None exchanges all that lower the objective.
    max_iter : number of exchanges at each level of C_- and C_+.

    Attributes
    ----------
    state_ : LinearModel(coef, intercept). The others are those of every estimator; `objective_history_` has (1) after
        every (2), for one class after the other, and rises where C_- and C_+ do; `n_iter_` is its length; `converged_`
        says that the exchanges ended at every level. `transduction_proba_` is a softmax of the decisions and is not
        calibrated.

    References
    ----------
    T. Joachims. Transductive Inference for Text Classification using Support Vector Machines. ICML 1999.

    Examples
    --------
    >>> from labelferry.baselines import TSVM
    >>> from labelferry.datasets import load_demo
    >>> demo = load_demo()
    >>> y_new = TSVM().transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.8
    True
    """

    solve = staticmethod(solve)
    matches_prior = False
    _parameter_constraints: ClassVar[Rules] = {
        "C": positive(),
        "target_C": [*positive(), None],
        "class_prior": [*choice("source", "uniform", "estimate"), "array-like"],
        "max_switches": [*count(), None],
        "max_iter": count(),
    }

    def __init__(self, C=0.1, *, target_C=None, class_prior="source", max_switches=None, max_iter=100):
        self.C = C
        self.target_C = target_C
        self.class_prior = class_prior
        self.max_switches = max_switches
        self.max_iter = max_iter
