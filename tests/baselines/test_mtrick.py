import numpy as np
import pytest

from labelferry.baselines import nmtf
from labelferry.baselines.mtrick import Factors, MTrick, objective, start, step, word_clusters
from labelferry.families.trifactorization import factorization_problem
from labelferry.linalg.normalize import unit_total

from ..planted import random_problem, stacked, two_sources, vocabulary_shift
from ..reference import mtrick as slow


def problem(sizes=(11, 13), n_topics=4, seed=0, beta=1.5):
    X, known, G = random_problem(sizes=sizes, seed=seed)
    X = [unit_total(Xd) for Xd in X]
    p = factorization_problem(X, known, G)
    f = start(p, word_clusters(np.vstack(X), n_topics, np.random.default_rng(seed)))
    return f, p, tuple(1.0 if k.all() else beta for k in known)


@pytest.mark.parametrize("sizes", [(11, 13), (7, 9, 12)])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 1000.0])
@pytest.mark.parametrize("beta", [0.5, 1.5])
def test_step_equals_the_papers_loops_for_any_alpha(alpha, beta, sizes):
    """The loops also update the labels of the sources, pulled to the given ones by alpha: they never change."""
    f, p, weights = problem(sizes, beta=beta)
    Xt, is_target = [X.T for X in p.X], [not k.all() for k in p.known]
    F, S, G, _ = f
    Y = list(f.G)
    for _ in range(3):
        f = step(f, p, weights)
        F, S, G = slow.cycle(Xt, F, S, G, Y, is_target, alpha, beta)
        np.testing.assert_allclose(f.S, S, rtol=1e-10)
        for d in range(len(p.X)):
            np.testing.assert_allclose(f.F[d], F[d], rtol=1e-10)
            np.testing.assert_allclose(f.G[d], G[d], rtol=1e-10)
    assert objective(f, p, weights) == pytest.approx(slow.objective(Xt, F, S, G, Y, is_target, alpha, beta), rel=1e-10)


@pytest.mark.parametrize("beta", [0.5, 1.5])
def test_objective_never_increases_without_the_normalizations(beta):
    f, p, weights = problem(seed=3, beta=beta)
    values = [objective(f, p, weights)]
    for _ in range(300):
        f = step(f, p, weights, normalize=False)
        values.append(objective(f, p, weights))
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    assert values[-1] < 0.8 * values[0]


def kkt_residual(f: Factors, p, weights) -> float:
    """max |gradient * factor|, relative to the size of the gradient's parts."""
    R = [F @ f.S @ G.T - X.T for X, F, G in zip(p.X, f.F, f.G, strict=True)]
    terms = [
        f.S * sum(w * F.T @ Rd @ G for w, F, Rd, G in zip(weights, f.F, R, f.G, strict=True)),
        *(F * (Rd @ G @ f.S.T) for F, Rd, G in zip(f.F, R, f.G, strict=True)),
        f.G[-1] * (R[-1].T @ f.F[-1] @ f.S),
    ]
    return max(abs(t).max() for t in terms) / (abs(f.F[-1].T @ p.X[-1].T @ f.G[-1]).max() * f.S.max())


def test_kkt_residual_vanishes():
    f, p, weights = problem(seed=1)
    first = kkt_residual(f, p, weights)
    for _ in range(10000):
        f = step(f, p, weights, normalize=False)
    assert kkt_residual(f, p, weights) < 1e-4 * first


def test_fixed_points_are_those_of_nmtf():
    """With beta = 1 and no normalization, (1) is NMTF's problem; the root changes the path, not the fixed point."""
    f, p, weights = problem(seed=2, beta=1.0)
    g = nmtf.Factors(*f)
    for _ in range(20000):
        g = nmtf.step(g, p, normalize="never")
    rest = Factors(*g)
    moved = step(rest, p, weights, normalize=False)
    assert objective(rest, p, weights) == pytest.approx(2 * nmtf.objective(g, p), rel=1e-10)
    np.testing.assert_allclose(moved.S, rest.S, rtol=1e-3, atol=1e-4 * rest.S.max())
    for d in range(2):
        np.testing.assert_allclose(moved.F[d], rest.F[d], rtol=1e-3, atol=1e-4 * rest.F[d].max())
        np.testing.assert_allclose(moved.G[d], rest.G[d], rtol=1e-3, atol=1e-4 * rest.G[d].max())


def test_the_value_of_the_uniform_start_changes_no_label():
    f, p, weights = problem()
    g = f._replace(S=np.full_like(f.S, 1 / f.S.shape[1]))
    for _ in range(60):
        f, g = step(f, p, weights), step(g, p, weights)
        np.testing.assert_allclose(f.G[-1], g.G[-1], rtol=1e-8)
    np.testing.assert_allclose(f.S, g.S, rtol=1e-8)


def test_word_clusters_are_those_that_made_the_words():
    """Two topics without a common word: P(topic | word) is 0 or 1; uniform for a word that does not occur."""
    rng = np.random.default_rng(0)
    of_topic = np.array([[3.0, 2, 1, 0, 0, 0, 0], [0, 0, 0, 1, 2, 3, 0]])
    X = rng.poisson(5 * of_topic[np.arange(40) % 2]).astype(float)
    F = word_clusters(X, 2, rng)
    assert abs(F[0] - F[5]).max() > 0.99
    np.testing.assert_allclose(F[:3], np.tile(F[0], (3, 1)), atol=1e-2)
    np.testing.assert_allclose(F[6], 0.5)
    np.testing.assert_allclose(F.sum(axis=1), 1, rtol=1e-6)


def test_planted_with_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = MTrick(random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.95
    for G, y in zip(est.state_.G, ys, strict=False):
        np.testing.assert_array_equal(G, np.eye(2)[y])


def test_given_labels_are_kept():
    X, y, domain = stacked(task := vocabulary_shift())
    wrong = 1 - task.yt[:5]
    y[len(task.ys) : len(task.ys) + 5] = wrong
    est = MTrick(random_state=0).fit(X, y, domain, use_target_labels=True)
    np.testing.assert_array_equal(est.state_.G[1][:5], np.eye(2)[wrong])


def test_same_seed_same_prediction():
    task = vocabulary_shift(n_docs=60)
    first, second = (MTrick(20, random_state=4) for _ in range(2))
    first.transfer(task.Xs, task.ys, task.Xt)
    second.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_array_equal(first.transduction_proba_, second.transduction_proba_)
