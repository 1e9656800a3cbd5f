"""Every registered estimator against our own checks. Those of scikit-learn are in `test_scikit_learn_checks.py`."""

import pytest

from labelferry.core.registry import estimators
from labelferry.testing import all_checks
from labelferry.testing.numbers import check_single_entries

from ..estimators import small

SLOW = ("AutoTransfer", "KDEWeighting")  # the first is ten estimators, the second has a grid and densities in each fit


def marks(name, check):
    """The checks of slow estimators; that with most fits is a system test."""
    if name not in SLOW:
        return ()
    return (pytest.mark.slow, pytest.mark.system) if check is check_single_entries else (pytest.mark.slow,)


@pytest.mark.parametrize(
    ("name", "check"),
    [
        pytest.param(name, check, marks=marks(name, check), id=f"{name}-{check.__name__}")
        for name in estimators()
        for check in all_checks()
    ],
)
def test_our_checks(name, check):
    check(small(name))
