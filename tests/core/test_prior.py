"""Shares of the classes: meeting them, estimating them, and the parameter class_prior of the estimators."""

import numpy as np
import pytest

import labelferry
from labelferry.core import classifier as base
from labelferry.core import proportions as prior
from labelferry.core.domains import read_domains
from labelferry.core.persist import load
from labelferry.core.proportions import (
    ProportionScaling,
    class_proportions,
    fit_label_proportions,
    match_proportions,
    neighbor_proportions,
    with_target_proportions,
)
from labelferry.core.registry import estimators
from labelferry.families import trifactorization as factorization

from ..estimators import small
from ..planted import Task, stacked, vocabulary_shift

ESTIMATORS = estimators()

WITH_PRIOR = sorted(name for name in ESTIMATORS if "class_prior" in ESTIMATORS[name]().get_params())
MATCHED = [name for name in WITH_PRIOR if ESTIMATORS[name].matches_prior]
UNEVEN = vocabulary_shift(n_docs=120, common=0.3, target_balance=(0.9, 0.1), seed=3)
SHARES = np.bincount(UNEVEN.yt) / len(UNEVEN.yt)


def probabilities(n=200, k=3, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(k, 0.5), size=n)


# -- meeting shares ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shares", [[0.8, 0.1, 0.1], [0.05, 0.05, 0.9], [1 / 3, 1 / 3, 1 / 3]])
def test_match_is_proportional_fitting(shares):
    """One factor a class, rows to one, column means as wanted: the only such matrix, found here the slow way too."""
    P, shares = probabilities(), np.array(shares)
    Q, slow = match_proportions(P, shares), P.copy()
    for _ in range(2000):
        slow *= shares / slow.mean(axis=0)
        slow /= slow.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(Q, slow, atol=1e-7)
    np.testing.assert_allclose(Q.sum(axis=1), 1)
    np.testing.assert_allclose(Q.mean(axis=0), shares, atol=1e-8)
    odds = (Q / P) / (Q / P)[:, :1]  # the same in every row
    np.testing.assert_allclose(odds, np.broadcast_to(odds[0], odds.shape), rtol=1e-6)


def test_match_leaves_alone_what_matches():
    P = probabilities()
    np.testing.assert_allclose(match_proportions(P, P.mean(axis=0)), P, atol=1e-12)
    Q = match_proportions(P, np.array([0.7, 0.2, 0.1]))
    np.testing.assert_allclose(match_proportions(Q, np.array([0.7, 0.2, 0.1])), Q, atol=1e-8)


