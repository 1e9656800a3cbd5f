"""Grid searches and cross-validation of scikit-learn on a whole task: rows without a label are not scored."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

from labelferry import TCL, EMNaiveBayes, SourceLR, load_demo

GRID = [0.001, 1.0, 1000.0]
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def task():
    demo = load_demo()
    X = sp.csr_array(sp.vstack([demo.X_source, demo.X_target]))
    masked = np.concatenate([demo.y_source, np.full(len(demo.y_target), "", dtype=demo.y_source.dtype)])
    return X, masked, np.concatenate([demo.y_source, demo.y_target]), np.repeat([1, -2], [360, 360])


def accuracy_by_hand(estimator, X, y, masked, counted):
    """Mean accuracy over the folds on the rows `counted`, without `score`."""
    scores = []
    for train, test in FOLDS.split(X, masked):
        fitted = clone(estimator).fit(X[train], masked[train])
        rows = test[counted[test]]
        scores.append((fitted.predict(X[rows]) == y[rows]).mean())
    return np.mean(scores)


@pytest.mark.parametrize(("estimator", "name"), [(EMNaiveBayes(), "smoothing"), (TCL(random_state=0), "n_topics")])
def test_a_grid_search_finds_what_a_loop_finds(task, estimator, name):
    X, masked, y, _ = task
    grid = GRID if name == "smoothing" else [2, 12]
    by_hand = [accuracy_by_hand(clone(estimator).set_params(**{name: v}), X, y, masked, masked != "") for v in grid]
    search = GridSearchCV(estimator, {name: grid}, cv=FOLDS, error_score="raise").fit(X, masked)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], by_hand)
    assert search.best_params_[name] == grid[int(np.argmax(by_hand))]
    assert max(by_hand) - min(by_hand) > 0.005, "the parameter matters"


def test_true_labels_of_the_target_are_scored_and_not_used(task):
    """With sample_domain, the target rows are scored by their labels; the fit ignores these labels."""
    X, masked, y, domain = task
    by_hand = [accuracy_by_hand(EMNaiveBayes(smoothing=v), X, y, masked, domain < 0) for v in GRID]
    with config_context(enable_metadata_routing=True):
        folds = list(FOLDS.split(X, masked))
        search = GridSearchCV(EMNaiveBayes(), {"smoothing": GRID}, cv=folds, error_score="raise")
        search.fit(X, y, sample_domain=domain)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], by_hand)
    assert search.best_params_["smoothing"] == GRID[int(np.argmax(by_hand))]


def test_cross_val_score_on_a_whole_task(task):
    X, masked, y, _ = task
    scores = cross_val_score(SourceLR(), X, masked, cv=FOLDS, error_score="raise")
    assert scores.mean() == pytest.approx(accuracy_by_hand(SourceLR(), X, y, masked, masked != ""))
    assert scores.min() > 0.9, "source documents by a source-only classifier"


@pytest.mark.parametrize("missing", ["", None, float("nan")])
def test_rows_without_a_label_are_not_scored(task, missing):
    X, masked, y, _ = task
    est = SourceLR().fit(X, masked)
    some = np.array(y, dtype=object)
    some[::3] = missing
    kept = np.arange(len(y)) % 3 != 0
    expected = (est.predict(X[kept]) == y[kept]).mean()
    assert est.score(X, some) == expected
    assert est.score(X, some.tolist()) == expected
    weight = np.arange(len(y)) + 1.0
    assert est.score(X, some, sample_weight=weight) == pytest.approx(
        np.average(est.predict(X[kept]) == y[kept], weights=weight[kept])
    )


def test_minus_one_is_no_label_unless_it_is_a_class(task):
    X, masked, y, domain = task
    codes = np.unique(y, return_inverse=True)[1]
    hidden = np.where(masked == "", -1, codes)
    est = SourceLR().fit(X, hidden)
    source = domain > 0
    assert est.score(X, hidden) == (est.predict(X[source]) == codes[source]).mean()
    with pytest.warns(UserWarning, match="-1 on source rows"):
        signed = SourceLR().fit(X, codes - 1, domain)
    assert signed.score(X, codes - 1, sample_domain=domain) == pytest.approx(
        (signed.predict(X[~source]) == codes[~source] - 1).mean()
    )


def test_nothing_to_score_is_an_error(task):
    X, masked, _, domain = task
    est = SourceLR().fit(X, masked)
    with pytest.raises(ValueError, match="none has a label"):
        est.score(X[360:], masked[360:])
    with pytest.raises(ValueError, match="assigns every row to a source"):
        SourceLR().fit(X, masked, domain).score(X[:9], masked[:9], sample_domain=domain[:9])
    with pytest.raises(ValueError, match="none has a label"):
        SourceLR().fit(X, masked, domain).score(X, masked, sample_domain=domain)
