import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from labelferry.baselines import MSDA, SourceLR
from labelferry.baselines.msda import (
    CORRUPTIONS,
    RIDGE,
    START_C,
    denoise,
    expectations,
    layers,
    objective,
    read_input,
    represent,
)
from labelferry.families.linear import held_out_accuracy, logistic

from ..corpora import newsgroups
from ..planted import two_sources, vocabulary_shift
from ..reference import msda as slow

NEWS = "20news/20news-bydate.jsonl.gz"


def small_layer(seed=0):
    """Counts of 40 documents and 7 words, of which 3 are predicted."""
    X = np.random.default_rng(seed).poisson(1.0, size=(40, 7)).astype(float)
    return X, X[:, [2, 0, 5]]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("p", [0.0, 0.3, 0.9])
def test_expectations_equal_the_loops(p, kind):
    X, T = small_layer()
    for actual, expected in zip(expectations(kind(X), kind(T), p), slow.expectations(X, T, p), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-12)
    np.testing.assert_allclose(denoise(kind(X), kind(T), p), slow.weights(X, T, p, RIDGE), rtol=1e-8)


@pytest.mark.parametrize("p", [0.5, 0.9])
def test_the_closed_form_is_the_mean_of_20_000_corruptions(p):
    X, T = small_layer()
    closed, drawn = expectations(X, T, p), slow.sampled(X, T, p, 20_000, np.random.default_rng(1))
    for actual, expected in zip(closed, drawn, strict=True):
        assert np.linalg.norm(actual - expected) < 0.01 * np.linalg.norm(expected)
    W = np.linalg.solve(drawn[1], drawn[0])
    assert np.linalg.norm(denoise(X, T, p) - W) < 0.01 * np.linalg.norm(W)


def test_no_weights_have_a_lower_expected_loss():
    X, T = small_layer()
    P, Q = expectations(X, T, 0.6)
    W = np.linalg.solve(Q, P)
    rng = np.random.default_rng(0)
    lowest = objective(W, P, Q, T)
    for _ in range(20):
        assert objective(W + 0.1 * rng.standard_normal(W.shape), P, Q, T) > lowest
    assert objective(denoise(X, T, 0.6), P, Q, T) == pytest.approx(lowest, rel=1e-6)  # the ridge is small
    loss = []
    for _ in range(4000):  # (1) itself
        kept = np.hstack([rng.random(X.shape) >= 0.6, np.ones((len(X), 1), bool)])
        loss.append(((T - (slow.with_constant(X) * kept) @ W) ** 2).sum())
    assert np.mean(loss) == pytest.approx(lowest, rel=0.01)


@pytest.mark.parametrize("r", [5, 14, 100])
def test_layers_equal_the_slow_reference(r):
    """With r = 5 there are several blocks of words; with r = 14, the number of words, or more there is one."""
    X = np.random.default_rng(0).poisson(0.5, size=(30, 14)).astype(float)
    X[:, 3] = 0  # a word that occurs in no document
    frequent = np.argsort(-(X > 0).sum(axis=0), kind="stable")[:r]
    order = np.random.default_rng(7).permutation(14)
    blocks = np.array_split(order, 3 if r == 5 else 1)
    expected = slow.representation(X, 0.5, 3, frequent, blocks, RIDGE)
    for kind in (np.asarray, sp.csr_array):
        W, b = layers(kind(X), 0.5, 3, r, np.random.default_rng(7))
        assert [Wl.shape for Wl in W] == [(14, min(r, 14)), *[(min(r, 14), min(r, 14))] * 2]
        F = represent(kind(X), W, b)
        np.testing.assert_allclose(F.toarray() if sp.issparse(F) else F, expected, atol=1e-7)


def test_without_corruption_a_layer_returns_its_input():
    X, _ = small_layer()
    W, b = layers(X, 0.0, 1, 7, np.random.default_rng(0))
    by_frequency = np.argsort(-(X > 0).sum(axis=0), kind="stable")
    np.testing.assert_allclose(W[0], np.eye(7)[:, by_frequency], atol=1e-3)
    np.testing.assert_allclose(b[0], 0, atol=1e-3)


@pytest.mark.parametrize(("n_classes", "above"), [(2, 0.95), (4, 0.85)])
def test_planted_vocabulary_shift_is_bridged(n_classes, above):
    task = vocabulary_shift(n_classes=n_classes)
    floor = (SourceLR().transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()
    accuracy = (MSDA(random_state=0).transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()
    assert accuracy > max(floor, above)


def test_two_sources_and_few_frequent_words():
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = MSDA(n_frequent=60, n_layers=3, random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.9
    assert est.state_.W[0].shape == (Xt.shape[1], 60)
    assert est.state_.model.coef.shape == (1, Xt.shape[1] + 3 * 60)


def test_the_classifier_is_logistic_regression_on_the_layers():
    task = vocabulary_shift(n_docs=60)
    est = MSDA(0.6, input="given", C=2.0, random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt)
    model = logistic(represent(task.Xs, est.state_.W, est.state_.b), task.ys, C=2.0)
    np.testing.assert_allclose(est.state_.model.coef, model.coef, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        est.transduction_proba_, model.proba(represent(task.Xt, est.state_.W, est.state_.b)), atol=1e-8
    )


def test_binary_input_ignores_how_often_a_word_occurs():
    task = vocabulary_shift(n_docs=60)
    binary, given = MSDA(random_state=0), MSDA(input="given", random_state=0)
    labels = binary.transfer(task.Xs, task.ys, task.Xt)
    ones = [read_input(X, True) for X in (task.Xs, task.Xt)]
    np.testing.assert_array_equal(labels, given.transfer(ones[0], task.ys, ones[1]))
    np.testing.assert_allclose(binary.transduction_proba_, given.transduction_proba_, atol=1e-8)


def test_corruption_by_cross_validation_is_the_best_on_the_source():
    task = vocabulary_shift(n_docs=60, common=0.1, length=12)
    accuracy = []
    for p in CORRUPTIONS:
        est = MSDA(p, random_state=0)
        est.transfer(task.Xs, task.ys, task.Xt)
        F = represent(read_input(task.Xs, True), est.state_.W, est.state_.b)
        accuracy.append(held_out_accuracy(LogisticRegression(C=START_C), F, task.ys))
    chosen, best = MSDA("cv", random_state=0), MSDA(CORRUPTIONS[int(np.argmax(accuracy))], random_state=0)
    chosen.transfer(task.Xs, task.ys, task.Xt)
    best.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_array_equal(chosen.state_.W[0], best.state_.W[0])


@pytest.mark.parametrize("p", [-0.1, 1.0, "best"])
def test_an_invalid_corruption_is_rejected(p):
    with pytest.raises(ValueError, match="'corruption' parameter of MSDA"):
        MSDA(p).transfer(np.eye(4), [0, 0, 1, 1], np.eye(4))


def test_better_than_the_source_only_classifier_on_newsgroups(corpus):
    """comp vs sci, every fourth document: the published gain over logistic regression is 8 points."""
    task = newsgroups(corpus(NEWS), ("comp", "sci"))
    Xs, ys, Xt, yt = (part[::4] for part in task)
    floor = (SourceLR(C=10).transfer(Xs, ys, Xt) == yt).mean()
    assert (MSDA(n_frequent=500, random_state=0).transfer(Xs, ys, Xt) == yt).mean() > floor + 0.05
