import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, normalize

from labelferry.baselines import SourceNB, SourceSVM
from labelferry.baselines.source_lr import GRID, START_C, SourceLR
from labelferry.core.domains import Domains
from labelferry.core.persist import load
from labelferry.families import linear
from labelferry.families.linear import training_folds
from labelferry.families.source_weights import reweigh, source_weights
from labelferry.linalg.normalize import row_norms

from ..planted import vocabulary_shift

PAPERS = {"class_weight": None, "weighting": "given"}  # the form that papers compare with


@pytest.mark.parametrize("C", [0.5, 10.0])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_equals_scikit_learn(n_classes, C):
    task = vocabulary_shift(n_classes=n_classes)
    names = np.array(["a", "b", "c", "d"])
    est = SourceLR(C=C, **PAPERS)
    labels = est.transfer(task.Xs, names[task.ys], task.Xt)
    reference = LogisticRegression(C=C, solver="newton-cg").fit(task.Xs, names[task.ys])
    np.testing.assert_array_equal(labels, reference.predict(task.Xt))
    np.testing.assert_allclose(est.transduction_proba_, reference.predict_proba(task.Xt), rtol=1e-9)
    np.testing.assert_allclose(est.predict_proba(task.Xs), reference.predict_proba(task.Xs), rtol=1e-9)
    assert (est.n_iter_, est.converged_, len(est.objective_history_)) == (np.max(reference.n_iter_), True, 0)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_solution_is_the_optimum(n_classes):
    task = vocabulary_shift(n_classes=n_classes)
    est = SourceLR(C=10, **PAPERS)
    est.transfer(task.Xs, task.ys, task.Xt)
    optimum = LogisticRegression(C=10, tol=1e-10, max_iter=10_000).fit(task.Xs, task.ys)
    np.testing.assert_allclose(est.transduction_proba_, optimum.predict_proba(task.Xt), atol=5e-3)


def test_c_by_cross_validation_equals_scikit_learns_grid_search():
    task = vocabulary_shift(n_classes=4, seed=1)
    est = SourceLR(C="cv", **PAPERS)
    est.transfer(task.Xs, task.ys, task.Xt)
    search = GridSearchCV(LogisticRegression(solver="newton-cg"), {"C": list(GRID)}, cv=5).fit(task.Xs, task.ys)
    np.testing.assert_allclose(est.transduction_proba_, search.predict_proba(task.Xt), rtol=1e-9)


@pytest.mark.parametrize(("rare", "n_folds"), [(3, 3), (2, 2), (1, None)])
def test_folds_of_a_rare_class(rare, n_folds):
    task = vocabulary_shift(n_docs=60, seed=2)
    keep = np.sort(np.append(np.flatnonzero(task.ys == 0), np.flatnonzero(task.ys == 1)[:rare]))
    Xs, ys = task.Xs[keep], task.ys[keep]
    est = SourceLR(C="cv", **PAPERS)
    est.transfer(Xs, ys, task.Xt)
    model = LogisticRegression(C=10, solver="newton-cg")
    reference = model if n_folds is None else GridSearchCV(model, {"C": list(GRID)}, cv=n_folds)
    np.testing.assert_allclose(est.transduction_proba_, reference.fit(Xs, ys).predict_proba(task.Xt), rtol=1e-9)


