import numpy as np
import pytest

from labelferry.baselines import nmtf
from labelferry.baselines.dtl import DTL, Factors, objective, start, step
from labelferry.families.trifactorization import factorization_problem
from labelferry.methods import tcl

from ..planted import random_problem, stacked, vocabulary_shift
from ..reference import dtl as slow


def problem(sizes=(11, 13), n_common=3, n_own=2, seed=0):
    X, known, V = random_problem(sizes=sizes, seed=seed)
    p = factorization_problem(X, known, V)
    return start(p, n_common, n_own, np.random.default_rng(seed)), p


@pytest.mark.parametrize("normalize", ["update", "cycle", "never"])
@pytest.mark.parametrize("sizes", [(11, 13), (7, 9, 12)])
def test_step_equals_the_loops(sizes, normalize):
    f, p = problem(sizes)
    Xt = [X.T for X in p.X]
    U, W, H, V, _ = f
    for _ in range(3):
        f = step(f, p, normalize)
        U, W, H, V = slow.cycle(Xt, U, W, H, V, [not k.all() for k in p.known], normalize)
        np.testing.assert_allclose(f.U, U, rtol=1e-9)
        np.testing.assert_allclose(f.H, H, rtol=1e-9)
        for d in range(len(p.X)):
            np.testing.assert_allclose(f.W[d], W[d], rtol=1e-9)
            np.testing.assert_allclose(f.V[d], V[d], rtol=1e-9)
    assert objective(f, p) == pytest.approx(slow.objective(Xt, U, W, H, V), rel=1e-10)


def test_the_gradients_of_the_loops_are_those_of_the_objective():
    f, p = problem()
    Xt = [X.T for X in p.X]
    rng = np.random.default_rng(5)
    dU, dW, dH, dV = slow.gradients(Xt, *f[:4])
    for name, gradient in (("U", dU), ("W", dW), ("H", dH), ("V", dV)):
        value = getattr(f, name)
        several = isinstance(value, tuple)
        away = [rng.standard_normal(v.shape) for v in (value if several else [value])]
        slope = sum((g * a).sum() for g, a in zip(gradient if several else [gradient], away, strict=True))

        def along(t, name=name, value=value, away=away, several=several):
            moved = tuple(v + t * a for v, a in zip(value, away, strict=True)) if several else value + t * away[0]
            return slow.objective(Xt, *f._replace(**{name: moved})[:4])

        assert (along(1e-5) - along(-1e-5)) / 2e-5 == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize(("n_common", "n_own"), [(3, 2), (5, 0), (0, 5)])
def test_objective_never_increases_without_the_normalizations(n_common, n_own):
    f, p = problem(n_common=n_common, n_own=n_own, seed=3)
    values = [objective(f, p)]
    for _ in range(200):
        f = step(f, p, normalize="never")
        values.append(objective(f, p))
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    assert values[-1] < 0.8 * values[0]


def kkt_residual(f: Factors, p) -> float:
    """max |gradient * factor|, relative to the size of the gradient's parts. The V of a source is not a variable."""
    dU, dW, dH, dV = slow.gradients([X.T for X in p.X], *f[:4])
    terms = [f.U * dU, f.H * dH, *(W * g for W, g in zip(f.W, dW, strict=True)), f.V[-1] * dV[-1]]
    return max(abs(t).max() for t in terms) / (abs(f.W[-1].T @ p.X[-1].T @ f.V[-1]).max() * f.H.max())


def test_kkt_residual_vanishes():
    f, p = problem(seed=1)
    first = kkt_residual(f, p)
    for _ in range(5000):
        f = step(f, p, normalize="never")
    assert kkt_residual(f, p) < 1e-4 * first


@pytest.mark.parametrize("normalize", ["update", "cycle", "never"])
def test_without_common_topics_is_nmtf(normalize):
    f, p = problem((7, 9, 12), n_common=0, n_own=4, seed=2)
    g = nmtf.Factors(f.W, f.H, f.V, f.XV)
    for _ in range(5):
        f, g = step(f, p, normalize), nmtf.step(g, p, normalize)
    np.testing.assert_allclose(f.H, g.H, rtol=1e-10)
    np.testing.assert_allclose(f.V[-1], g.V[-1], rtol=1e-10)


def test_without_common_topics_is_nmtf_from_the_same_seed():
    task = vocabulary_shift()
    own = DTL(0, 8, random_state=3)
    own.transfer(task.Xs, task.ys, task.Xt)
    plain = nmtf.NMTF(8, random_state=3)
    plain.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_allclose(own.transduction_proba_, plain.transduction_proba_, rtol=1e-8)


def test_without_domain_topics_is_tcl_with_common_words_only():
    """Both are the tri-factorization in which all domains share their words."""
    f, p = problem((7, 9, 12), n_common=4, n_own=0, seed=2)
    g = tcl.Factors(f.U, (f.U, f.U, f.U), f.H, f.V, f.XV)
    for _ in range(5):
        f, g = step(f, p), tcl.step(g, p, 1.0)
    np.testing.assert_allclose(f.U, g.U, rtol=1e-10)
    np.testing.assert_allclose(f.H, g.H, rtol=1e-10)
    np.testing.assert_allclose(f.V[-1], g.V[-1], rtol=1e-10)


def test_given_labels_are_kept():
    X, y, domain = stacked(task := vocabulary_shift())
    wrong = 1 - task.yt[:5]
    y[len(task.ys) : len(task.ys) + 5] = wrong
    est = DTL(random_state=0).fit(X, y, domain, use_target_labels=True)
    np.testing.assert_array_equal(est.state_.V[1][:5], np.eye(2)[wrong])


def test_no_topics_at_all_is_an_error():
    task = vocabulary_shift(n_docs=20)
    with pytest.raises(ValueError, match="n_common_topics \\+ n_domain_topics must be at least 1; got 0 \\+ 0"):
        DTL(0, 0).transfer(task.Xs, task.ys, task.Xt)
    with pytest.raises(ValueError, match="n_common_topics \\+ n_domain_topics must be at most n_features="):
        DTL(500, 500).transfer(task.Xs, task.ys, task.Xt)
