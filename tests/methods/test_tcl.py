from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.baselines import SourceLR
from labelferry.families.trifactorization import factorization_problem
from labelferry.methods.tcl import TCL, Factors, mix, objective, start, step, weigh, word_weights

from ..planted import random_problem, stacked, two_sources, vocabulary_shift
from ..reference import tcl as slow


def problem(sizes=(11, 13), n_topics=4, seed=0):
    X, known, V = random_problem(sizes=sizes, seed=seed)
    p = factorization_problem(X, known, V)
    return start(p, n_topics, np.random.default_rng(seed)), p


@pytest.mark.parametrize("normalize", ["update", "cycle", "never"])
@pytest.mark.parametrize("sizes", [(11, 13), (7, 9, 12)])
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.9, 1.0])
def test_step_equals_the_papers_loops(alpha, sizes, normalize):
    f, p = problem(sizes)
    Xt = [X.T for X in p.X]
    U, W, H, V, _ = f
    for _ in range(3):
        f = step(f, p, alpha, normalize)
        U, W, H, V = slow.cycle(Xt, U, W, H, V, alpha, [not k.all() for k in p.known], normalize)
        np.testing.assert_allclose(f.U, U, rtol=1e-10)
        np.testing.assert_allclose(f.H, H, rtol=1e-10)
        for d in range(len(p.X)):
            np.testing.assert_allclose(f.W[d], W[d], rtol=1e-10)
            np.testing.assert_allclose(f.V[d], V[d], rtol=1e-10)
    assert objective(f, p, alpha) == pytest.approx(slow.objective(Xt, U, W, H, V, alpha), rel=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_theorem_2_objective_never_increases(alpha):
    f, p = problem(seed=3)
    values = [objective(f, p, alpha)]
    for _ in range(200):
        f = step(f, p, alpha, normalize="never")
        values.append(objective(f, p, alpha))
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    assert values[-1] < 0.8 * values[0]


def kkt_residual(f: Factors, p, alpha) -> float:
    """max |gradient * factor|, which vanishes by Theorem 1, relative to the size of the gradient's parts."""
    P = [mix(alpha, f.U, W) for W in f.W]
    R = [Pd @ f.H @ V.T - X.T for Pd, X, V in zip(P, p.X, f.V, strict=True)]
    terms = [
        alpha * f.U * sum(Rd @ V @ f.H.T for Rd, V in zip(R, f.V, strict=True)),
        f.H * sum(Pd.T @ Rd @ V for Pd, Rd, V in zip(P, R, f.V, strict=True)),
        *((1 - alpha) * W * (Rd @ V @ f.H.T) for W, Rd, V in zip(f.W, R, f.V, strict=True)),
        f.V[-1] * (R[-1].T @ P[-1] @ f.H),
    ]
    size = max(abs(P[-1].T @ p.X[-1].T @ f.V[-1]).max() * f.H.max(), 1e-300)
    return max(abs(t).max() for t in terms) / size


def test_theorem_1_kkt_residual_vanishes():
    f, p = problem(seed=1)
    first = kkt_residual(f, p, 0.5)
    for _ in range(5000):
        f = step(f, p, 0.5, normalize="never")
    assert kkt_residual(f, p, 0.5) < 1e-4 * first


def test_a_label_given_in_the_target_stays():
    X, known, V = random_problem()
    known[-1][:4] = True
    V[-1][:4] = np.eye(3)[[0, 1, 2, 0]]
    p = factorization_problem(X, known, V)
    g = step(start(p, 4, np.random.default_rng(0)), p, 0.9)
    np.testing.assert_allclose(g.V[-1], V[-1])  # H starts even, so the first (7) changes nothing
    g = step(g, p, 0.9)
    np.testing.assert_array_equal(g.V[-1][:4], V[-1][:4])
    assert not np.allclose(g.V[-1][4:], V[-1][4:])


def test_a_parameter_changed_after_the_fit_changes_no_prediction():
    task = vocabulary_shift()
    est = TCL(random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt)
    before = est.predict_proba(task.Xt)
    np.testing.assert_array_equal(est.set_params(common_weight=0.1).predict_proba(task.Xt), before)


def test_v_does_not_change_if_all_labels_are_known():
    X, _, V = random_problem()
    V[-1] = np.eye(3)[np.arange(len(V[-1])) % 3]
    p = factorization_problem(X, [np.ones(len(v), bool) for v in V], V)
    f = step(start(p, 4, np.random.default_rng(0)), p, 0.9)
    for before, after in zip(V, f.V, strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_solved(n_classes):
    task = vocabulary_shift(n_classes=n_classes)
    est = TCL(random_state=0)
    accuracy = (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()
    assert accuracy > 0.95


def test_planted_with_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = TCL(random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.95
    assert est.domain_names_ == ["source 1", "source 2", "target"]
    assert len(est.state_.factors.W) == 3


def test_topics_name_common_and_domain_words():
    task = vocabulary_shift(n_classes=2, n_words=30)
    est = TCL(n_topics=2, random_state=0).fit(*stacked(task))
    names = [f"{kind}-{c}" for c in (0, 1) for kind in ("common", "old", "new") for _ in range(30)] + ["noise"] * 90
    for row in est.topics_table(names, n_words=10):
        label = row["class"]
        share = partial(share_of, label=label)
        assert share("new", row["domains"]["target 2"]) > 0.6
        assert share("old", row["domains"]["source 1"]) > 0.6
        assert share("old", row["domains"]["target 2"]) == 0
        assert 0.5 <= row["lean"] <= 1


def share_of(kind, words, label):
    return np.mean([word == f"{kind}-{label}" for word in words])


def test_weighting_none_uses_x_as_it_is():
    task = vocabulary_shift()
    est = TCL(weighting="none", random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_array_equal(est.state_.word_weights, 1)


def test_word_weights_are_one_over_the_root_of_the_sum_of_a_word():
    X = [np.array([[1.0, 0, 0], [3.0, 9.0, 0]])]
    np.testing.assert_allclose(word_weights(X), [1 / 2, 1 / 3, 1])
    rows = weigh(X[0], word_weights(X))
    np.testing.assert_allclose((rows**2).sum(axis=1), 1)


def test_predictions_for_the_documents_of_the_fit_use_the_same_word_weights():
    task = vocabulary_shift()
    est = TCL(random_state=0)
    labels = est.transfer(task.Xs, task.ys, task.Xt)
    assert (est.predict(task.Xt) == labels).mean() > 0.95


def test_words_that_do_not_occur_change_nothing():
    task = vocabulary_shift(seed=5)
    empty = sp.csr_array((task.Xs.shape[0], 7))
    Xs, Xt = (sp.csr_array(sp.hstack([empty[: X.shape[0]], X, empty[: X.shape[0]]])) for X in (task.Xs, task.Xt))
    one, other = TCL(random_state=0), TCL(random_state=0)
    one.transfer(task.Xs, task.ys, task.Xt)
    other.transfer(Xs, task.ys, Xt)
    np.testing.assert_allclose(other.transduction_proba_, one.transduction_proba_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(other.state_.factors.U[7:-7], one.state_.factors.U, rtol=1e-6, atol=1e-12)
    assert not other.state_.factors.U[:7].any()


@pytest.mark.parametrize("C", [0.1, 10.0, "cv"])
def test_v_starts_with_logistic_regression_with_c(C):
    task = vocabulary_shift(seed=4, length=12)
    one_step = TCL(C=C, max_iter=1, random_state=0)  # H starts even, so the first (7) changes nothing
    one_step.transfer(task.Xs, task.ys, task.Xt)
    plain = SourceLR(C=C, class_weight=None, weighting="given")
    plain.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_allclose(one_step.transduction_proba_, plain.transduction_proba_, atol=1e-6)
