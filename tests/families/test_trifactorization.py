"""The products with the data that a tri-factorization needs: they are the cost of an iteration."""

from functools import partial

import numpy as np
import pytest

from labelferry.baselines import dkt, dtl, mtrick, nmtf
from labelferry.families.trifactorization import factorization_problem, solve_trifactorization
from labelferry.linalg.normalize import unit_norm
from labelferry.methods import gcmf, tcl

from ..planted import random_problem, two_sources, vocabulary_shift


class Counted:
    """A matrix that counts its products."""

    def __init__(self, X, counts=None, name="XB"):
        self.X, self.name = X, name
        self.counts = {"XB": 0, "XtV": 0} if counts is None else counts

    shape = property(lambda self: self.X.shape)
    dtype = property(lambda self: self.X.dtype)
    T = property(lambda self: Counted(self.X.T, self.counts, "XtV"))

    def __matmul__(self, B):
        self.counts[self.name] += 1
        return self.X @ B

    def squared_norm(self):
        return float((self.X**2).sum())


def start_gcmf(p, n_topics, rng):
    return gcmf.start(p, [np.ones(17, dtype=bool)] * 2, n_topics, rng)


def start_mtrick(p, n_topics, rng):
    return mtrick.start(p, mtrick.word_clusters(np.vstack([X.X for X in p.X]), n_topics, rng))


def method(name, X):
    graphs = gcmf.Graphs(tuple(gcmf.cosine_graphs([Xd.T for Xd in X], 3, 1.0)), tuple(gcmf.cosine_graphs(X, 3, 1.0)))
    weights = (1.0, 1.5)
    return {
        "TCL": (tcl.start, partial(tcl.step, alpha=0.9), partial(tcl.objective, alpha=0.9)),
        "GCMF": (start_gcmf, partial(gcmf.step, g=graphs), partial(gcmf.objective, g=graphs)),
        "NMTF": (nmtf.start, nmtf.step, nmtf.objective),
        "DTL": (partial(dtl.start, n_own=2), dtl.step, dtl.objective),
        "MTrick": (start_mtrick, partial(mtrick.step, weights=weights), partial(mtrick.objective, weights=weights)),
        "DKT": (dkt.start, dkt.step, dkt.objective),
    }[name]


@pytest.mark.parametrize("name", ["TCL", "GCMF", "NMTF", "DTL", "MTrick", "DKT"])
def test_one_product_of_each_kind_per_iteration(name):
    """Only the target is multiplied, once by B and once by V; the objective and a restart need no product."""
    X, known, V = random_problem()
    start, step, objective = method(name, X)
    size = {"n_common": 3} if name == "DTL" else {"n_topics": 4}
    data = [Counted(unit_norm(Xd)) for Xd in X]
    p = factorization_problem(data, known, V)
    assert [Xd.counts for Xd in data] == [{"XB": 0, "XtV": 1}, {"XB": 0, "XtV": 1}]
    solve_trifactorization(
        p, partial(start, **size, rng=np.random.default_rng(0)), step, objective, n_init=2, max_iter=20, tol=0.0
    )
    assert [Xd.counts for Xd in data] == [{"XB": 0, "XtV": 1}, {"XB": 40, "XtV": 1 + 40}]


@pytest.mark.parametrize("name", ["TCL", "GCMF", "NMTF", "DTL", "MTrick", "DKT"])
def test_the_factors_contain_the_product_of_their_own_labels(name):
    X, known, V = random_problem()
    start, step, _ = method(name, X)
    size = {"n_common": 3} if name == "DTL" else {"n_topics": 4}
    p = factorization_problem([Counted(Xd) for Xd in X], known, V)
    f = start(p, **size, rng=np.random.default_rng(0))
    for _ in range(3):
        f = step(f, p)
    labels, product = f[-2:]
    for Xd, Vd, XVd in zip(X, labels, product, strict=True):
        np.testing.assert_array_equal(Xd.T @ Vd, XVd)


@pytest.mark.parametrize("module", [tcl, nmtf, dtl])
def test_the_product_is_computed_again_after_a_normalization_at_the_end_of_the_cycle(module):
    X, known, V = random_problem()
    p = factorization_problem(X, known, V)
    size = {"n_common": 3, "n_own": 2} if module is dtl else {"n_topics": 4}
    alpha = {"alpha": 0.9} if module is tcl else {}
    f = module.step(module.start(p, **size, rng=np.random.default_rng(0)), p, **alpha, normalize="cycle")
    np.testing.assert_array_equal(X[-1].T @ f.V[-1], f.XV[-1])


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("cls", [dkt.DKT, dtl.DTL, mtrick.MTrick, nmtf.NMTF])
def test_planted_vocabulary_shift_is_solved(cls, n_classes):
    task = vocabulary_shift(n_classes=n_classes)
    est = cls(random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95
    assert (est.predict(task.Xt) == est.transduction_).mean() > 0.95


@pytest.mark.parametrize("cls", [dtl.DTL, nmtf.NMTF])
def test_planted_with_two_sources(cls):
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = cls(random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.95
    assert len(est.state_.W) == 3
