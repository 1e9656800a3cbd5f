from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from labelferry.baselines import TSVM
from labelferry.baselines.tsvm import FIRST_COST, Costs, pairs, schedule, separate, solve_level, start, switch
from labelferry.core.persist import load
from labelferry.families.squared_hinge import Machine, decisions, fit_machine, no_graph, slacks, unit_scale

from ..corpora import cdsc_sample
from ..planted import stacked, two_sources, vocabulary_shift
from ..reference import tsvm as slow


def problem(seed=0, n=30, n_words=4, n_known=8):
    """Documents of two overlapping classes, shifted in the target; the labels of the first rows are given."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.standard_normal((n, n_words)) + 0.2 * y[:, None] * np.eye(n_words)[0]
    X[n_known:, 1] += 3 * y[n_known:]
    return X, y, np.arange(n) >= n_known


@pytest.mark.parametrize("seed", [1, 2, 7, 9])
def test_single_exchanges_equal_the_slow_reference(seed):
    X, y, unknown = problem(seed)
    levels = separate(X, y, unknown, 11, C=0.1, C_star=0.1, max_switches=1, max_iter=1000)
    assert sum(level.n_iter - 1 for level in levels) >= 2  # exchanges
    last = levels[-1]
    w, b, labels = slow.transduce(X, y[~unknown], 11, 0.1, 0.1, FIRST_COST * 0.1)
    np.testing.assert_allclose(last.state, np.append(w, b), atol=2e-3)
    cost = Costs(0.1, 0.1, 0.1).of(labels, unknown)
    assert last.history[-1] == pytest.approx(slow.objective(w, b, X, labels, cost), rel=1e-4)


@given(st.integers(0, 10_000), st.sampled_from([1, 3, None]), st.floats(0.01, 10))
@settings(max_examples=25, deadline=None)
def test_each_exchange_lowers_the_objective(seed, max_pairs, C):
    """With w and b fixed, and from one minimum to the next; each pair satisfies the paper's condition."""
    X, y, unknown = problem(seed, n=40)
    y = np.where(unknown, np.random.default_rng(seed).permutation(y), y)
    costs, point = Costs(C, C / 3, C / 2), None
    for _ in range(200):
        m = Machine(X, y, costs.of(y, unknown), no_graph(40))
        solved = fit_machine(m, point)
        point, f = solved.point, decisions(X, solved.point)
        plus, minus = pairs(f, y, unknown, max_pairs)
        slack = slacks(f, y)
        assert (y[plus] == 1).all()
        assert (y[minus] == -1).all()
        assert unknown[plus].all()
        assert unknown[minus].all()
        assert (slack[plus] > 0).all()
        assert (slack[minus] > 0).all()
        assert (slack[plus] + slack[minus] > 2).all()
        assert len(plus) == len(minus) == len(np.union1d(plus, minus)) / 2
        if len(plus) == 0:
            assert slow.worst_pair(f, y, np.flatnonzero(unknown)) is None
            break
        exchanged = switch(f, y, unknown, max_pairs)
        value_with_fixed_w = slow.objective(point[:-1], point[-1], X, exchanged, costs.of(exchanged, unknown))
        assert value_with_fixed_w < solved.value
        assert (
            fit_machine(Machine(X, exchanged, costs.of(exchanged, unknown), no_graph(40)), point).value
            <= value_with_fixed_w
        )
        y = exchanged
    else:
        pytest.fail("the exchanges did not end")


@pytest.mark.parametrize("max_pairs", [1, None])
def test_history_falls_within_a_level_and_the_proportion_is_kept(max_pairs):
    task = vocabulary_shift(n_docs=200, common=0.1)
    X, codes, domain = stacked(task)
    X, unknown = unit_scale(X)[0], domain < 0
    levels = separate(X, 2.0 * codes - 1, unknown, 100, C=0.1, C_star=0.1, max_switches=max_pairs, max_iter=1000)
    assert max(level.n_iter for level in levels) > 1
    for level in levels:
        assert level.converged
        assert (np.diff(level.history) < 0).all()
    y = np.where(unknown, 0.0, 2.0 * codes - 1)
    y[unknown] = start(np.random.default_rng(0).random(200), 60)
    solution, labels = solve_level(levels[0].state, y, X, unknown, Costs(0.1, 0.05, 0.1), max_pairs, 1000)
    assert (labels[unknown] > 0).sum() == 60
    assert (labels[~unknown] == y[~unknown]).all()
    assert len(pairs(decisions(X, solution.state), labels, unknown)[0]) == 0


