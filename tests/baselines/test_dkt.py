import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.baselines import dtl
from labelferry.baselines.dkt import DKT, Factors, multiplier, objective, orthogonal_update, start, step, unit_columns
from labelferry.families.trifactorization import factorization_problem
from labelferry.linalg.normalize import unit_norm

from ..planted import random_problem, stacked, two_sources, vocabulary_shift
from ..reference import dkt as slow


def problem(sizes=(11, 13), n_topics=4, seed=0):
    X, known, V = random_problem(sizes=sizes, seed=seed)
    X, G = [unit_norm(Xd) for Xd in X], tuple(unit_columns(Vd) for Vd in V)
    p = factorization_problem(X, known, G)
    return start(p, n_topics, np.random.default_rng(seed)), p


def indicator(codes, n_columns):
    """Orthonormal columns: each row belongs to one of them."""
    return unit_columns(np.eye(n_columns)[codes])


@pytest.mark.parametrize("sizes", [(11, 13), (7, 9, 12)])
def test_step_equals_the_loops(sizes):
    f, p = problem(sizes)
    Xt = [X.T for X in p.X]
    F, S, G, _ = f
    for _ in range(3):
        f = step(f, p)
        F, S, G = slow.cycle(Xt, F, S, G, [not k.all() for k in p.known])
        np.testing.assert_allclose(f.F, F, rtol=1e-10)
        np.testing.assert_allclose(f.S, S, rtol=1e-10)
        for d in range(len(p.X)):
            np.testing.assert_allclose(f.G[d], G[d], rtol=1e-10)
    assert objective(f, p) == pytest.approx(slow.objective(Xt, F, S, G), rel=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_an_update_never_increases_its_lagrangian(seed):
    rng = np.random.default_rng(seed)
    F, A = rng.random((17, 4)) ** 3, rng.random((17, 4)) ** 3
    for _ in range(10):
        C = multiplier(F, A)
        before, F = slow.lagrangian(F, A, C), orthogonal_update(F, A)
        assert slow.lagrangian(F, A, C) <= before + 1e-12 * abs(before)


def test_the_update_of_s_never_increases_the_objective():
    f, p = problem(seed=3)
    for _ in range(100):
        S, f = f.S, step(f, p)
        assert objective(f, p) <= objective(f._replace(S=S), p) * (1 + 1e-12)


def kkt_residual(f: Factors, p) -> float:
    """max |factor * (its numerator - its denominator)|, relative to the numerator: 0 by the KKT conditions."""
    A = [sum(X.T @ G for X, G in zip(p.X, f.G, strict=True)) @ f.S.T, p.X[-1] @ f.F @ f.S]
    terms = [(M, Ad, M @ multiplier(M, Ad)) for M, Ad in zip((f.F, f.G[-1]), A, strict=True)]
    fitted = sum(f.F.T @ f.F @ f.S @ G.T @ G for G in f.G)
    terms.append((f.S, sum(f.F.T @ X.T @ G for X, G in zip(p.X, f.G, strict=True)), fitted))
    return max(abs(M * (up - down)).max() / abs(M * up).max() for M, up, down in terms)


def test_kkt_residual_vanishes():
    f, p = problem(seed=1)
    first = kkt_residual(f, p)
    for _ in range(5000):
        f = step(f, p)
    assert kkt_residual(f, p) < 1e-4 * first


@pytest.mark.parametrize("seed", range(5))
def test_no_column_is_longer_than_one(seed):
    f, p = problem(seed=seed)
    for _ in range(30):
        f = step(f, p)
        assert (f.F**2).sum(axis=0).max() <= 1 + 1e-12
        assert (f.G[-1] ** 2).sum(axis=0).max() <= 1 + 1e-12


def test_columns_without_a_common_row_stay_orthonormal():
    rng = np.random.default_rng(0)
    F = unit_columns(indicator(np.arange(17) % 4, 4) * rng.random((17, 4)))
    for _ in range(5):
        F = orthogonal_update(F, rng.random((17, 4)))
        np.testing.assert_allclose(F.T @ F, np.eye(4), atol=1e-12)


def test_if_s_fits_the_update_is_the_root_of_the_step_with_shared_words():
    """With F and G orthonormal and S = F'X'G the multipliers are zero; what remains is DTL without domain topics."""
    rng = np.random.default_rng(0)
    X = unit_norm(rng.random((15, 17)))
    F, G = indicator(np.arange(17) % 4, 4), indicator(np.arange(15) % 3, 3)
    S = F.T @ X.T @ G
    p = factorization_problem([X], [np.zeros(15, bool)], [G])
    shared = dtl.step(dtl.Factors(F, (np.empty((17, 0)),), S, (G,), p.XV), p, normalize="never")
    updated = step(Factors(F, S, (G,), p.XV), p).F
    np.testing.assert_allclose(updated**2, F * shared.U, rtol=1e-10)
    XB, B = X @ F @ S, F @ S
    np.testing.assert_allclose(orthogonal_update(G, XB) ** 2, G**2 * XB / (G @ B.T @ B), rtol=1e-10)


def test_an_exact_orthogonal_factorization_is_a_fixed_point():
    rng = np.random.default_rng(0)
    F, S = indicator(np.arange(17) % 4, 4), rng.random((4, 3))
    G = tuple(indicator(rng.permutation(n) % 3, 3) for n in (11, 13))
    p = factorization_problem([Gd @ S.T @ F.T for Gd in G], [np.ones(11, bool), np.zeros(13, bool)], G)
    f = step(Factors(F, S, G, p.XV), p)
    assert objective(f, p) == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(f.F, F, atol=1e-12)
    np.testing.assert_allclose(f.S, S, atol=1e-12)
    np.testing.assert_allclose(f.G[1], G[1], atol=1e-12)


def test_labels_are_recovered_from_orthonormal_columns():
    """Classes of 1, 3 and 8 documents, for any length of the columns."""
    Y = np.eye(3)[[0, 1, 1, 1, *[2] * 8]]
    for length in (1.0, np.array([0.2, 5.0, 1.0])):
        f = Factors(np.ones((2, 1)), np.ones((1, 3)), (unit_columns(Y) * length,), XG=())
        np.testing.assert_allclose(f.V[0], Y, rtol=1e-12)


def test_a_target_given_twice_gets_the_same_predictions(monkeypatch):
    monkeypatch.setattr(DKT, "sorts", False)  # the order by content, and so the random start, depends on all documents
    task = vocabulary_shift()
    once, twice = DKT(random_state=0), DKT(random_state=0)
    once.transfer(task.Xs, task.ys, task.Xt)
    twice.transfer(task.Xs, task.ys, sp.csr_array(sp.vstack([task.Xt, task.Xt], format="csr")))
    np.testing.assert_allclose(twice.transduction_proba_, np.tile(once.transduction_proba_, (2, 1)), rtol=1e-6)


def test_planted_with_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = DKT(random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.95
    for G in est.state_.G[:2]:
        np.testing.assert_allclose(G.T @ G, np.eye(2), atol=1e-12)


def test_a_source_may_lack_a_class():
    Xs, ys, Xt, yt = two_sources(seed=1)
    some = ys[0] == 0
    assert (DKT(random_state=0).transfer([Xs[0][some], Xs[1]], [ys[0][some], ys[1]], Xt) == yt).mean() > 0.9


def test_given_labels_are_kept():
    X, y, domain = stacked(task := vocabulary_shift())
    wrong = 1 - task.yt[:5]
    y[len(task.ys) : len(task.ys) + 5] = wrong
    est = DKT(random_state=0).fit(X, y, domain, use_target_labels=True)
    np.testing.assert_array_equal(est.state_.G[1][:5] > 0, np.eye(2)[wrong] > 0)
    np.testing.assert_array_equal(est.transduction_[:5], wrong)