@pytest.mark.parametrize(("n_classes", "floor"), [(2, 0.85), (4, 0.6)])
def test_planted_vocabulary_shift_is_half_bridged(n_classes, floor):
    """The common words help to some extent; a source-only model cannot use the words that only the target has."""
    task = vocabulary_shift(n_classes=n_classes)
    accuracy = (SourceLR().transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()
    assert floor < accuracy < 1


def by_hand(counts, ys, n_source):
    """Balanced logistic regression on tf-idf of the labelled documents alone."""
    tfidf = TfidfTransformer().fit(counts[:n_source])
    known = np.asarray((counts[:n_source] != 0).sum(axis=0)).ravel() > 0
    X = sp.csr_array(normalize(sp.csr_array(counts * tfidf.idf_)[:, np.flatnonzero(known)]))
    model = LogisticRegression(C=START_C, class_weight="balanced", solver="newton-cg").fit(X[:n_source], ys)
    return model.predict_proba(X[n_source:])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_default_is_what_the_labelled_documents_alone_would_give(n_classes):
    """tf-idf of all documents goes in; the words, weights and lengths of the labelled ones alone come out."""
    rng = np.random.default_rng(0)
    ys = rng.choice(n_classes, size=80, p=np.array([0.7, 0.3]) if n_classes == 2 else [0.6, 0.3, 0.1])
    counts = rng.poisson(np.vstack([0.3 + 2 * np.eye(n_classes, 30)[ys], np.full((50, 30), 0.4)]))
    counts[:80, 25:] = 0  # words that only the target has
    counts[:, 0] += 1
    X = TfidfTransformer().fit_transform(counts)
    est = SourceLR()
    est.transfer(X[:80], ys, X[80:])
    np.testing.assert_allclose(est.transduction_proba_, by_hand(counts.astype(float), ys, 80), atol=1e-5)
    np.testing.assert_allclose(est.predict_proba(X[80:]), est.transduction_proba_, atol=1e-9)
    assert (est.state_.feature_weights[25:] == 0).all()


def test_rows_keep_their_length_and_dense_features_stay_as_they_are():
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.poisson(0.5, size=(40, 12)) * rng.uniform(1, 3, (40, 1)))
    domains = Domains.from_blocks([("s", X[:20], np.arange(20) % 2)], ("t", X[20:]))
    g = source_weights(domains)
    weighted = reweigh(X, g)
    some = row_norms(weighted) > 0
    np.testing.assert_allclose(row_norms(weighted)[some], row_norms(X)[some])
    assert not np.allclose(g, 1)
    Z = rng.normal(size=(40, 5))
    dense = Domains.from_blocks([("s", Z[:20], np.arange(20) % 2)], ("t", Z[20:]))
    assert reweigh(Z, source_weights(dense)) is Z


def test_target_documents_have_no_influence_on_given_weights():
    task = vocabulary_shift(seed=3)
    all_, few = SourceLR(weighting="given"), SourceLR(weighting="given")
    all_.transfer(task.Xs, task.ys, task.Xt)
    few.transfer(task.Xs, task.ys, task.Xt[:5])
    np.testing.assert_allclose(all_.state_.coef, few.state_.coef, atol=1e-9)  # the order of the words may differ


def test_given_target_labels_are_used_for_training():
    task = vocabulary_shift(seed=3)
    X, y = sp.vstack([task.Xs, task.Xt], format="csr"), np.append(task.ys, np.where(np.arange(150) < 75, task.yt, -1))
    est = SourceLR(**PAPERS).fit(X, y, np.repeat([1, -1], 150), use_target_labels=True)
    reference = LogisticRegression(C=10, solver="newton-cg").fit(X[:225], y[:225])
    np.testing.assert_allclose(est.transduction_proba_[75:], reference.predict_proba(X[225:]), rtol=1e-6)
    np.testing.assert_array_equal(est.transduction_[:75], task.yt[:75])


@pytest.mark.parametrize("C", ["best", 0, -1.0])
def test_an_invalid_c_is_rejected(C):
    with pytest.raises(ValueError, match="'C' parameter of SourceLR"):
        SourceLR(C=C).transfer(np.eye(4), [0, 0, 1, 1], np.eye(4))


def test_save_and_load(tmp_path):
    task = vocabulary_shift(n_classes=3, seed=7)
    est = SourceLR()
    est.transfer(task.Xs, np.array(["x", "y", "z"])[task.ys], task.Xt)
    est.save(tmp_path / "model.npz")
    task.Xt.sort_indices()  # the last digit of a sum depends on the order
    np.testing.assert_array_equal(load(tmp_path / "model.npz").predict_proba(task.Xt), est.predict_proba(task.Xt))


def test_equal_documents_are_in_one_fold():
    """Two files with the same documents: no model is tested on a document that it has learned with its label."""
    rng = np.random.default_rng(0)
    X, codes = rng.random((60, 6)).round(), rng.integers(3, size=60)
    X, codes = np.vstack([X, X]), np.tile(codes, 2)
    folds = training_folds(sp.csr_array(X), codes)
    assert np.sort(np.concatenate([test for _, test in folds])).tolist() == list(range(120))
    labelled = np.column_stack([X, codes])
    for train, test in folds:
        assert not {*map(tuple, labelled[train])} & {*map(tuple, labelled[test])}
        assert set(codes[train]) == {0, 1, 2}


