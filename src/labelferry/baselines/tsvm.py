r"""Transductive support vector machine: the labels of the target that a linear machine separates with the least loss.

    minimize  1/2 |w|^2 + C sum_i xi_i^2 + C_- sum_(j: y_j = -1) xi_j^2 + C_+ sum_(j: y_j = +1) xi_j^2               (1)
    over      w, b, and the labels y_j = +1 or -1 of the unlabelled documents, k of them +1

    xi = max(0, 1 - y f)     f = X w + b     i runs over documents with a label, j over those without

A machine of the labelled documents gives +1 to the k unlabelled ones with the largest f. Then C_-, at first very small,
and C_+, at first C_- k / (n - k) for n unlabelled documents, are doubled until both are C*. At each level alternate

    w, b  <-  the minimum of (1) for the current labels                                                              (2)
    y     <-  exchanged within pairs m, l with y_m = +1, y_l = -1, xi_m > 0, xi_l > 0 and xi_m + xi_l > 2            (3)

Such an exchange lowers (1) with w and b fixed: l gets the cost C_+ with the slack max(0, 2 - xi_l) < xi_m, and m the
cost C_- with max(0, 2 - xi_m) < xi_l. The number of labellings is finite, so (2) and (3) end. k of the labels stay +1,
which keeps the class proportions. With more than two classes there is one machine per class against the rest, with the
proportion of that class: each machine is an instance of (1), and the same proof applies.

Paper: Joachims, Transductive Inference for Text Classification using Support Vector Machines, ICML 1999. We had no
copy; the algorithm and the statements about the paper here are taken from papers that use it. The equation numbers are
ours.

Departures
----------
- The slack is squared; the paper's is not. (3) needs only that the loss grows with the slack. A smooth (1) can be
  solved from the last solution, which matters since it is solved about fifty times.
- Many pairs are exchanged at once: the worst of one side with the worst of the other, the second with the second and so
  on. They have no document in common, so each of them lowers (1). `max_switches=1` is the paper's single pair.
- The prediction is the sign of f, as for new documents. The paper returns the y_j, of which k are +1 even if the margin
  does not agree.
- C is in units of one over the mean squared length of the documents, so `C=1` is SVMlight's default. Ours is 0.1,
  chosen on three of the six newsgroup tasks (comp-sci, rec-talk and sci-talk: .903, with 1 .841) and three pairs of
  reviews (books-kitchen, electronics-dvd and kitchen-electronics: .803): 0.01 is better on the former (.938) and worse
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
from ..core.proportions import class_proportions
from ..core.registry import register
from ..families.linear import LinearClassifier
from ..families.squared_hinge import (
    Machine,
    decisions,
    fit_machine,
    linear_model,
    no_graph,
    positive_classes,
    slacks,
    unit_scale,
)
from ..linalg.matrix import Array, Matrix, stack_rows

FIRST_COST = 1e-5  # C_- at the first level, in units of C


class Costs(NamedTuple):
    """C, C_- and C_+ of (1)."""

    labelled: float
    minus: float
    plus: float

    def of(self, y: Array, unknown: Array) -> Array:
        """The cost of each document."""
        return np.where(unknown, np.where(y > 0, self.plus, self.minus), self.labelled)


def schedule(C: float, C_star: float, odds: float) -> Iterator[Costs]:
    """The costs of each level: C_- and C_+ = `odds` C_- doubled until both are C*."""
    minus, plus = min(FIRST_COST * C, C_star), min(FIRST_COST * C * odds, C_star)
    yield Costs(C, minus, plus)
    while min(minus, plus) < C_star:
        minus, plus = min(2 * minus, C_star), min(2 * plus, C_star)
        yield Costs(C, minus, plus)


def start(f: Array, k: int) -> Array:
    """+1 for the k largest f, the first ones among equals, and -1 for the others."""
    y = np.full(len(f), -1.0)
    y[np.argsort(-f, kind="stable")[:k]] = 1.0
    return y


def pairs(f: Array, y: Array, unknown: Array, max_pairs: int | None = None) -> tuple[Array, Array]:
    """m and l of (3): at most `max_pairs` pairs, those with the largest slacks first."""
    slack = slacks(f, y)

    def by_slack(label: float) -> Array:
        rows = np.flatnonzero(unknown & (y == label) & (slack > 0))
        return rows[np.argsort(-slack[rows], kind="stable")]

    m, l = by_slack(1.0), by_slack(-1.0)
    n = min(len(m), len(l))
    m, l = m[:n], l[:n]
    gain = slack[m] + slack[l] > 2 + 1e-9  # the sums fall from pair to pair
    return m[gain][:max_pairs], l[gain][:max_pairs]


def switch(f: Array, y: Array, unknown: Array, max_pairs: int | None = None) -> Array:  # (3)
    m, l = pairs(f, y, unknown, max_pairs)
    y = y.copy()
    y[m], y[l] = -1.0, 1.0
    return y


def solve_level(
    point: Array, y: Array, X: Matrix, unknown: Array, costs: Costs, max_switches: int | None, max_iter: int
) -> tuple[Solution, Array]:
    """(2) and (3) at one level, from w, b and the labels of the previous level; also returns the last labels."""
    history: list[float] = []
    for _ in range(max_iter):
        optimum = fit_machine(Machine(X, y, costs.of(y, unknown), no_graph(len(y))), point)  # (2)
        point = optimum.point
        history.append(optimum.value)
        switched = switch(decisions(X, point), y, unknown, max_switches)
        if (switched == y).all():
            return Solution(point, tuple(history), len(history), optimum.converged), y
        y = switched
    return Solution(point, tuple(history), max_iter, False), y


def separate(
    X: Matrix, y: Array, unknown: Array, k: int, *, C: float, C_star: float, max_switches: int | None, max_iter: int
) -> list[Solution]:
    """One class against the rest, one Solution per level. Entries of y are used if the label is given."""
    n_known, n = int((~unknown).sum()), int(unknown.sum())
    point = fit_machine(Machine(X[~unknown], y[~unknown], np.full(n_known, C), no_graph(n_known))).point
    y = y.copy()
    y[unknown] = start(decisions(X[unknown], point), k)
    levels = []
    for costs in schedule(C, C_star, max(k, 1) / max(n - k, 1)):
        solution, y = solve_level(point, y, X, unknown, costs, max_switches, max_iter)
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
    proportions = class_proportions(class_prior, domains)
    machines = [
        separate(
            X,
            np.where(codes == label, 1.0, -1.0),
            unknown,
            round(float(proportions[label]) * int(unknown.sum())),
            C=C,
            C_star=C if target_C is None else target_C,
            max_switches=max_switches,
            max_iter=max_iter,
        )
        for label in positive_classes(domains.n_classes)
    ]
    all_levels = [level for levels in machines for level in levels]
    return Solution(
        linear_model([levels[-1].state for levels in machines], length, domains.dtype),
        tuple(value for level in all_levels for value in level.history),
        sum(level.n_iter for level in all_levels),
        all(level.converged for level in all_levels),
    )


@register
class TSVM(LinearClassifier):
    """Transductive support vector machine: target labels with a wide margin and given class proportions.

    Use it if you know the class proportions of the target, or if they are those of the source.

    Parameters
    ----------
    C : float, default=0.1
        Weight of the loss of labelled documents against 1/2 |w|^2, in units of one over the mean squared length of the
        documents.
    target_C : float, default=None
        C*, the final weight of the loss of unlabelled documents; None takes C.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default="source"
        Class proportions of the unlabelled documents. They are kept: if those of source and target differ much and are
        not given, the accuracy falls. See `labelferry.core.proportions`.
    max_switches : int, default=None
        Number of pairs of labels that are exchanged at once; None exchanges all pairs that lower the objective.
    max_iter : int, default=100
        Largest number of exchanges per level of C_- and C_+.

    Attributes
    ----------
    state_ : LinearModel
        Weights and intercepts. The other attributes are those of `TransductiveClassifier`.
    objective_history_ : array
        (1) after each (2), class by class. It rises when C_- and C_+ rise.
    n_iter_ : int
        The length of `objective_history_`.
    converged_ : bool
        Whether the exchanges ended at each level.
    transduction_proba_ : array of shape (n_target, n_classes)
        The softmax of the decision values, which is not calibrated.

    References
    ----------
    T. Joachims. Transductive Inference for Text Classification using Support Vector Machines. ICML 1999.

    Examples
    --------
    >>> from labelferry.baselines import TSVM
    >>> from labelferry import load_demo
    >>> demo = load_demo()
    >>> y_new = TSVM().transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> float((y_new == demo.y_target).mean()) > 0.8
    True
    """

    solve = staticmethod(solve)
    ignores_scale = "all"
    matches_prior: ClassVar[bool] = False
    _parameter_constraints: ClassVar[Rules] = {
        "C": positive(),
        "target_C": [*positive(), None],
        "class_prior": [*choice("source", "uniform", "estimate"), "array-like"],
        "max_switches": [*count(), None],
    }

    def __init__(
        self,
        C: float = 0.1,
        *,
        target_C: float | None = None,
        class_prior: Any = "source",
        max_switches: int | None = None,
        max_iter: int = 100,
    ) -> None:
        self.C = C
        self.target_C = target_C
        self.class_prior = class_prior
        self.max_switches = max_switches
        self.max_iter = max_iter
