import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

from labelferry.baselines.source_svm import GRID, SourceSVM
from labelferry.core.persist import load

from ..planted import vocabulary_shift


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_equals_scikit_learn(n_classes, C):
    task = vocabulary_shift(n_classes=n_classes)
    names = np.array(["a", "b", "c", "d"])
    est = SourceSVM(C=C)
    labels = est.transfer(task.Xs, names[task.ys], task.Xt)
    reference = LinearSVC(C=C, dual=False).fit(task.Xs, names[task.ys])
    np.testing.assert_array_equal(labels, reference.predict(task.Xt))
    np.testing.assert_array_equal(est.predict(task.Xs), reference.predict(task.Xs))
    assert (est.n_iter_, est.converged_, len(est.objective_history_)) == (np.max(reference.n_iter_), True, 0)


@pytest.mark.parametrize("scale", [1.0, 1e3])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_probabilities_keep_the_order_of_the_decisions(n_classes, scale):
    """Also for values of several hundred, for which each sigmoid is 0 or 1."""
    rng = np.random.default_rng(0)
    ys = np.arange(200) % n_classes
    Xs = rng.normal(size=(200, 8)) + 2 * np.eye(n_classes, 8)[ys]
    Xt = scale * rng.normal(size=(300, 8))
    est = SourceSVM(C=1.0)
    labels = est.transfer(Xs, ys, Xt)
    reference = LinearSVC(C=1.0, dual=False).fit(Xs, ys)
    np.testing.assert_array_equal(labels, reference.predict(Xt))
    np.testing.assert_array_equal(est.transduction_proba_.argmax(axis=1), reference.predict(Xt))
    decision = reference.decision_function(Xt)
    if n_classes > 2:
        for values, proba in zip(decision, est.transduction_proba_, strict=True):
            assert np.all(np.diff(proba[np.argsort(values)]) >= 0)
    else:
        assert np.all(np.diff(est.transduction_proba_[np.argsort(decision), 1]) >= 0)


def test_c_by_cross_validation_equals_scikit_learns_grid_search():
    task = vocabulary_shift(n_classes=4, seed=1)
    search = GridSearchCV(LinearSVC(dual=False), {"C": list(GRID)}, cv=5).fit(task.Xs, task.ys)
    np.testing.assert_array_equal(SourceSVM().transfer(task.Xs, task.ys, task.Xt), search.predict(task.Xt))


def test_a_class_with_one_document():
    task = vocabulary_shift(n_docs=60, seed=2)
    keep = np.append(np.flatnonzero(task.ys == 0), 1)
    reference = LinearSVC(C=10, dual=False).fit(task.Xs[keep], task.ys[keep])
    labels = SourceSVM().transfer(task.Xs[keep], task.ys[keep], task.Xt)
    np.testing.assert_array_equal(labels, reference.predict(task.Xt))


@pytest.mark.parametrize(("n_classes", "floor"), [(2, 0.85), (4, 0.6)])
def test_planted_vocabulary_shift_is_half_bridged(n_classes, floor):
    task = vocabulary_shift(n_classes=n_classes)
    accuracy = (SourceSVM().transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()
    assert floor < accuracy < 1


@pytest.mark.parametrize("C", ["cv", 1.0])
def test_long_indices_are_shortened_for_liblinear(C):
    task = vocabulary_shift(seed=6)
    Xs, Xt = task.Xs.copy(), task.Xt.copy()
    for X in (Xs, Xt):
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    long, short = SourceSVM(C=C), SourceSVM(C=C)
    long.transfer(Xs, task.ys, Xt)
    short.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_array_equal(long.state_.coef, short.state_.coef)
    assert Xs.indices.dtype == np.int64


def test_two_fits_are_equal():
    task = vocabulary_shift(n_classes=3, n_docs=60, seed=6)
    one, two = SourceSVM(), SourceSVM()
    one.transfer(task.Xs, task.ys, task.Xt)
    two.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_array_equal(one.state_.coef, two.state_.coef)


def test_save_and_load(tmp_path):
    task = vocabulary_shift(n_classes=3, seed=7)
    est = SourceSVM()
    est.transfer(task.Xs, np.array(["x", "y", "z"])[task.ys], task.Xt)
    est.save(tmp_path / "model.npz")
    task.Xt.sort_indices()  # the last digit of a sum depends on the order
    np.testing.assert_array_equal(load(tmp_path / "model.npz").predict_proba(task.Xt), est.predict_proba(task.Xt))
