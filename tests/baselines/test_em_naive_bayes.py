import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import log_softmax, softmax
from sklearn.naive_bayes import MultinomialNB

from labelferry.baselines.em_naive_bayes import EMNaiveBayes, Mixture, objective, pose, posterior, start, step
from labelferry.core.domains import read_domains
from labelferry.core.persist import load
from labelferry.core.proportions import class_proportions

from ..planted import two_sources, vocabulary_shift
from ..reference import em_naive_bayes as slow

ALPHA = 0.3


def small_domains(seed=0):
    """Three classes, two sources, two targets; some documents of the first target have a label."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, size=(26, 9)) * rng.random((26, 9))
    y = np.arange(26.0) % 3
    keys = np.repeat([1, 2, -3, -4], [6, 5, 8, 7])
    y[keys < 0] = np.nan
    y[11:14] = [0, 2, 2]
    return read_domains(X, y, keys, use_target_labels=True, estimator="EMNaiveBayes")


def small_problem(estimate_pi, s, seed=0):
    domains = small_domains(seed)
    p = pose(domains, ALPHA, estimate_pi)
    return domains, p, start(p, np.array([0.5, 0.3, 0.2]), s)


@pytest.mark.parametrize("decrease", [0.0, 0.25])
@pytest.mark.parametrize("s", [1.0, 0.6, 0.0])
@pytest.mark.parametrize("estimate_pi", [False, True])
def test_step_equals_the_loops(estimate_pi, s, decrease):
    domains, p, f = small_problem(estimate_pi, s)
    X = [row for d in domains for row in d.X.tolist()]
    y = [int(code) if code >= 0 else None for d in domains for code in d.codes]
    of_target = [d.is_target for d in domains for _ in d.codes]
    theta, pi = np.exp(f.log_theta).tolist(), np.exp(f.log_pi).tolist()
    for _ in range(3):
        s = max(0.0, s - decrease)
        weight = [1.0 if t else s for t in of_target]
        f = step(f, p, decrease)
        V = slow.posterior(X, y, theta, pi)
        theta = slow.word_proportions(X, V, weight, ALPHA)
        pi = slow.class_proportions(V, of_target) if estimate_pi else pi
        np.testing.assert_allclose(np.exp(f.log_theta), theta, rtol=1e-12)
        np.testing.assert_allclose(np.exp(f.log_pi), pi, rtol=1e-12)
        assert f.s == pytest.approx(s)
        expected = slow.objective(X, y, weight, of_target, theta, pi, ALPHA, estimate_pi)
        assert objective(f, p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("s", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("estimate_pi", [False, True])
def test_theorem_em_never_raises_the_objective(estimate_pi, s):
    for seed in range(5):
        _, p, f = small_problem(estimate_pi, s, seed)
        values = [objective(f, p)]
        for _ in range(100):
            f = step(f, p)
            values.append(objective(f, p))
        assert np.all(np.diff(values) <= 1e-12 * abs(values[0]))
        assert values[-1] < values[0]


@pytest.mark.parametrize("estimate_pi", [False, True])
def test_the_gradient_of_the_likelihood_vanishes_at_the_end(estimate_pi):
    """Of the objective itself, without an E step: to first order, no change within the simplices lowers it."""
    _, p, f = small_problem(estimate_pi, 0.7)
    for _ in range(3000):
        f = step(f, p)
    rng = np.random.default_rng(0)
    for _ in range(10):
        move, turn = rng.normal(size=f.log_theta.shape), rng.normal(size=3) * estimate_pi
        ahead, behind = (
            f._replace(log_theta=log_softmax(f.log_theta + h * move, axis=0), log_pi=log_softmax(f.log_pi + h * turn))
            for h in (1e-5, -1e-5)
        )
        assert abs(objective(ahead, p) - objective(behind, p)) / 2e-5 < 1e-6 * abs(objective(f, p))


@pytest.mark.parametrize("class_prior", [[0.5, 0.5], [0.7, 0.3], None])
def test_the_start_is_naive_bayes_on_the_source(class_prior):
    task = vocabulary_shift(seed=1)
    ys = np.where(np.arange(150) % 3, task.ys, 0)  # uneven classes
    X, y = sp.vstack([task.Xs, task.Xt], format="csr"), np.append(ys, np.full(150, -1))
    domains = read_domains(X, y, estimator="EMNaiveBayes")
    pi = class_proportions("source" if class_prior is None else class_prior, domains)
    f = start(pose(domains, 0.1, False), pi, 1.0)
    reference = MultinomialNB(alpha=0.1, class_prior=class_prior).fit(task.Xs, ys)
    np.testing.assert_allclose(posterior(task.Xt, f), reference.predict_proba(task.Xt), rtol=1e-9)
    np.testing.assert_allclose(f.log_theta.T, reference.feature_log_prob_, rtol=1e-12)


def test_with_a_fully_labelled_target_it_is_naive_bayes_on_all_documents():
    task = vocabulary_shift(n_classes=4, seed=2)
    X, y = sp.vstack([task.Xs, task.Xt], format="csr"), np.append(task.ys, task.yt[::-1])
    keys = np.repeat([1, -2], 150)
    est = EMNaiveBayes(class_prior="source").fit(X, y, keys, use_target_labels=True)
    new = vocabulary_shift(n_classes=4, seed=3).Xt
    np.testing.assert_allclose(est.predict_proba(new), MultinomialNB(alpha=0.1).fit(X, y).predict_proba(new), rtol=1e-9)
    np.testing.assert_array_equal(est.transduction_, task.yt[::-1])


def test_given_target_labels_are_kept_with_their_weight():
    """If the weight of the source is 0, the labelled target documents name the classes."""
    task = vocabulary_shift(seed=4)
    X, keys = sp.vstack([task.Xs, task.Xt], format="csr"), np.repeat([1, -2], 150)
    y = np.append(task.ys, np.where(np.arange(150) < 20, 1 - task.yt, -1))  # the target's labels contradict the source
    est = EMNaiveBayes(source_weight="annealed").fit(X, y, keys, use_target_labels=True)
    np.testing.assert_array_equal(est.transduction_[:20], 1 - task.yt[:20])
    np.testing.assert_array_equal(est.transduction_proba_[:20].max(axis=1), 1.0)
    assert est.state_.log_theta.shape == (X.shape[1], 2)


@pytest.mark.parametrize("source_weight", ["constant", "annealed", 0.3])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_bridged(n_classes, source_weight):
    task = vocabulary_shift(n_classes=n_classes)
    est = EMNaiveBayes(source_weight=source_weight)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95


@pytest.mark.parametrize("source_weight", ["constant", "annealed"])
def test_prior_shift_is_estimated(source_weight):
    task = vocabulary_shift(target_balance=(0.9, 0.1), seed=2)
    est = EMNaiveBayes(class_prior="estimate", source_weight=source_weight)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95
    np.testing.assert_allclose(est.class_prior_, np.bincount(task.yt) / len(task.yt), atol=0.05)


def test_sources_are_pooled():
    Xs, ys, Xt, yt = two_sources(seed=1)
    two, one = EMNaiveBayes(), EMNaiveBayes()
    assert (two.transfer(Xs, ys, Xt) == yt).mean() > 0.95
    one.transfer(sp.vstack(Xs, format="csr"), np.concatenate(ys), Xt)
    np.testing.assert_allclose(two.transduction_proba_, one.transduction_proba_, rtol=1e-9, atol=1e-12)


def test_targets_are_pooled():
    task = vocabulary_shift(n_classes=3, seed=5)
    X, y = sp.vstack([task.Xs, task.Xt], format="csr"), np.append(task.ys, np.full(150, -1))
    order = np.random.default_rng(0).permutation(150)
    keys = np.append(np.zeros(150, int), np.where(order % 2, -1, -2))
    one = EMNaiveBayes().fit(X, y)
    two = EMNaiveBayes().fit(X, y, keys)
    np.testing.assert_allclose(two.transduction_proba_, one.transduction_proba_, rtol=1e-9, atol=1e-12)


def test_sparse_equals_dense_and_precision_is_kept():
    task = vocabulary_shift(n_classes=3, seed=6)
    est = EMNaiveBayes(class_prior="estimate", source_weight="annealed")
    proba = {}
    for dtype in (np.float64, np.float32):
        for kind in (sp.csr_array, sp.csr_array.toarray):
            Xs, Xt = kind(task.Xs.astype(dtype)), kind(task.Xt.astype(dtype))
            est.transfer(Xs, task.ys, Xt)
            assert est.state_.log_theta.dtype == est.transduction_proba_.dtype == dtype
            assert est.predict_proba(Xt).dtype == dtype
            np.testing.assert_allclose(est.predict_proba(Xt), est.transduction_proba_, atol=1e-5)
            proba[dtype, kind] = est.transduction_proba_
    first, *others = proba.values()
    np.testing.assert_allclose(others[0], first, rtol=1e-9, atol=1e-12)
    for other in others[1:]:
        np.testing.assert_allclose(other, first, atol=1e-4)


def test_float32_separates_the_classes_of_long_documents():
    """Log joint probabilities near -600,000, whose last digit in float32 is 0.06, differ by a few units."""
    rng = np.random.default_rng(0)
    log_theta = np.log(rng.dirichlet(np.full(400, 5.0)))[:, None] + 0.005 * rng.normal(size=(400, 2))
    f = Mixture(log_softmax(log_theta, axis=0), np.log([0.5, 0.5]), 1.0)
    X = sp.csr_array(rng.multinomial(100_000, np.exp(f.log_theta).mean(axis=1), size=50).astype(float))
    exact = softmax(X @ f.log_theta + f.log_pi, axis=1)
    assert np.ptp(exact[:, 0]) > 0.8
    coarse = f._replace(log_theta=f.log_theta.astype(np.float32), log_pi=f.log_pi.astype(np.float32))
    np.testing.assert_allclose(posterior(X.astype(np.float32), coarse), exact, atol=2e-3)


def test_a_document_without_words_gets_the_prior_of_the_model():
    task = vocabulary_shift(target_balance=(0.8, 0.2), seed=1)
    Xt = sp.vstack([task.Xt, sp.csr_array((1, task.Xt.shape[1]))], format="csr")
    for class_prior, expected in [("uniform", [0.5, 0.5]), ([0.3, 0.7], [0.3, 0.7]), ("estimate", None)]:
        est = EMNaiveBayes(class_prior=class_prior)
        est.transfer(task.Xs, task.ys, Xt)
        expected = np.exp(est.state_.log_pi) if expected is None else expected
        np.testing.assert_allclose(est.transduction_proba_[-1], expected, rtol=1e-12)
        assert est.transduction_empty_[-1]


def test_annealing_is_completed_and_the_history_is_continuous():
    task = vocabulary_shift(seed=0)
    est = EMNaiveBayes(
        source_weight="annealed", anneal_iter=30, tol=1.0
    )  # with this tol the first check stops the iteration
    est.transfer(task.Xs, task.ys, task.Xt)
    assert est.state_.s == 0.0
    assert est.n_iter_ == 40
    assert est.converged_
    assert len(est.objective_history_) == 5
    est.set_params(max_iter=30).transfer(task.Xs, task.ys, task.Xt)
    assert (est.n_iter_, est.converged_) == (30, False)
    with pytest.raises(ValueError, match="anneal_iter=30; got 29"):
        est.set_params(max_iter=29).transfer(task.Xs, task.ys, task.Xt)


def test_weight_one_equals_constant_and_the_history_falls():
    task = vocabulary_shift(n_classes=3, seed=0)
    constant, number = EMNaiveBayes(tol=0), EMNaiveBayes(source_weight=1, tol=0)
    for est in (constant, number):
        est.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_array_equal(constant.transduction_proba_, number.transduction_proba_)
    assert len(constant.objective_history_) == 11
    assert np.all(np.diff(constant.objective_history_) <= 1e-12 * constant.objective_history_[0])


@pytest.mark.parametrize("class_prior", [[0.5, 0.6], [1.0, 0.0], [0.2, 0.3, 0.5]])
def test_an_invalid_prior_is_rejected(class_prior):
    task = vocabulary_shift()
    with pytest.raises(ValueError, match=r"one proportion per class, in the order \['a', 'b'\]"):
        EMNaiveBayes(class_prior=class_prior).transfer(task.Xs, np.array(["a", "b"])[task.ys], task.Xt)


def test_negative_features_are_rejected():
    with pytest.raises(ValueError, match="Negative values"):
        EMNaiveBayes().transfer(-np.ones((2, 3)), [0, 1], np.ones((2, 3)))


@pytest.mark.parametrize("class_prior", ["estimate", [0.4, 0.6], np.array([0.4, 0.6])])
def test_save_and_load(tmp_path, class_prior):
    task = vocabulary_shift(seed=7)
    est = EMNaiveBayes(class_prior=class_prior, source_weight="annealed")
    est.transfer(task.Xs, np.array(["no", "yes"])[task.ys], task.Xt)
    est.save(tmp_path / "model.npz")
    task.Xt.sort_indices()  # the last digit of a sum depends on the order
    np.testing.assert_array_equal(load(tmp_path / "model.npz").predict_proba(task.Xt), est.predict_proba(task.Xt))