def test_without_copies_the_folds_are_those_of_scikit_learn():
    codes = np.random.default_rng(0).integers(3, size=50)
    expected = StratifiedKFold(5).split(codes, codes)
    for (train, test), (train_0, test_0) in zip(training_folds(np.arange(50.0)[:, None], codes), expected, strict=True):
        np.testing.assert_array_equal(train, train_0)
        np.testing.assert_array_equal(test, test_0)


def test_copies_of_random_documents_do_not_raise_the_held_out_accuracy():
    """Random labels, every document twice: held-out accuracy is that of chance, with one source and with two."""
    rng = np.random.default_rng(0)
    X, codes = sp.csr_array(rng.random((200, 50))), rng.integers(2, size=200)
    once = linear.choose_C(linear.logistic_regression(), X, codes, GRID, proba=False)
    twice = linear.choose_C(
        linear.logistic_regression(), sp.csr_array(sp.vstack([X, X])), np.tile(codes, 2), GRID, proba=False
    )
    assert abs(once.accuracy - 0.5) < 0.1
    assert abs(twice.accuracy - 0.5) < 0.1


def test_a_class_of_equal_documents_does_not_prevent_a_test_of_the_others():
    X, codes = np.vstack([np.eye(20), np.ones((6, 20))]), np.repeat([0, 1], [20, 6])
    folds = training_folds(X, codes)
    assert len(folds) == 5
    assert all(set(codes[train]) == {0, 1} for train, _ in folds)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_columns", [31, 256])
def test_equal_dense_documents_are_in_one_fold(n_columns, dtype):
    """Products with dense arrays are rounded by the position of a row; folds must not depend on it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(101, n_columns)).astype(dtype)
    rows, codes = np.tile(np.arange(101), 3), np.tile(np.arange(101) % 2, 3)
    for train, test in training_folds(X[rows], codes):
        assert not set(rows[train]) & set(rows[test])


def test_cross_validation_of_many_documents_trains_on_a_sample(monkeypatch):
    codes = np.repeat([0, 1, 2], [900, 90, 10])
    monkeypatch.setattr(linear, "MAX_TRAINING", 100)
    folds = training_folds(np.arange(1.0, 1001)[:, None], codes)
    assert len(folds) == 5
    assert np.sort(np.concatenate([test for _, test in folds])).tolist() == list(range(1000)), "each row is tested once"
    for train, test in folds:
        assert len(np.intersect1d(train, test)) == 0
        assert np.bincount(codes[train]).tolist() == [90, 9, 1]


@pytest.mark.parametrize(
    "estimator", [SourceLR(weighting="given"), SourceNB(), SourceSVM()], ids=lambda est: type(est).__name__
)
def test_a_source_only_classifier_is_a_plain_classifier_of_scikit_learn(estimator, tmp_path):
    """Fitted on labelled documents alone, it predicts what it predicts for a target (SourceLR: with given weights)."""
    task = vocabulary_shift(n_classes=3)
    plain = make_pipeline(MaxAbsScaler(), estimator).fit(task.Xs, task.ys)
    fitted = plain[-1]
    Xs, Xt = plain[0].transform(task.Xs), plain[0].transform(task.Xt)
    np.testing.assert_array_equal(plain.predict(task.Xt), clone(estimator).transfer(Xs, task.ys, Xt))
    assert fitted.transduction_.shape == fitted.transduction_empty_.shape == (0,)
    assert fitted.transduction_proba_.shape == (0, 3)
    fitted.save(tmp_path / "plain.npz")
    np.testing.assert_array_equal(load(tmp_path / "plain.npz").predict(Xt), plain.predict(task.Xt))


def test_class_proportions_of_a_target_need_one():
    task = vocabulary_shift()
    with pytest.raises(ValueError, match="no target rows"):
        SourceLR(class_prior="source").fit(task.Xs, task.ys)
