import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import SelfTrainingClassifier

from labelferry.baselines.self_training import SelfTraining
from labelferry.core.persist import load

from ..planted import vocabulary_shift

CONFIDENT = {
    "C": 100.0,
    "threshold": 0.7,
}  # with the defaults no prediction for the short planted documents is confident


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(
    "settings",
    [
        {"criterion": "threshold", "threshold": 0.7, "max_iter": 10},
        {"criterion": "threshold", "threshold": 0.6, "max_iter": 1},
        {"criterion": "k_best", "k_best": 20, "max_iter": None},
        {"criterion": "k_best", "k_best": 7, "max_iter": 3},
    ],
)
def test_equals_scikit_learn(n_classes, settings):
    task = vocabulary_shift(n_classes=n_classes)
    names = np.array(["a", "b", "c", "d"])
    est = SelfTraining(C=100.0, **settings)
    labels = est.transfer(task.Xs, names[task.ys], task.Xt)
    X, y = sp.vstack([task.Xs, task.Xt], format="csr"), np.append(task.ys, np.full(150, -1))
    reference = SelfTrainingClassifier(LogisticRegression(C=100.0, solver="newton-cg"), **settings).fit(X, y)
    np.testing.assert_array_equal(labels, names[reference.predict(task.Xt)])
    np.testing.assert_allclose(est.transduction_proba_, reference.predict_proba(task.Xt), rtol=1e-9)
    assert est.n_iter_ == reference.n_iter_
    assert est.converged_ == (reference.termination_condition_ != "max_iter")
    assert len(est.objective_history_) == 0


def test_without_confident_predictions_it_is_the_source_only_classifier():
    task = vocabulary_shift(seed=1)
    est = SelfTraining(threshold=0.999)
    est.transfer(task.Xs, task.ys, task.Xt)
    reference = LogisticRegression(C=10, solver="newton-cg").fit(task.Xs, task.ys)
    np.testing.assert_allclose(est.transduction_proba_, reference.predict_proba(task.Xt), rtol=1e-9)
    assert est.converged_


@pytest.mark.parametrize(("n_classes", "floor"), [(2, 0.95), (4, 0.8)])
def test_planted_vocabulary_shift_is_bridged(n_classes, floor):
    task = vocabulary_shift(n_classes=n_classes)
    assert (SelfTraining(**CONFIDENT).transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > floor


def test_given_target_labels_are_used_for_training():
    task = vocabulary_shift(seed=3)
    X, y = sp.vstack([task.Xs, task.Xt], format="csr"), np.append(task.ys, np.where(np.arange(150) < 75, task.yt, -1))
    est = SelfTraining(**CONFIDENT).fit(X, y, np.repeat([1, -1], 150), use_target_labels=True)
    reference = SelfTrainingClassifier(LogisticRegression(C=100.0, solver="newton-cg"), threshold=0.7).fit(X, y)
    np.testing.assert_allclose(est.transduction_proba_[75:], reference.predict_proba(X[225:]), rtol=1e-9)
    np.testing.assert_array_equal(est.transduction_[:75], task.yt[:75])


def test_save_and_load(tmp_path):
    task = vocabulary_shift(n_classes=3, seed=7)
    est = SelfTraining(**CONFIDENT)
    est.transfer(task.Xs, np.array(["x", "y", "z"])[task.ys], task.Xt)
    est.save(tmp_path / "model.npz")
    task.Xt.sort_indices()  # the last digit of a sum depends on the order
    np.testing.assert_array_equal(load(tmp_path / "model.npz").predict_proba(task.Xt), est.predict_proba(task.Xt))
