"""Rules for the parameters of estimators. The only file of `core` that uses private parts of scikit-learn.

    _parameter_constraints = {"n_topics": count(), "normalize": choice("update", "cycle")}

Each function returns a list of constraints in the form that `check_params` checks. Parameters that all estimators have
in common have their rules in `SHARED`; an estimator names only those that differ.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, TypeAlias

from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing, validation
from sklearn.utils._param_validation import Interval, StrOptions, validate_parameter_constraints

Rule: TypeAlias = list[Any]
Rules: TypeAlias = dict[str, Rule]

SEED: Rule = ["random_state"]
FLAG: Rule = ["boolean"]

safe_indexing: Callable[..., Any] = _safe_indexing
n_samples: Callable[[Any], int] = validation._num_samples


def count(least: int = 1) -> Rule:
    """An integer, at least `least`."""
    return [Interval(Integral, least, None, closed="left")]


def positive() -> Rule:
    """A number above 0."""
    return [Interval(Real, 0, None, closed="neither")]


def at_least(least: float) -> Rule:
    """A number, `least` or above."""
    return [Interval(Real, least, None, closed="left")]


def share(*, closed: str = "both") -> Rule:
    """A number from 0 to 1."""
    return [Interval(Real, 0, 1, closed=closed)]


def choice(*options: str) -> Rule:
    """One of these strings."""
    return [StrOptions(set(options))]


CLASS_PRIOR: Rule = [*choice("source", "uniform", "estimate"), "array-like", None]
SHARED: Rules = {
    "n_neighbors": count(),
    "n_init": count(),
    "max_iter": count(),
    "tol": at_least(0),
    "class_prior": CLASS_PRIOR,
    "random_state": SEED,
}


def check_params(estimator: BaseEstimator) -> None:
    """Raise an error if a parameter of an estimator breaks its own rule or, if it has none, the shared one."""
    rules = SHARED | estimator._parameter_constraints
    validate_parameter_constraints(rules, estimator.get_params(deep=False), caller_name=type(estimator).__name__)
