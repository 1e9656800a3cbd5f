"""Every registered estimator against the checks of scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils import _safe_indexing
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelferry.core.registry import estimators

from ..estimators import FAMILIES, TINY, sizes

ESTIMATORS = estimators()
ENSEMBLE = ("AutoTransfer",)


class Inductive:
    """scikit-learn's checks call fit(X, y) with a label on every row, where a transductive classifier refuses for want
    of a target. Here the target is the same rows again, without their labels; all else is the estimator's own."""

    def fit(self, X, y=None, sample_domain=None):
        block = X.tocsr() if sp.issparse(X) else X if hasattr(X, "iloc") else np.asarray(X)
        n = block.shape[0] if block.ndim == 2 else 0
        if n == 0 or y is None or len(np.asarray(y)) != n:
            return super().fit(X, y, sample_domain)
        rows = np.tile(np.arange(n), 2)
        return super().fit(_safe_indexing(block, rows), np.asarray(y)[rows], np.repeat([1, -2], n))


def inductive(name):
    cls = type(name, (Inductive, ESTIMATORS[name]), {"__module__": __name__})
    globals()[name] = cls  # pickle looks classes up by name
    return cls(**sizes(name, TINY))


@parametrize_with_checks([inductive(name) for name in FAMILIES])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.system
@parametrize_with_checks([inductive(name) for name in ENSEMBLE])
def test_scikit_learns_checks_of_the_ensemble(estimator, check):
    check(estimator)


@pytest.mark.full
@parametrize_with_checks([inductive(name) for name in ESTIMATORS if name not in (*FAMILIES, *ENSEMBLE)])
def test_scikit_learns_checks_of_the_others(estimator, check):
    check(estimator)
