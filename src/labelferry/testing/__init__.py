"""Checks that every estimator of this library passes. Run them on an estimator of your own:

    from labelferry.testing import check_transductive
    check_transductive(MyEstimator())

scikit-learn's `check_estimator` does not know domains; these checks do. Each takes an unfitted estimator.
"""

from __future__ import annotations

from collections.abc import Callable

from sklearn.base import clone

from ..core.classifier import TransductiveClassifier
from . import interface, invariants, numbers

Check = Callable[[TransductiveClassifier], None]


def check_transductive(estimator: TransductiveClassifier) -> None:
    """Run all checks; the first that fails raises an AssertionError.

    Parameters
    ----------
    estimator : TransductiveClassifier
        The estimator to check; it is cloned.
    """
    for check in all_checks():
        check(clone(estimator))


def all_checks() -> list[Check]:
    """Every check of this package, in the order of its modules and of each file."""
    return [
        value
        for module in (interface, invariants, numbers)
        for name, value in vars(module).items()
        if name.startswith("check_") and value.__module__ == module.__name__
    ]
