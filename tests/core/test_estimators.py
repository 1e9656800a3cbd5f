"""Every registered estimator against our own checks. Those of scikit-learn are in `test_scikit_learn_checks.py`."""

import pytest

from labelferry.core.registry import estimators
from labelferry.testing import all_checks
from labelferry.testing.interface import check_attributes, check_save_and_load, check_target_labels_are_not_used
from labelferry.testing.invariants import check_copies, check_invariants
from labelferry.testing.numbers import check_scales, check_single_entries

from ..estimators import FAMILIES, small

SLOW = ("AutoTransfer", "KDEWeighting")  # the first is ten estimators, the second has a grid and densities in each fit
FEW_FITS = (check_attributes, check_save_and_load, check_target_labels_are_not_used)
MANY_FITS = (check_copies, check_invariants, check_scales, check_single_entries)


def marks(name, check):
    """Many fits are system tests: most checks of slow estimators, some of those that are not one of a family."""
    many = check not in FEW_FITS if name in SLOW else check in MANY_FITS and name not in FAMILIES
    return (*[pytest.mark.slow] * (name in SLOW), *[pytest.mark.system] * many)


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
