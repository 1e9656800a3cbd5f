"""MultiLabelTransfer: each column is what the estimator finds alone, and scikit-learn's checks pass."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelferry import AutoTransfer, MultiLabelTransfer, SourceLR, load_demo
from labelferry.linalg import shared
from labelferry.linalg.shared import digest, sharing

from ..core.test_scikit_learn_checks import Inductive

DEMO = load_demo()


class InductiveMultiLabel(Inductive, MultiLabelTransfer):
    """As `Inductive`, also for the checks with several labels."""

    def fit(self, X, y=None, sample_domain=None):
        return super().fit(X, y, sample_domain)


@parametrize_with_checks([InductiveMultiLabel(SourceLR(C=1.0))])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def indicator():
    """Labels of the demo, and one that half of one class has."""
    columns = [DEMO.y_source == c for c in np.unique(DEMO.y_source)]
    first = columns[0].copy()
    first[np.flatnonzero(first)[::2]] = False
    return np.stack([*columns, first, np.zeros(len(first), dtype=bool)], axis=1).astype(int)


@pytest.fixture(scope="module")
def fitted():
    several = MultiLabelTransfer(AutoTransfer(random_state=0))
    several.transfer(DEMO.X_source, indicator(), DEMO.X_target)
    return several


def test_each_column_is_that_of_the_estimator_alone(fitted):
    for j, column in enumerate(indicator().T[:-1]):
        with sharing():
            alone = AutoTransfer(random_state=0)
            labels = alone.transfer(DEMO.X_source, column, DEMO.X_target)
        assert np.array_equal(fitted.transduction_[:, j], labels)
        assert np.array_equal(fitted.transduction_proba_[:, j], alone.transduction_proba_[:, 1])
        usual = AutoTransfer(random_state=0).transfer(DEMO.X_source, column, DEMO.X_target)  # in its own order
        assert (usual == labels).mean() > 0.97


def test_a_label_that_no_labelled_row_has_is_given_to_none(fitted):
    assert fitted.constant_[-1] == 0
    assert fitted.estimators_[-1] is None
    assert not fitted.transduction_[:, -1].any()
    assert fitted.predict(DEMO.X_target).shape == fitted.transduction_.shape
    assert fitted.predict_proba(DEMO.X_target)[:, -1].tolist() == [0.0] * len(DEMO.y_target)


def test_rows_of_minus_one_are_the_target():
    Y = indicator()[:, :2]
    X = sp.vstack([DEMO.X_source, DEMO.X_target])
    rest = np.full((DEMO.X_target.shape[0], 2), -1)
    several = MultiLabelTransfer(SourceLR(C=1.0)).fit(X, np.concatenate([Y, rest]))
    named = clone(several).fit(X, np.concatenate([Y, rest * np.nan]))
    assert np.array_equal(several.transduction_, named.transduction_)
    assert len(several.transduction_) == len(rest)


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        ([[0, 1], [2, 0]], "indicator matrix"),
        ([[0, 1], [-1, 0]], "row 1 of y has some labels"),
        ([[0, 0], [0, 0]], "nothing to learn"),
    ],
)
def test_wrong_indicators_are_named(Y, message):
    with pytest.raises(ValueError, match=message):
        MultiLabelTransfer(SourceLR()).fit(np.eye(2), np.array(Y), [1, 1])


def test_shared_work_is_done_once_and_only_inside():
    calls = []

    @shared.shared
    def double(X):
        calls.append(1)
        return X * 2

    A = np.arange(4.0)
    with sharing():
        double(A)
        assert double(A.copy()).tolist() == [0, 2, 4, 6]
        assert len(calls) == 1
        double(A + 1)
        with sharing():
            double(A)
    double(A)
    assert len(calls) == 4


def test_digests_tell_content_apart():
    A = sp.csr_array(np.eye(3))
    assert digest(A) == digest(A.copy())
    assert digest(A) != digest(sp.csc_array(A))
    assert digest(A) != digest(A * 2)
    assert digest(np.zeros(4)) != digest(np.zeros((2, 2)))
    assert digest(np.zeros(2, dtype=np.float32)) != digest(np.zeros(1))
    assert digest((1, 2)) != digest((2, 1))
    assert digest(object()) is None
    assert digest((1, object())) is None
