import numpy as np
import pytest

from labelferry.baselines.nmtf import NMTF, objective, start, step
from labelferry.families.trifactorization import factorization_problem
from labelferry.methods import tcl

from ..planted import random_problem, stacked, vocabulary_shift
from ..reference import nmtf as slow


def problem(sizes=(11, 13), n_topics=4, seed=0):
    X, known, V = random_problem(sizes=sizes, seed=seed)
    p = factorization_problem(X, known, V)
    return start(p, n_topics, np.random.default_rng(seed)), p


@pytest.mark.parametrize("normalize", ["update", "cycle", "never"])
@pytest.mark.parametrize("sizes", [(11, 13), (7, 9, 12)])
def test_step_equals_the_loops(sizes, normalize):
    f, p = problem(sizes)
    Xt = [X.T for X in p.X]
    W, H, V, _ = f
    for _ in range(3):
        f = step(f, p, normalize)
        W, H, V = slow.cycle(Xt, W, H, V, [not k.all() for k in p.known], normalize)
        np.testing.assert_allclose(f.H, H, rtol=1e-10)
        for d in range(len(p.X)):
            np.testing.assert_allclose(f.W[d], W[d], rtol=1e-10)
            np.testing.assert_allclose(f.V[d], V[d], rtol=1e-10)
    assert objective(f, p) == pytest.approx(slow.objective(Xt, W, H, V), rel=1e-10)


def test_objective_never_increases_without_the_normalizations():
    f, p = problem(seed=3)
    values = [objective(f, p)]
    for _ in range(200):
        f = step(f, p, normalize="never")
        values.append(objective(f, p))
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    assert values[-1] < 0.8 * values[0]


def kkt_residual(f, p) -> float:
    """max |gradient * factor|, relative to the size of the gradient's parts."""
    R = [W @ f.H @ V.T - X.T for X, W, V in zip(p.X, f.W, f.V, strict=True)]
    terms = [
        f.H * sum(W.T @ Rd @ V for W, Rd, V in zip(f.W, R, f.V, strict=True)),
        *(W * (Rd @ V @ f.H.T) for W, Rd, V in zip(f.W, R, f.V, strict=True)),
        f.V[-1] * (R[-1].T @ f.W[-1] @ f.H),
    ]
    return max(abs(t).max() for t in terms) / (abs(f.W[-1].T @ p.X[-1].T @ f.V[-1]).max() * f.H.max())


def test_kkt_residual_vanishes():
    f, p = problem(seed=1)
    first = kkt_residual(f, p)
    for _ in range(5000):
        f = step(f, p, normalize="never")
    assert kkt_residual(f, p) < 1e-4 * first


@pytest.mark.parametrize("normalize", ["update", "cycle", "never"])
def test_is_tcl_without_common_words(normalize):
    f, p = problem((7, 9, 12), seed=2)
    g = tcl.Factors(np.ones_like(f.W[0]), f.W, f.H, f.V, f.XV)
    for _ in range(5):
        f, g = step(f, p, normalize), tcl.step(g, p, 0.0, normalize)
        np.testing.assert_allclose(f.H, g.H, rtol=1e-10)
        for d in range(len(p.X)):
            np.testing.assert_allclose(f.W[d], g.W[d], rtol=1e-10)
            np.testing.assert_allclose(f.V[d], g.V[d], rtol=1e-10)


def test_given_labels_are_kept():
    X, y, domain = stacked(task := vocabulary_shift())
    wrong = 1 - task.yt[:5]
    y[len(task.ys) : len(task.ys) + 5] = wrong
    est = NMTF(random_state=0).fit(X, y, domain, use_target_labels=True)
    np.testing.assert_array_equal(est.state_.V[1][:5], np.eye(2)[wrong])
    np.testing.assert_array_equal(est.transduction_[:5], wrong)