def test_match_keeps_the_order_between_two_classes():
    P = probabilities()
    Q = match_proportions(P, np.array([0.7, 0.2, 0.1]))
    for a, b in [(0, 1), (0, 2), (1, 2)]:
        np.testing.assert_array_equal(np.argsort(P[:, a] / P[:, b]), np.argsort(Q[:, a] / Q[:, b]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_match_moves_rows_of_zeros_and_ones_together(dtype):
    P = np.eye(2, dtype=dtype)[np.repeat([0, 1], [60, 40])]
    Q = match_proportions(P, np.array([0.9, 0.1]))
    assert Q.dtype == dtype
    np.testing.assert_allclose(Q.mean(axis=0), [0.9, 0.1], atol=1e-6)
    np.testing.assert_allclose(Q[:60], np.tile([1.0, 0.0], (60, 1)), atol=1e-6)
    np.testing.assert_allclose(Q[60:], np.tile([0.75, 0.25], (40, 1)), atol=1e-5)


def test_settle_moves_answers_where_match_would_give_all_to_one_class():
    lean = 0.5 + 0.02 * np.random.default_rng(0).normal(size=500)
    P, shares = np.column_stack([lean, 1 - lean]), np.array([0.9, 0.1])
    assert (match_proportions(P, shares).argmax(axis=1) == 0).mean() > 0.99
    Q = fit_label_proportions(P, shares).apply(P)
    assert abs((Q.argmax(axis=1) == 0).mean() - 0.9) < 0.03
    np.testing.assert_allclose(Q.mean(axis=0), shares, atol=1e-7)
    assert fit_label_proportions(P, shares).power > 1
    assert fit_label_proportions(Q, shares).power == 1


def test_a_balance_of_nothing_changes_nothing():
    P = probabilities()
    np.testing.assert_allclose(ProportionScaling(1.0, np.zeros(3)).apply(P), P, atol=1e-12)


# -- estimating them --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("balance", [(0.9, 0.1), (0.1, 0.9), (0.2, 0.6, 0.2)])
def test_neighbour_shares_find_planted_shares(balance):
    task = vocabulary_shift(n_classes=len(balance), common=0.3, target_balance=balance)
    true = np.bincount(task.yt) / len(task.yt)
    np.testing.assert_allclose(neighbor_proportions(task.Xs, task.ys, task.Xt), true, atol=0.06)


def test_what_class_prior_may_say():
    X, y, keys = stacked(UNEVEN)
    domains = read_domains(X, y, keys, estimator="")
    np.testing.assert_allclose(class_proportions("source", domains), [0.5, 0.5])
    np.testing.assert_allclose(class_proportions("uniform", domains), [0.5, 0.5])
    np.testing.assert_allclose(class_proportions("estimate", domains), SHARES, atol=0.05)
    assert with_target_proportions(domains, None) is domains
    told = with_target_proportions(domains, SHARES)
    assert told.domains[0].shares is None
    np.testing.assert_allclose(told.target_prior, SHARES)
    for wrong in ([0.5, 0.6], [1.0, 0.0], [0.2, 0.3, 0.5]):
        with pytest.raises(ValueError, match="class_prior must have one proportion per class"):
            class_proportions(wrong, domains)


# -- the estimators ---------------------------------------------------------------------------------------------------
def test_the_parameter_is_nearly_everywhere():
    # RSP's classes of the target are not the source's; AutoTransfer finds the shares itself.
    assert set(ESTIMATORS) - set(WITH_PRIOR) <= {"RSP", "AutoTransfer"}


@pytest.mark.parametrize("name", MATCHED)
def test_estimators_meet_the_shares(name, tmp_path):
    X, y, keys = stacked(UNEVEN)
    target = X[keys < 0]
    blind = small(name).fit(X, y, keys)
    told = small(name).set_params(class_prior=SHARES).fit(X, y, keys)
    assert blind.balance_ is None
    lost = (blind.transduction_ == UNEVEN.yt).mean() - (told.transduction_ == UNEVEN.yt).mean()
    assert lost < 0.02  # what `fit_label_proportions` lets pass
    np.testing.assert_allclose(told.transduction_proba_.mean(axis=0), SHARES, atol=1e-5)
    np.testing.assert_allclose(told.class_prior_, SHARES)
    told.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.predict_proba(target, -2), told.predict_proba(target, -2))
    # New documents are read as those of the fit were.
    assert (told.predict(target, -2) == told.transduction_).mean() > 0.85


@pytest.mark.parametrize("name", MATCHED)
def test_without_class_prior_nothing_is_matched(name, monkeypatch):
    def forbidden(*_, **__):
        raise AssertionError("shares were met that nobody gave")

    monkeypatch.setattr(prior, "log_factors", forbidden)
    monkeypatch.setattr(ProportionScaling, "apply", forbidden)
    X, y, keys = stacked(UNEVEN)
    est = small(name).fit(X, y, keys)
    est.predict_proba(X[:3], -2)
    assert with_target_proportions(base.read_domains(X, y, keys, estimator=""), None).shares == (None, None)


@pytest.mark.parametrize("name", ["TCL", "NMTF", "DTL", "MTrick"])
def test_factors_learn_under_the_shares(name):
    """The target's V itself has them, in every round, not only the answer that is read from it."""
    X, y, keys = stacked(UNEVEN)
    est = small(name).set_params(class_prior=SHARES).fit(X, y, keys)
    np.testing.assert_allclose(est._document_factors()[-1].mean(axis=0), SHARES, atol=1e-3)
    np.testing.assert_allclose(est.balance_[-1, 0], 1.0)


def test_gcmf_gives_its_columns_the_mass_of_the_shares():
    X, y, keys = stacked(UNEVEN)
    est = small("GCMF").set_params(class_prior=SHARES).fit(X, y, keys)
    np.testing.assert_allclose(est.state_.factors.V[-1].sum(axis=0), 2 * SHARES, rtol=1e-6)
    np.testing.assert_allclose(est.state_.factors.V[0].sum(axis=0), [1, 1], rtol=1e-6)


def test_balanced_leaves_given_labels_and_other_domains_alone():
    V = probabilities(40, 2)
    known = np.arange(40) < 10
    p = factorization.factorization_problem([V, V], [known, known], [V, V], [None, np.array([0.9, 0.1])])
    assert p.balanced(V, 0) is V
    np.testing.assert_allclose(p.balanced(V, 1)[~known].mean(axis=0), [0.9, 0.1], atol=1e-3)
    np.testing.assert_allclose(p.balanced(V, 1)[known], V[known])


@pytest.mark.parametrize("name", ["TCL", "CDSC", "SourceLR", "TSVM"])
def test_an_estimate_comes_near_the_shares_given(name):
    X, y, keys = stacked(UNEVEN)
    right = [
        (small(name).set_params(class_prior=said).fit(X, y, keys).transduction_ == UNEVEN.yt).mean()
        for said in (SHARES, "estimate", "uniform")
    ]
    assert right[1] > right[0] - 0.05
    assert right[1] > right[2]


def test_two_targets_have_shares_of_their_own():
    other = vocabulary_shift(n_docs=120, common=0.3, target_balance=(0.2, 0.8), seed=3)
    both = labelferry.TCL(n_topics=3, class_prior="estimate", random_state=0)
    X, y, keys = stacked(Task(UNEVEN.Xs, UNEVEN.ys, UNEVEN.Xt, UNEVEN.yt))
    Z, z, more = stacked(other)
    rows = np.flatnonzero(more < 0)
    stack = type(X)(np.vstack([X.toarray(), Z[rows].toarray()]))
    both.fit(stack, np.append(y, z[rows]), np.append(keys, np.full(len(rows), -3)))
    first, second = both.transduction_proba_[:120].mean(axis=0), both.transduction_proba_[120:].mean(axis=0)
    np.testing.assert_allclose(first, SHARES, atol=0.06)
    np.testing.assert_allclose(second, np.bincount(other.yt) / 120, atol=0.06)


def test_empty_documents_and_given_labels():
    X, y, keys = stacked(UNEVEN)
    X = X.tolil()
    X[-4:] = 0
    y[120:130] = UNEVEN.yt[:10]
    est = labelferry.SourceLR(C=10, class_prior=[0.7, 0.3]).fit(X.tocsr(), y, keys, use_target_labels=True)
    np.testing.assert_array_equal(est.transduction_[:10], UNEVEN.yt[:10])
    np.testing.assert_allclose(est.transduction_proba_[-4:], np.tile([0.7, 0.3], (4, 1)))
    np.testing.assert_allclose(est.transduction_proba_[10:].mean(axis=0), [0.7, 0.3], atol=1e-6)
