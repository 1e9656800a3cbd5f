"""Every registered estimator against our own checks. Those of scikit-learn are in `test_scikit_learn_checks.py`."""

import pytest

from labelferry.core.checks import all_checks
from labelferry.core.registry import estimators

from .estimators import small


def _slow(name):
    return pytest.param(name, marks=pytest.mark.slow)


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", [_slow(name) if name == "AutoTransfer" else name for name in estimators()])
def test_our_checks(name, check):
    check(small(name))
