import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.baselines import LapSVM
from labelferry.core.persist import load
from labelferry.families import squared_hinge
from labelferry.families.squared_hinge import Machine, decisions, fit_machine, no_graph, unit_scale, value_and_gradient
from labelferry.linalg.knn import neighbor_graph
from labelferry.linalg.laplacian import graph, normalized_laplacian

from ..corpora import cdsc_sample
from ..planted import stacked, two_sources, vocabulary_shift
from ..reference import lap_svm as slow


def small(seed=0, n=24, n_words=4):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.random((n, n_words)) + 0.4 * np.eye(n_words)[y]
    X /= np.sqrt((X**2).sum() / n)  # mean squared length one: C has the units of the slow reference
    return X, y, np.where(np.arange(n) < 10, y, -1)


@pytest.mark.parametrize(("C", "share"), [(1.0, 0.9), (10.0, 0.5)])
def test_equals_the_slow_reference(C, share):
    """With the paper's gamma_A and gamma_I for C and the share, and its factors 1 / l and 1 / n^2."""
    X, _, masked = small()
    est = LapSVM(C, graph_share=share, n_neighbors=3).fit(X, masked)
    y = np.where(masked < 0, 0.0, 2.0 * masked - 1)
    W = slow.cosine_graph(X, 3)
    np.testing.assert_allclose(neighbor_graph(X, n_neighbors=3).toarray(), W, atol=1e-12)
    l, n = 10, len(X)
    gamma_A, gamma_I = (1 - share) / (2 * C * l), share * n**2 / (2 * C * l)
    w, b = slow.lap_svm(X, y, W, gamma_A, gamma_I)
    np.testing.assert_allclose(est.state_.coef[0], w, atol=2e-3)
    assert est.state_.intercept[0] == pytest.approx(b, abs=2e-3)
    lowest = slow.objective(w, b, X, y, W, gamma_A, gamma_I)
    assert est.objective_history_[0] == pytest.approx(lowest * C * l / (1 - share), rel=1e-4)


def test_laplacian_is_the_sum_over_pairs():
    X, *_ = small(1)
    W = neighbor_graph(X, n_neighbors=3)
    f = np.random.default_rng(0).standard_normal(len(X))
    assert f @ (normalized_laplacian(graph(W, float)) @ f) == pytest.approx(slow.roughness(f, W.toarray()))


def test_without_the_graph_it_is_a_support_vector_machine():
    task = vocabulary_shift(n_classes=3, seed=1)
    est = LapSVM(2.0, graph_share=0.0)
    est.transfer(task.Xs, task.ys, task.Xt)
    X, length = unit_scale(sp.vstack([task.Xs, task.Xt], format="csr"))
    for label in range(3):
        y = np.where(task.ys == label, 1.0, -1.0)
        point = fit_machine(Machine(X[:150], y, np.full(150, 2.0), no_graph(150))).point
        np.testing.assert_allclose(est.state_.coef[label] * length, point[:-1], atol=1e-3)


def test_a_larger_weight_of_the_graph_makes_the_decisions_smoother():
    """The gradient vanishes, and f'L f falls as its weight grows."""
    X, _, masked = small(2)
    L = normalized_laplacian(graph(neighbor_graph(X, n_neighbors=3), float))
    y, cost = np.where(masked == 1, 1.0, -1.0), np.where(masked < 0, 0.0, 1.0)
    rough = []
    for weight in (0.0, 0.1, 1.0, 10.0, 100.0):
        m = Machine(X, y, cost, L * weight)
        point = fit_machine(m).point
        f = decisions(X, point)
        assert np.linalg.norm(value_and_gradient(point, f, m)[1]) < 1e-3
        rough.append(f @ (L @ f))
    assert (np.diff(rough) < 0).all()


@pytest.mark.parametrize(("n_classes", "floor"), [(2, 0.95), (4, 0.9)])
def test_planted_vocabulary_shift_is_bridged(n_classes, floor):
    task = vocabulary_shift(n_classes=n_classes)
    assert (LapSVM().transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > floor
    plain = (LapSVM(graph_share=0.0).transfer(task.Xs, task.ys, task.Xt) == task.yt).mean()
    assert plain < floor


def test_two_sources_and_two_targets_are_pooled(monkeypatch):
    """With all documents as neighbors: ties among the 50 nearest are broken by an order that depends on the domains.

    The minimum is the same. With the usual tolerance, the solver stops at other points near it: rounding decides.
    """
    monkeypatch.setattr(squared_hinge, "TOLERANCE", 1e-9)
    Xs, ys, Xt, yt = two_sources(seed=1)
    assert (LapSVM().transfer(Xs, ys, Xt) == yt).mean() > 0.95
    two, one = LapSVM(n_neighbors=500), LapSVM(n_neighbors=500)
    two.transfer(Xs, ys, Xt)
    one.transfer(sp.vstack(Xs, format="csr"), np.concatenate(ys), Xt)
    np.testing.assert_allclose(two.transduction_proba_, one.transduction_proba_, atol=1e-6)
    X, y = sp.vstack([*Xs, Xt], format="csr"), np.append(np.concatenate(ys), np.full(len(yt), -1))
    four = LapSVM(n_neighbors=500).fit(X, y, np.repeat([1, 2, -1, -2], [75, 75, 75, 75]))
    np.testing.assert_allclose(four.transduction_proba_, one.transduction_proba_, atol=1e-6)


def test_given_target_labels_are_used_as_labels():
    task = vocabulary_shift(seed=3, common=0.03)
    X, y, domain = stacked(task)
    some = np.where(np.arange(300) % 5 == 0, np.append(task.ys, task.yt), y)
    est = LapSVM().fit(X, some, domain, use_target_labels=True)
    y_all = np.append(task.ys, task.yt)
    assert (est.transduction_ == task.yt).mean() > (LapSVM().fit(X, y, domain).transduction_ == task.yt).mean()
    np.testing.assert_array_equal(est.transduction_[::5], y_all[150::5])


def test_counts_are_scaled_and_the_model_is_saved(tmp_path):
    """Exactly for powers of two. Others round: among the 50 nearest, ties may then be broken in another order."""
    task = vocabulary_shift(n_classes=3, seed=4)

    def fitted(factor, n_neighbors=50):
        est = LapSVM(n_neighbors=n_neighbors)
        est.transfer(factor * task.Xs, task.ys, factor * task.Xt)
        return est

    one = fitted(1)
    np.testing.assert_array_equal(fitted(1024).transduction_proba_, one.transduction_proba_)
    np.testing.assert_array_equal(fitted(1000).transduction_, one.transduction_)
    np.testing.assert_allclose(
        fitted(1000, n_neighbors=500).transduction_proba_, fitted(1, n_neighbors=500).transduction_proba_, atol=1e-4
    )
    one.save(tmp_path / "m.npz")
    np.testing.assert_array_equal(load(tmp_path / "m.npz").predict(task.Xt), one.transduction_)


@pytest.mark.parametrize("n_neighbors", [1, 3, 500])
def test_few_documents_and_many_neighbors(n_neighbors):
    X, _, masked = small(3)
    est = LapSVM(n_neighbors=n_neighbors).fit(np.vstack([X, np.zeros((1, 4))]), np.append(masked, -1))
    assert np.isfinite(est.transduction_proba_).all()


@pytest.mark.slow
def test_newsgroups(corpus):
    task = cdsc_sample(corpus("20news/20news-bydate.jsonl.gz"), "rec vs sci", 0)
    assert (LapSVM().transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.87  # without the graph: .79
