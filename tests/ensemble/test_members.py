"""The members of the panel that are not estimators of their own."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from labelferry import SourceLR
from labelferry.assessment.agreement import kappa
from labelferry.assessment.signals import USUAL_AGREEMENT
from labelferry.ensemble.members import (
    View,
    common_words,
    fit_source,
    self_training,
    top_per_class,
    train_together,
)
from labelferry.ensemble.panel import LINEAR, VIEW_MEMBERS, VIEW_TRAINING, fit_panel
from labelferry.ensemble.view_members import co_training, view_weight, with_view
from labelferry.families.linear import START_C
from labelferry.linalg.matrix import short_indices
from labelferry.linalg.normalize import normalize_rows_l2

from ..planted import as_domains, vocabulary_shift


def fitted(task):
    return as_domains(task), task.Xt


@pytest.fixture(scope="module", params=[2, 3])
def task(request):
    return vocabulary_shift(n_classes=request.param, n_docs=90, common=0.3)


@pytest.fixture(scope="module")
def source(task):
    return fit_source(*fitted(task))


def test_fit_source_is_source_lr(task, source):
    estimator = SourceLR(weighting="given")
    labels = estimator.transfer(task.Xs, task.ys, task.Xt)
    assert (source.proba.argmax(axis=1) == labels).all()
    np.testing.assert_allclose(source.proba, estimator.transduction_proba_, atol=1e-6)
    assert source.codes.tolist() == task.ys.tolist()


def test_held_out_probabilities_are_scikit_learns(task, source):
    model = LogisticRegression(C=START_C, class_weight="balanced", solver="newton-cg")
    X = short_indices(task.Xs)
    held_out = cross_val_predict(model, X, task.ys, cv=StratifiedKFold(5), method="predict_proba")
    np.testing.assert_allclose(source.held_out, held_out, atol=0.01)  # here every fit starts from zero


def test_a_class_with_a_single_document_has_no_held_out_documents():
    task = vocabulary_shift(n_docs=40)
    rows = np.append(np.flatnonzero(task.ys == 0), 1)
    fit = fit_source(*fitted(task._replace(Xs=task.Xs[rows], ys=task.ys[rows])))
    assert fit.held_out.shape == (0, 2)


def test_the_panel_weights_words_as_source_lr_does(task):
    estimator = SourceLR()
    estimator.transfer(task.Xs, task.ys, task.Xt)
    P = fit_panel(as_domains(task), seed=0).source_only
    np.testing.assert_allclose(P, estimator.transduction_proba_, atol=1e-4)


def test_common_words_uses_the_words_of_both_sides(task):
    P = common_words(*fitted(task))
    counts = [np.asarray((X != 0).sum(axis=0)).ravel() for X in (task.Xs, task.Xt)]
    common = np.flatnonzero((counts[0] >= 5) & (counts[1] >= 5))
    Xs, Xt = (normalize_rows_l2(X[:, common]).toarray() for X in (task.Xs, task.Xt))
    model = LogisticRegression(C=1.0, class_weight="balanced", solver="newton-cg").fit(Xs, task.ys)
    np.testing.assert_allclose(P, model.predict_proba(Xt), atol=1e-4)


def test_few_common_words_give_no_member():
    task = vocabulary_shift(n_docs=60)
    rng = np.random.default_rng(0)
    for n_common, expected in ((19, True), (20, False)):
        Xs, Xt = (np.zeros((60, 60)) for _ in range(2))
        Xs[:, :40], Xt[:, 40 - n_common :] = rng.random((60, 40)) + 0.1, rng.random((60, 20 + n_common)) + 0.1
        few = task._replace(Xs=sp.csr_array(Xs), Xt=sp.csr_array(Xt))
        assert (common_words(*fitted(few)) is None) == expected


def test_self_training_of_one_round_by_hand(task, source):
    P = self_training(*fitted(task), source.proba, rounds=[(0.2, 0.7)])
    rows = top_per_class(source.proba, 0.2)
    X = np.vstack([task.Xs.toarray(), task.Xt.toarray()[rows]])
    y = np.append(task.ys, source.proba.argmax(axis=1)[rows])
    weights = np.append(np.full(90, 0.7), np.ones(len(rows)))
    model = LogisticRegression(C=START_C, class_weight="balanced", tol=1e-3, solver="newton-cg")
    model.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(P, model.predict_proba(task.Xt.toarray()), atol=1e-6)


def test_self_training_crosses_a_vocabulary_shift():
    task = vocabulary_shift(n_docs=240, common=0.1)
    start = fit_source(*fitted(task)).proba
    P = self_training(*fitted(task), start)
    before, after = ((A.argmax(axis=1) == task.yt).mean() for A in (start, P))
    assert after > before + 0.05


def test_top_per_class_by_hand():
    P = np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.8, 0.2], [0.45, 0.55], [0.2, 0.8]])
    assert top_per_class(P, 0.5).tolist() == [0, 3, 5]
    assert top_per_class(P, 0.3).tolist() == [0, 3, 5]
    assert top_per_class(P, 0.01).tolist() == [0, 5]
    assert sorted(top_per_class(P, 1.0)) == list(range(6))
    assert top_per_class(P[:4], 0.25).tolist() == [0]


def planted_view(task, n, noise=0.2):
    """A view that knows the classes of all documents, up to noise."""
    rng = np.random.default_rng(0)
    return np.eye(2)[np.concatenate([task.ys, task.yt])] + noise * rng.normal(size=(2 * n, 2))


def co_trained(task, view):
    domains = as_domains(task)
    source = fit_source(domains, task.Xt)
    return co_training(domains, with_view(domains, view), source)


def test_co_training_ignores_what_a_domain_shares():
    task = vocabulary_shift(n_docs=60)
    view = planted_view(task, 60)
    for rows in (view, view + [40.0, 0.0] * (np.arange(120) < 60)[:, None], sp.csr_array(view), np.rint(9 * view)):
        fit = co_trained(task, rows)
        assert (fit.proba.argmax(axis=1) == task.yt).mean() > 0.95
        assert fit.weight > 0
        np.testing.assert_allclose(fit.proba.sum(axis=1), 1, atol=1e-6)


def test_co_training_of_one_round_by_hand(task):
    domains = as_domains(task)
    source = fit_source(domains, task.Xt)
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(180, 4)) + 2 * np.eye(3, 4)[np.concatenate([task.ys, task.yt])]
    seen = with_view(domains, Z)
    views = [View.of(domains, task.Xt, 0.7), View.of(seen, seen.target_documents(), 0.3)]
    P = train_together(views, task.ys, source.proba, [(0.2, 0.7)])
    rows = top_per_class(source.proba, 0.2)
    y = np.append(task.ys, source.proba.argmax(axis=1)[rows])
    weights = np.append(np.full(90, 0.7), np.ones(len(rows)))
    logarithms = 0
    centered = np.vstack([Z[:90] - Z[:90].mean(axis=0), Z[90:] - Z[90:].mean(axis=0)])
    for X, share in ((np.vstack([task.Xs.toarray(), task.Xt.toarray()]), 0.7), (normalize_rows_l2(centered), 0.3)):
        model = LogisticRegression(C=START_C, class_weight="balanced", tol=1e-3, solver="newton-cg")
        model.fit(np.vstack([X[:90], X[90:][rows]]), y, sample_weight=weights)
        logarithms = logarithms + share * np.log(model.predict_proba(X[90:]))
    expected = np.exp(logarithms) / np.exp(logarithms).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(P, expected, atol=1e-5)


def test_a_view_that_knows_nothing_is_left_out():
    task = vocabulary_shift(n_docs=240)
    noise = np.random.default_rng(0).normal(size=(480, 5))
    fit = co_trained(task, noise)
    assert fit.weight == 0
    assert fit.proba is None
    assert fit.alone is None
    np.testing.assert_allclose(fit.start.proba, fit_source(as_domains(task), task.Xt).proba, atol=1e-6)
    panel = fit_panel(as_domains(task), seed=0, second_view=noise)
    assert not {*VIEW_MEMBERS} & {*panel.proba}
    assert panel.views == 0


def test_the_weight_of_a_view_is_the_best_on_held_out_documents():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=300)
    good, bad = (np.exp(strength * np.eye(3)[codes] + rng.normal(size=(300, 3))) for strength in (3, 1))
    good, bad = (P / P.sum(axis=1, keepdims=True) for P in (good, bad))
    assert view_weight(bad, good, codes) > 0.5 > view_weight(good, bad, codes)
    assert view_weight(good, np.full((300, 3), 1 / 3), codes) == 0
    assert view_weight(np.zeros((0, 3)), good, codes) == 0.5


def test_a_view_of_one_target_document():
    task = vocabulary_shift(n_docs=60)
    domains = as_domains(task)
    target = domains.targets[0]
    one = replace(target, X=target.X[:1], codes=target.codes[:1], rows=target.rows[:1])
    few = replace(domains, domains=(*domains.sources, one))
    assert co_training(few, with_view(few, planted_view(task, 60)), fit_source(few, one.X)).proba.shape == (1, 2)


def test_the_panel_without_a_view_is_a_part_of_the_panel_with_one():
    task = vocabulary_shift(n_docs=60)
    domains = as_domains(task)
    alone = fit_panel(domains, seed=0)
    both = fit_panel(domains, seed=0, second_view=planted_view(task, 60))
    assert tuple(both.proba) == (*alone.proba, *VIEW_MEMBERS)
    by_words, by_view = (both.proba[name].argmax(axis=1) for name in (LINEAR[1], VIEW_TRAINING))
    assert both.with_view.agreement == kappa(by_words, by_view)
    assert both.views == both.with_view.agreement - USUAL_AGREEMENT
    assert alone.views == 0
    for name, P in alone.proba.items():
        np.testing.assert_array_equal(both.proba[name], P)


def test_the_panel_has_eight_members_and_sourcelr_is_first():
    predictions = fit_panel(as_domains(vocabulary_shift(n_docs=120, common=0.3)), seed=0)
    assert len(predictions.proba) == 8
    assert next(iter(predictions.proba)) == "SourceLR"
    assert set(predictions.seconds) == set(predictions.proba)
    for P in predictions.proba.values():
        np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(predictions.source_proportions, 0.5)
