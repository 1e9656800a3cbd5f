"""Checks of the interface: attributes, forms of the input, new documents, saving, bad input."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.utils.validation import check_is_fitted

from ..core.classifier import TransductiveClassifier
from ..core.persist import load
from .corpora import noisy_corpus, set_seed, small_corpus


def check_attributes(estimator: TransductiveClassifier) -> None:
    """The fitted attributes exist, have the right shape and describe the target rows in row order."""
    X, y, domain, masked = small_corpus()
    est = estimator.fit(X, masked, domain)
    n_target = int((domain < 0).sum())
    assert est.classes_.tolist() == [0, 1, 2]
    assert est.transduction_.shape == (n_target,)
    assert est.transduction_proba_.shape == (n_target, 3)
    assert np.isfinite(est.transduction_proba_).all()
    assert (est.transduction_proba_ >= 0).all()
    np.testing.assert_allclose(est.transduction_proba_.sum(axis=1), 1, rtol=1e-6)
    assert est.n_features_in_ == X.shape[1]
    assert est.n_iter_ >= 1
    assert isinstance(est.converged_, bool)
    assert np.isfinite(est.objective_history_).all()
    assert (est.transduction_ == y[domain < 0]).mean() > 0.9
    assert est.domain_names_ == ["source 1", "source 2", "target 3", "target 4"]


def check_same_seed(estimator: TransductiveClassifier) -> None:
    """The same seed gives the same result, bit by bit."""
    X, _, domain, masked = small_corpus()
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=7)
    first = clone(estimator).fit(X, masked, domain)
    second = clone(estimator).fit(X, masked, domain)
    np.testing.assert_array_equal(first.transduction_proba_, second.transduction_proba_)


def check_names_of_the_classes(estimator: TransductiveClassifier) -> None:
    """Other names for the classes, which sort in another order, give the same predictions under these names."""
    set_seed(estimator)
    for new_code in ([1, 0], [1, 2, 0], [2, 1, 0]):
        X, _, domain, masked = noisy_corpus(len(new_code))
        names = np.array(new_code)
        first = clone(estimator).fit(X, masked, domain)
        second = clone(estimator).fit(X, np.where(domain < 0, -1, names[masked]), domain)
        np.testing.assert_array_equal(names[first.transduction_], second.transduction_)
        np.testing.assert_allclose(first.transduction_proba_, second.transduction_proba_[:, names], atol=1e-6)


def check_order_of_target_documents(estimator: TransductiveClassifier) -> None:
    """Target documents in another order get the same predictions in that order."""
    set_seed(estimator)
    for n_classes in (2, 3):
        X, _, domain, masked = noisy_corpus(n_classes)
        order = np.arange(len(domain))
        for target in (-3, -4):
            rows = np.flatnonzero(domain == target)
            order[rows] = np.random.default_rng(0).permutation(rows)
        in_target = np.cumsum(domain < 0)[order[domain < 0]] - 1
        first = clone(estimator).fit(X, masked, domain)
        second = clone(estimator).fit(X[order], masked, domain)
        np.testing.assert_array_equal(first.transduction_[in_target], second.transduction_)
        np.testing.assert_allclose(first.transduction_proba_[in_target], second.transduction_proba_, atol=1e-6)


def check_sparse_equals_dense(estimator: TransductiveClassifier) -> None:
    """Sparse and dense X give the same result, also if the sparse one has stored zeros and unsorted columns."""
    X, _, domain, masked = small_corpus()
    set_seed(estimator)
    sparse = clone(estimator).fit(X, masked, domain)
    dense = clone(estimator).fit(X.toarray(), masked, domain)
    np.testing.assert_allclose(sparse.transduction_proba_, dense.transduction_proba_, atol=1e-6)
    np.testing.assert_allclose(sparse.predict_proba(X[:5], -3), dense.predict_proba(X[:5].toarray(), -3), atol=1e-6)
    untidy = sp.csr_array(
        (np.append(X.data, 0.0), np.append(X.indices, 0), np.append(X.indptr[:-1], X.indptr[-1] + 1)), shape=X.shape
    )
    stored_zero = clone(estimator).fit(untidy, masked, domain)
    np.testing.assert_allclose(sparse.transduction_proba_, stored_zero.transduction_proba_, atol=1e-6)
    twice = sp.csr_array((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)
    in_halves = clone(estimator).fit(twice, masked, domain)  # every entry stored as two halves
    np.testing.assert_allclose(sparse.transduction_proba_, in_halves.transduction_proba_, atol=1e-6)


def check_precision_is_kept(estimator: TransductiveClassifier) -> None:
    """float32 in, float32 out, and the same labels except for a few ties."""
    X, _, domain, masked = small_corpus()
    set_seed(estimator)
    double = clone(estimator).fit(X, masked, domain)
    single = clone(estimator).fit(X.astype(np.float32), masked, domain)
    assert double.transduction_proba_.dtype == np.float64
    assert single.transduction_proba_.dtype == np.float32
    assert single.predict_proba(X[:3].astype(np.float32), -3).dtype == np.float32
    assert (single.transduction_ == double.transduction_).mean() > 0.95


def check_labels_keep_their_type(estimator: TransductiveClassifier) -> None:
    """Strings with None, NaN or "" for unlabelled, floats with NaN, and integers with -1: same labels, same type."""
    X, y, domain, masked = small_corpus()
    two = np.where(domain < 0, -1, 1)
    set_seed(estimator)
    expected = clone(estimator).fit(X, masked, two).transduction_
    names = np.array(["ant", "bee", "cat"], dtype=object)
    for nothing in (None, np.nan, ""):
        text = names[y].copy()
        text[domain < 0] = nothing
        before = text.copy()
        est = clone(estimator).fit(X, text)
        assert est.transduction_.tolist() == names[expected].tolist()
        assert all(a is b or a == b for a, b in zip(text.tolist(), before.tolist(), strict=True))
    floats = clone(estimator).fit(X, np.where(domain < 0, np.nan, y))
    assert floats.transduction_.dtype.kind == "f"
    assert floats.transduction_.tolist() == expected.tolist()
    fixed_width = clone(estimator).fit(X, np.where(domain < 0, "", names[y].astype(str)))
    assert fixed_width.transduction_.dtype.kind == "U"
    signs = np.array([-1, 0, 1])[y]
    signed = clone(estimator).fit(X, signs, two, use_target_labels=False)
    assert signed.classes_.tolist() == [-1, 0, 1]
    assert signed.transduction_.tolist() == [(-1, 0, 1)[code] for code in expected]


def check_input_is_not_changed(estimator: TransductiveClassifier) -> None:
    """X, y and sample_domain are not modified, not even to sort the columns of a sparse X."""
    X, _, domain, masked = small_corpus()
    backwards = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)])
    data, columns = X.data[backwards], X.indices[backwards]
    X = sp.csr_array((data.copy(), columns.copy(), X.indptr), shape=X.shape)
    y_before, domain_before = masked.copy(), domain.copy()
    estimator.fit(X, masked, domain)
    estimator.predict(X, -3)
    np.testing.assert_array_equal(X.data, data)
    np.testing.assert_array_equal(X.indices, columns)
    np.testing.assert_array_equal(masked, y_before)
    np.testing.assert_array_equal(domain, domain_before)


def check_target_labels_are_not_used(estimator: TransductiveClassifier) -> None:
    """With sample_domain, labels on target rows change nothing unless use_target_labels is True."""
    X, y, domain, masked = small_corpus()
    set_seed(estimator)
    blind = clone(estimator).fit(X, masked, domain)
    shuffled = np.where(domain < 0, (y + 1) % 3, y)
    np.testing.assert_array_equal(
        blind.transduction_proba_, clone(estimator).fit(X, shuffled, domain).transduction_proba_
    )
    some = np.where((domain < 0) & (np.arange(len(y)) % 2 == 0), -1, shuffled)
    informed = clone(estimator).fit(X, some, domain, use_target_labels=True)
    given = some[domain < 0] != -1
    np.testing.assert_array_equal(informed.transduction_[given], shuffled[domain < 0][given])


def check_equivalent_inputs(estimator: TransductiveClassifier) -> None:
    """No sample_domain, integers, names, and transfer() give the same result."""
    X, y, domain, masked = small_corpus()
    two = np.where(domain < 0, -1, 1)
    set_seed(estimator)
    expected = clone(estimator).fit(X, masked, two).transduction_proba_
    by_labels = clone(estimator).fit(X, masked)
    names = np.where(domain < 0, "new", "old")
    by_names = clone(estimator).fit(X, y, names, target="new")
    by_empty_name = clone(estimator).fit(X, masked, names)
    for est in (by_labels, by_names, by_empty_name):
        np.testing.assert_allclose(est.transduction_proba_, expected, atol=1e-9)
    sugar = clone(estimator)
    labels = sugar.transfer(X[domain > 0], y[domain > 0], X[domain < 0])
    np.testing.assert_allclose(sugar.transduction_proba_, expected, atol=1e-9)
    np.testing.assert_array_equal(labels, by_labels.transduction_)
    several = clone(estimator)
    several.transfer([X[domain == 1], X[domain == 2]], [y[domain == 1], y[domain == 2]], X[domain < 0])
    assert several.domain_names_ == ["source 1", "source 2", "target"]


def check_new_documents(estimator: TransductiveClassifier) -> None:
    """predict works for new documents of the target; with several targets it needs to know which one."""
    X, y, domain, masked = small_corpus()
    held_out = np.flatnonzero(domain == -3)[:10]
    rest = np.setdiff1d(np.arange(len(y)), held_out)
    est = estimator.fit(X[rest], masked[rest], domain[rest])
    assert (est.predict(X[held_out], -3) == y[held_out]).mean() > 0.7
    assert est.predict_proba(X[held_out], domain[held_out]).shape == (10, 3)
    _raises(ValueError, "several targets", est.predict, X[held_out])
    _raises(ValueError, "is not a domain to predict for", est.predict, X[held_out], 1)
    assert est.predict(X[domain == 1], 1, allow_source=True).shape == (30,)
    _raises(ValueError, "features", est.predict, X[:, :5], -3)


def check_score(estimator: TransductiveClassifier) -> None:
    """score uses the target rows of X only, and works inside a grid search with metadata routing."""
    X, y, domain, _ = small_corpus()
    est = clone(estimator).fit(X, y, domain)
    in_target = domain < 0
    expected = (est.predict(X[in_target], domain[in_target]) == y[in_target]).mean()
    assert est.score(X, y, sample_domain=domain) == expected
    assert est.score(X[domain == -3], y[domain == -3], sample_domain=-3) > 0.7
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(clone(estimator), {}, cv=KFold(2, shuffle=True, random_state=0), error_score="raise")
        search.fit(X, y, sample_domain=domain)
    assert search.best_score_ > 0.7


def check_documents_without_words(estimator: TransductiveClassifier) -> None:
    """An empty document, in a source, in a target or new, is allowed; it gets the class prior and is marked."""
    X, _, domain, masked = small_corpus()
    X = sp.csr_array(sp.vstack([X, sp.csr_array((3, X.shape[1]))]))
    est = estimator.fit(X, np.append(masked, [0, -1, -1]), np.append(domain, [1, -3, -3]))
    np.testing.assert_allclose(est.transduction_proba_[-2:], np.tile(est.class_prior_, (2, 1)), rtol=1e-6)
    assert est.transduction_empty_.tolist() == [False] * 60 + [True, True]
    np.testing.assert_allclose(est.predict_proba(X[-1:], -3)[0], est.class_prior_, rtol=1e-6)


def check_words_never_seen_in_the_source(estimator: TransductiveClassifier) -> None:
    """Words that occur in the target only, and columns without entries, are allowed."""
    X, y, domain, masked = small_corpus()
    own = sp.csr_array((domain < 0).astype(float)[:, None] * np.eye(3)[y])
    X = sp.csr_array(sp.hstack([X, own, sp.csr_array((len(y), 2))]))
    est = estimator.fit(X, masked, domain)
    assert (est.transduction_ == y[domain < 0]).mean() > 0.9


def check_save_and_load(estimator: TransductiveClassifier) -> None:
    """A saved and loaded estimator has the same attributes, except private ones, and predicts the same."""
    X, y, domain, _ = small_corpus()
    names = np.array(["ant", "bee", "cat"], dtype=object)[y]
    est = estimator.fit(X, names, domain)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.npz")
        est.save(path)
        assert os.listdir(folder) == ["model.npz"]
        back = load(path)
    assert type(back) is type(est)
    assert back.get_params() == est.get_params()
    saved = [name for name in vars(est) if not name.startswith("_")]
    assert sorted(vars(back)) == sorted(saved)
    np.testing.assert_array_equal(back.transduction_, est.transduction_)
    np.testing.assert_allclose(back.predict_proba(X, -3), est.predict_proba(X, -3), atol=1e-9)


def check_bad_input(estimator: TransductiveClassifier) -> None:
    """Bad input raises a ValueError with a clear message and does not change the estimator."""
    X, y, domain, masked = small_corpus()
    one_class = np.where(domain > 0, 1, -1)
    nan, inf = X.toarray(), X.toarray()
    nan[3, 2], inf[4, 1] = np.nan, np.inf
    cases: list[tuple[str, tuple[Any, ...]]] = [
        ("NaN", (nan, masked, domain)),
        ("infinity|inf", (inf, masked, domain)),
        ("no source rows", (X, np.full(len(y), -1))),
        ("contains no target", (X, y, (domain > 0).astype(int))),
        ("contains no source", (X, y, -abs(domain))),
        ("1 class", (X, one_class, domain)),
        ("is -1 a class", (X, np.where(y == 0, -1, 1))),
        ("one entry per row", (X, masked, domain[:-1])),
        ("one label per row", (X, masked[:-1], domain)),
        ("integers or names", (X, masked, domain + 0.5)),
        ("integers or names", (X, masked, domain < 0)),
        ("one label per row", (X, masked[:, None].repeat(2, axis=1)[:-1, 0], domain)),
        ("source rows have no label", (X, np.where(np.arange(len(y)) == np.argmax(domain), np.nan, y), domain)),
    ]
    if estimator.needs_target:
        cases.append(("no target rows", (X, y)))
    if estimator.non_negative:
        cases.append(("Negative values", (-X, masked, domain)))
    for message, arguments in cases:
        _raises(ValueError, message, clone(estimator).fit, *arguments)
    _raises(ValueError, "same columns", clone(estimator).transfer, X[domain > 0], y[domain > 0], X[domain < 0][:, :-1])
    unfitted = clone(estimator)
    _raises(ValueError, "no source rows", unfitted.fit, X, np.full(len(y), -1))
    _raises(NotFittedError, "", check_is_fitted, unfitted)
    fitted = clone(estimator).fit(X, masked, domain)
    before = fitted.transduction_proba_
    _raises(ValueError, "no source rows", fitted.fit, X[:, :-1], np.full(len(y), -1))
    assert fitted.n_features_in_ == X.shape[1]
    assert fitted.transduction_proba_ is before


def _raises(kind: type[Exception], message: str, call: Callable[..., Any], *arguments: Any) -> None:
    raised = None
    try:
        call(*arguments)
    except kind as error:
        raised = str(error)
    assert raised is not None, f"{call} accepted bad input; expected {message!r}"
    assert any(option in raised for option in message.split("|")), f"expected {message!r} in: {raised}"
