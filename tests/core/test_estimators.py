"""Every registered estimator against our own checks. Those of scikit-learn are in `test_scikit_learn_checks.py`."""

import pytest

from labelferry.core.registry import estimators
from labelferry.testing import all_checks

from ..estimators import small

SLOW = ("AutoTransfer", "KDEWeighting")  # the first is ten estimators, the second has a grid and densities in each fit
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in estimators()]


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_our_checks(name, check):
    check(small(name))
