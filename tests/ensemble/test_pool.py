"""The pool: equally confident members, weights that follow the evidence, and the budget of change."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit

from labelferry.assessment.agreement import kappa, margin
from labelferry.assessment.assessment import PanelPredictions
from labelferry.core.proportions import match_proportions
from labelferry.ensemble.panel import CO_TRAINING, MIXTURES, SOURCE_ONLY, fit_panel
from labelferry.ensemble.pool import (
    MIXTURE,
    SELF_TRAINING,
    Evidence,
    PoolCoefficients,
    budget_of_change,
    coefficients_from,
    combine,
    equally_confident,
    find_evidence,
    keep_within,
    pool,
    pool_weights,
    rank_calibrate,
    vote_together,
)

from ..planted import as_domains, vocabulary_shift

EXAMPLES = settings(max_examples=30, deadline=None)
N = 400
COEFFICIENTS = PoolCoefficients(
    constant=-1.0,
    members={},
    agreement=2.0,
    stability=1.0,
    proportions=0.2,
    budget=(0.02, 0.15, 2.0, 0.45, 1.0),
    costs=(0.5, 2.0),
)


def probabilities(rng, n=60, c=3):
    return rng.dirichlet(np.full(c, 0.7), size=n)


def predict(codes, confidence=0.9):
    """Two-class probabilities with one confidence."""
    return np.where(np.arange(2) == np.asarray(codes)[:, None], confidence, 1 - confidence)


def with_errors(y, share, seed):
    """The labels with a share of errors."""
    return np.where(np.random.default_rng(seed).random(len(y)) < share, 1 - y, y)


def panel(y, mixtures, **members):
    """A panel with an excellent held-out accuracy. The source-only classifier has 25% errors."""
    proba = {SOURCE_ONLY: predict(with_errors(y, 0.25, 0)), **members}
    proba |= {name: predict(codes) for name, codes in zip(MIXTURES, mixtures, strict=True)}
    held_out = np.arange(100) % 2
    return PanelPredictions(proba, dict.fromkeys(proba, 0.1), predict(held_out), held_out)


# -- equally confident ------------------------------------------------------------------------------------------------
@EXAMPLES
@given(st.integers(0, 10_000), st.integers(2, 5), st.floats(0, 0.9))
def test_rank_calibrate_keeps_labels_and_order(seed, c, least):
    P = probabilities(np.random.default_rng(seed), c=c)
    S = rank_calibrate(P, least)
    assert np.allclose(S.sum(axis=1), 1, atol=c * 1e-4)
    assert (S.argmax(axis=1) == P.argmax(axis=1)).all()
    ordered = np.sort(P, axis=1)
    odds = np.argsort(ordered[:, -1] / ordered[:, -2])
    top = S.max(axis=1)
    if c == 2:
        assert (np.diff(top[odds]) >= -1e-12).all()
        assert top.min() == pytest.approx(0.5 + 0.5 * (least + (1 - least) / 61), abs=1e-6)


def test_rank_calibrate_makes_sharp_and_flat_members_equal():
    P = probabilities(np.random.default_rng(0), c=2)
    sharp = P**4 / (P**4).sum(axis=1, keepdims=True)
    assert np.allclose(rank_calibrate(P), rank_calibrate(sharp))


def test_the_three_mixtures_are_one_member():
    y = np.arange(N) % 2
    predictions = panel(y, [with_errors(y, 0.1, s) for s in (1, 2, 3)])
    S = equally_confident(predictions.proba)
    assert list(S) == [SOURCE_ONLY, MIXTURE]
    expected = np.mean([rank_calibrate(predictions.proba[name]) for name in MIXTURES], axis=0)
    np.testing.assert_array_equal(S[MIXTURE], expected)


# -- the evidence -----------------------------------------------------------------------------------------------------
def test_evidence_by_hand():
    y = np.arange(N) % 2
    mixtures = [with_errors(y, share, seed) for seed, share in ((1, 0.1), (2, 0.2), (3, 0.3))]
    predictions = panel(y, mixtures)
    evidence = find_evidence(predictions, equally_confident(predictions.proba))
    assert evidence.held_out == 1
    stability = (kappa(mixtures[0], mixtures[1]) + kappa(mixtures[0], mixtures[2])) / 2
    assert evidence.stability == pytest.approx(stability)
    assert evidence.clusters == pytest.approx(stability)
    assert evidence._replace(held_out=0.5).clusters == pytest.approx(stability / 2)
    assert evidence._replace(held_out=-0.2).clusters == 0
    assert set(evidence.agreement) == {SOURCE_ONLY, MIXTURE}


def with_self_training(mixture, codes):
    predictions = panel(np.arange(N) % 2, [mixture] * 3, **{SELF_TRAINING: predict(codes)})
    return find_evidence(predictions, equally_confident(predictions.proba)).stability


def test_mixtures_that_contradict_self_training_are_no_evidence():
    """Classes that are a style: all mixtures find the same topics."""
    y = np.arange(N) % 2
    topics, linear = with_errors(y, 0.5, 7), with_errors(y, 0.1, 8)
    recall = np.mean([(linear == c)[topics == c].mean() for c in (0, 1)])
    found = with_self_training(topics, linear)
    assert found == pytest.approx(np.sqrt(max(2 * recall - 1, 0)))
    assert found < 0.45
    assert with_self_training(linear, 1 - linear) == 0


def test_other_class_proportions_are_no_contradiction():
    """Clusters of nine to one; balanced self-training gives the rare class twice as many documents."""
    clusters = (np.arange(N) % 10 == 0).astype(int)
    wider = (np.arange(N) % 5 == 0).astype(int)
    assert kappa(clusters, wider) < 0.65
    assert with_self_training(clusters, wider) == pytest.approx(np.sqrt(8 / 9))


def test_co_training_has_half_of_the_vote():
    y = np.arange(N) % 2
    by_view = predict(with_errors(y, 0.05, 5))
    mixtures = [with_errors(y, 0.1, 1)] * 3
    alone, both = panel(y, mixtures), panel(y, mixtures, **{CO_TRAINING: by_view})
    free = COEFFICIENTS._replace(budget=(2, 0, 0, 0, 0))
    Q, answer = combine(alone, free).proba, combine(both, free)
    np.testing.assert_allclose(answer.proba, vote_together(Q, by_view, answer.evidence.clusters), atol=1e-9)
    assert answer.weights[CO_TRAINING] == 0.5
    assert sum(answer.weights.values()) == pytest.approx(1)
    assert CO_TRAINING not in answer.evidence.agreement


def test_changes_that_words_and_view_want_cost_less():
    y = np.arange(N) % 2
    mixtures = [with_errors(y, 0.1, 1)] * 3
    budget = COEFFICIENTS._replace(budget=(0.05, 0, 0, 0, 0))

    def changed(by_view):
        predictions = panel(y, mixtures, **{CO_TRAINING: predict(by_view)})
        return combine(predictions, budget).proba.argmax(axis=1) != predictions.source_only.argmax(axis=1)

    words = combine(panel(y, mixtures), COEFFICIENTS._replace(budget=(2, 0, 0, 0, 0))).proba.argmax(axis=1)
    assert changed(words).mean() == pytest.approx(0.05 / 0.5, abs=1 / N)  # all changes are agreed
    assert changed(1 - words).mean() <= 0.05 / 2.0  # none is


def test_words_decide_the_class_proportions_as_far_as_the_classes_are_clusters():
    rng = np.random.default_rng(0)
    Q, V = (probabilities(rng, c=3) for _ in range(2))
    Q = Q * [1, 3, 9] / (Q * [1, 3, 9]).sum(axis=1, keepdims=True)
    root = np.sqrt(rank_calibrate(Q) * rank_calibrate(V))
    np.testing.assert_allclose(vote_together(Q, V, 0.0), root / root.sum(axis=1, keepdims=True), atol=1e-9)
    matched = match_proportions(V, Q.mean(axis=0))
    root = np.sqrt(rank_calibrate(Q) * rank_calibrate(matched))
    np.testing.assert_allclose(vote_together(Q, V, 1.0), root / root.sum(axis=1, keepdims=True), atol=1e-4)
    shares = [vote_together(Q, V, e).mean(axis=0)[2] for e in (0, 0.5, 1)]
    assert shares == sorted(shares)


def test_weights_by_hand():
    S = dict.fromkeys([SOURCE_ONLY, "other", MIXTURE], np.full((1, 2), 0.5))
    evidence = Evidence(0.8, 0.9, {SOURCE_ONLY: 0.2, "other": 0.4, MIXTURE: 0.6})
    coefficients = COEFFICIENTS._replace(members={"other": 0.7})
    expected = np.exp([-1 + 2 * -0.2, -1 + 0.7, -1 + 2 * 0.2 + logit(0.72)])
    np.testing.assert_allclose(pool_weights(S, evidence, coefficients), expected)


def test_budget_by_hand():
    evidence = Evidence(0.8, 0.9, {})
    assert budget_of_change(evidence, COEFFICIENTS) == pytest.approx(0.02 + 0.15 * 0.8 + 2 * (0.72 - 0.45))
    assert budget_of_change(evidence._replace(stability=0.1), COEFFICIENTS) == pytest.approx(0.14)
    assert budget_of_change(evidence._replace(held_out=-1), COEFFICIENTS) == pytest.approx(0.02)
    few = evidence._replace(stability=0.1)
    assert budget_of_change(few._replace(views=0.3), COEFFICIENTS) == pytest.approx(0.44)
    assert budget_of_change(few._replace(views=-0.2), COEFFICIENTS) == pytest.approx(0.14)
    assert budget_of_change(Evidence(1, 1, {}), COEFFICIENTS._replace(budget=(-1, 0, 0, 0, 0))) == 0


# -- the pool ---------------------------------------------------------------------------------------------------------
def test_pool_by_hand():
    S = {"a": np.array([[0.9, 0.1]]), "b": np.array([[0.4, 0.6]])}
    odds = (0.9 / 0.1) ** 0.5 * (0.4 / 0.6) ** 2 * (0.8 / 0.2) ** 0.3
    Q = pool(S, np.array([0.5, 2.0]), np.array([0.8, 0.2]), 0.3)
    assert Q[0, 0] / Q[0, 1] == pytest.approx(odds)
    assert Q.sum() == pytest.approx(1)


def test_the_proportions_of_the_source_tie():
    S = {"a": np.array([[0.45, 0.55], [0.05, 0.95]])}
    one = np.ones(1)
    assert pool(S, one, np.array([0.9, 0.1]), 0.2).argmax(axis=1).tolist() == [0, 1]
    assert pool(S, one, np.array([0.1, 0.9]), 0.2).argmax(axis=1).tolist() == [1, 1]
    np.testing.assert_allclose(pool(S, one, np.array([0.5, 0.5]), 0.2), S["a"])  # a balanced source changes nothing
    assert np.isfinite(pool(S, one, np.array([1.0, 0.0]), 0.2)).all()


# -- the budget of change ---------------------------------------------------------------------------------------------
@EXAMPLES
@given(st.integers(0, 10_000), st.integers(2, 5), st.floats(0, 1))
def test_changed_labels_cost_no_more_than_the_budget(seed, c, share):
    rng = np.random.default_rng(seed)
    Q, before, cost = probabilities(rng, c=c), rng.integers(c, size=60), rng.choice([0.5, 2.0], size=60)
    P = keep_within(Q, before, share, cost)
    after, changed = Q.argmax(axis=1), P.argmax(axis=1) != before
    assert cost[changed].sum() <= share * 60 + 1e-6
    plain = keep_within(Q, before, share, np.ones(60)).argmax(axis=1) != before
    assert plain.sum() == min((after != before).sum(), int(share * 60 + 1e-9))
    assert (P.argmax(axis=1) == np.where(changed, after, before)).all()
    np.testing.assert_allclose(np.sort(P, axis=1), np.sort(Q, axis=1), atol=1e-8)
    rows = np.arange(60)
    gain = np.log(Q[rows, after] / Q[rows, before])
    undone = (after != before) & ~changed
    if changed.any() and undone.any():  # the largest gains are kept
        assert gain[changed].min() >= gain[undone].max()
    if undone.any():  # the next change would cost too much
        nearest = np.flatnonzero(undone)[gain[undone].argmax()]
        assert cost[changed].sum() + cost[nearest] > share * 60 - 1e-6


def test_budgets_0_and_1():
    rng = np.random.default_rng(0)
    Q, before = probabilities(rng), rng.integers(3, size=60)
    assert (keep_within(Q, before, 0.0, np.ones(60)).argmax(axis=1) == before).all()
    assert keep_within(Q, before, 1.0, np.ones(60)) is Q


def test_exact_ties_are_undone_too():
    Q, before = np.full((4, 3), 1 / 3), np.array([0, 1, 2, 2])
    assert (keep_within(Q, before, 0.0, np.ones(4)).argmax(axis=1) == before).all()


@pytest.mark.parametrize("budget", [0.0, 0.1, 1.0])
def test_changed_is_the_exact_share(budget):
    y = np.arange(N) % 2
    predictions = panel(y, [y, y, y])
    answer = combine(predictions, COEFFICIENTS._replace(budget=(budget, 0.0, 0.0, 0.0, 0.0)))
    before = predictions.source_only.argmax(axis=1)
    assert answer.changed == (answer.proba.argmax(axis=1) != before).mean()
    assert answer.changed <= budget
    assert (answer.changed > 0) == (budget > 0)


# -- all together -----------------------------------------------------------------------------------------------------
def test_a_mixture_that_drifts_has_little_weight():
    y = np.arange(N) % 2
    drifting = [np.random.default_rng(s).integers(2, size=N) for s in (1, 2, 3)]
    answer = combine(panel(y, drifting, other=predict(with_errors(y, 0.25, 4))), COEFFICIENTS)
    assert sum(answer.weights[name] for name in MIXTURES) < 0.05
    assert answer.evidence.clusters < 0.2
    assert answer.changed <= 0.17


def test_a_mixture_that_is_stable_decides():
    y = np.arange(N) % 2
    predictions = panel(y, [y, y, y], other=predict(with_errors(y, 0.25, 4)))
    answer = combine(predictions, COEFFICIENTS)
    assert sum(answer.weights[name] for name in MIXTURES) > 0.9
    assert (answer.proba.argmax(axis=1) == y).mean() > 0.98
    assert (predictions.source_only.argmax(axis=1) == y).mean() < 0.8


def test_weights_are_those_of_the_members_and_sum_to_one():
    y = np.arange(N) % 2
    predictions = panel(y, [with_errors(y, 0.1, s) for s in (1, 2, 3)], other=predict(y))
    weights = combine(predictions, COEFFICIENTS).weights
    assert set(weights) == set(predictions.proba)
    assert sum(weights.values()) == pytest.approx(1)
    assert len({weights[name] for name in MIXTURES}) == 1


def test_a_panel_without_mixtures():
    """Features below 0 leave no mixture models."""
    task = vocabulary_shift(n_docs=60, common=0.4)
    turn = np.random.default_rng(0).normal(size=(task.Xs.shape[1], 20))
    predictions = fit_panel(as_domains(task._replace(Xs=task.Xs @ turn, Xt=task.Xt @ turn)), seed=0)
    assert SOURCE_ONLY in predictions.proba
    assert not set(MIXTURES) & set(predictions.proba)
    answer = combine(predictions, COEFFICIENTS)
    assert answer.evidence.stability == 0
    assert set(answer.weights) == set(predictions.proba)
    assert sum(answer.weights.values()) == pytest.approx(1)
    assert (answer.proba.argmax(axis=1) == task.yt).mean() > 0.8


def test_coefficients_from_a_file_have_a_tuple():
    values = COEFFICIENTS._asdict() | {"budget": [0.1, 0.2, 0.3, 0.4, 0.5]}
    assert coefficients_from(values) == COEFFICIENTS._replace(budget=(0.1, 0.2, 0.3, 0.4, 0.5))


def test_margin_by_hand():
    np.testing.assert_allclose(margin(np.array([[0.5, 0.2, 0.3], [0.1, 0.1, 0.8]])), [0.2, 0.7])