def test_costs_double_until_both_reach_the_last_value():
    levels = list(schedule(2.0, 1.0, 0.25))
    assert levels[0] == Costs(2.0, 2 * FIRST_COST, 0.5 * FIRST_COST)
    for one, two in pairwise(levels):
        assert two == Costs(2.0, min(2 * one.minus, 1.0), min(2 * one.plus, 1.0))
        assert min(one.minus, one.plus) < 1
    assert levels[-1] == Costs(2.0, 1.0, 1.0)
    y, unknown = np.array([1.0, -1.0, 1.0, -1.0]), np.array([False, False, True, True])
    assert Costs(1.0, 2.0, 3.0).of(y, unknown).tolist() == [1, 1, 3, 2]


def test_without_weight_on_the_target_it_is_the_source_only_machine():
    task = vocabulary_shift(n_classes=3, seed=1)
    est = TSVM(C=1.0, target_C=1e-9)
    labels = est.transfer(task.Xs, task.ys, task.Xt)
    X, length = unit_scale(sp.vstack([task.Xs, task.Xt], format="csr"))
    f = []
    for label in range(3):
        source = Machine(X[:150], np.where(task.ys == label, 1.0, -1.0), np.ones(150), no_graph(150))
        point = fit_machine(source).point
        f.append(decisions(X[150:], point))
        np.testing.assert_allclose(est.state_.coef[label] * length, point[:-1], atol=1e-3)
    np.testing.assert_array_equal(labels, np.argmax(f, axis=0))


@pytest.mark.parametrize(("n_classes", "floor"), [(2, 0.97), (4, 0.95)])
def test_planted_vocabulary_shift_is_bridged(n_classes, floor):
    task = vocabulary_shift(n_classes=n_classes)
    assert (TSVM().transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > floor


def test_two_sources_and_two_targets_are_pooled():
    Xs, ys, Xt, yt = two_sources(seed=1)
    two, one = TSVM(), TSVM()
    assert (two.transfer(Xs, ys, Xt) == yt).mean() > 0.95
    one.transfer(sp.vstack(Xs, format="csr"), np.concatenate(ys), Xt)
    np.testing.assert_allclose(two.transduction_proba_, one.transduction_proba_, atol=1e-6)
    X, y = sp.vstack([*Xs, Xt], format="csr"), np.append(np.concatenate(ys), np.full(len(yt), -1))
    four = TSVM().fit(X, y, np.repeat([1, 2, -1, -2], [75, 75, 75, 75]))
    np.testing.assert_allclose(four.transduction_proba_, one.transduction_proba_, atol=1e-6)


def test_given_proportions_help_if_the_proportions_shift():
    task = vocabulary_shift(n_docs=300, target_balance=(0.85, 0.15), seed=2)
    known = (TSVM(class_prior=[0.85, 0.15]).transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()
    source = (TSVM().transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()
    assert known > max(source, 0.95)
    np.testing.assert_array_equal(
        TSVM(class_prior="uniform").transfer(task.Xs, task.ys, task.Xt),
        TSVM(class_prior=[0.5, 0.5]).transfer(task.Xs, task.ys, task.Xt),
    )


@pytest.mark.parametrize("prior", [[0.5, 0.6], [1.0, 0.0], [0.2, 0.3, 0.5]])
def test_invalid_proportions_are_rejected(prior):
    task = vocabulary_shift(n_docs=20)
    with pytest.raises(ValueError, match="class_prior must have one proportion per class"):
        TSVM(class_prior=prior).transfer(task.Xs, task.ys, task.Xt)


def test_given_target_labels_are_used_as_labels():
    task = vocabulary_shift(seed=3, common=0.03)
    X, y, domain = stacked(task)
    some = np.where(np.arange(300) % 5 == 0, np.append(task.ys, task.yt), y)
    est = TSVM().fit(X, some, domain, use_target_labels=True)
    moved = TSVM().fit(X, some, np.where(some >= 0, 1, -2))
    np.testing.assert_allclose(est.state_.coef, moved.state_.coef, atol=1e-6)


@pytest.mark.parametrize("n_target", [1, 2, 3])
def test_targets_with_few_documents(n_target):
    task = vocabulary_shift(n_classes=3)
    assert np.isfinite(
        TSVM().fit(*stacked(task._replace(Xt=task.Xt[:n_target], yt=task.yt[:n_target]))).state_.coef
    ).all()


def test_counts_are_scaled_and_the_model_is_saved(tmp_path):
    task = vocabulary_shift(n_classes=3, seed=4)
    one, many = TSVM(), TSVM()
    one.transfer(task.Xs, task.ys, task.Xt)
    many.transfer(1000 * task.Xs, task.ys, 1000 * task.Xt)
    np.testing.assert_allclose(many.transduction_proba_, one.transduction_proba_, atol=1e-6)
    one.save(tmp_path / "m.npz")
    np.testing.assert_array_equal(load(tmp_path / "m.npz").predict(task.Xt), one.transduction_)


def test_newsgroups(corpus):
    task = cdsc_sample(corpus("20news/20news-bydate.jsonl.gz"), "rec vs talk", 0)
    assert (TSVM().transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.87  # source-only machine: .73
