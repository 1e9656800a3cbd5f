import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import MultinomialNB

from labelferry.baselines.cocc import CoCC, first_labels, start_coclusters
from labelferry.baselines.itcc import without_source
from labelferry.core.domains import read_domains
from labelferry.families.coclustering import arrange, latent, objective, pose, step
from labelferry.linalg.matrix import stack_rows

from ..corpora import newsgroups
from ..planted import stacked, two_sources, vocabulary_shift
from ..reference import coclustering as slow


def posed(lam, seed=0):
    """A small task with random word clusters: problem, clusters, and f and g for the slow reference."""
    task = vocabulary_shift(n_docs=30, n_words=5, seed=seed)
    domains = read_domains(*stacked(task), estimator="CoCC")
    X, codes = domains.labelled()
    target = domains.targets[0]
    G = X.T @ np.eye(2)[codes]
    p = pose(target.X, G, lam, target.known)
    words = np.random.default_rng(seed).permutation(np.arange(X.shape[1]) % 4)
    s = arrange(first_labels(domains, "naive_bayes")[0], words, 2, p)
    return p, s, target.X.toarray() / target.X.sum(), G.T / G.sum()


@pytest.mark.parametrize("lam", [0.25, 2.0])
def test_an_iteration_equals_the_loops(lam):
    n_iter = 0
    for seed in range(3):
        p, s, f, g = posed(lam, seed)
        documents, words = s.documents, s.words
        while (s.T.any(axis=1) & s.U.any(axis=1)).all() and n_iter < 3 * (seed + 1):  # no empty clusters
            s = step(s, p)
            documents = slow.document_step(f, documents, words, 2, 4)
            words = slow.word_step(f, g, lam, documents, words, 2, 4)
            np.testing.assert_array_equal(s.documents, documents)
            np.testing.assert_array_equal(s.words, words)
            assert objective(s, p) == pytest.approx(slow.loss(f, g, lam, documents, words, 2, 4), abs=1e-12)
            assert objective(s, p) == pytest.approx(slow.divergence(f, g, lam, documents, words, 2, 4), abs=1e-12)
            n_iter += 1
    assert n_iter >= 5


@pytest.mark.parametrize("lam", [0.0, 0.25, 4.0])
def test_theorem_the_loss_never_rises(lam):
    for seed in range(5):
        p, s, _, _ = posed(lam, seed)
        losses = [objective(s, p)]
        for _ in range(15):
            s = step(s, p)
            losses.append(objective(s, p))
        assert (np.diff(losses) <= 1e-12).all()
        assert losses[-1] < losses[0] - 0.01


def test_the_start_has_the_labels_of_the_classifier_and_n_word_clusters():
    task = vocabulary_shift()
    domains = read_domains(*stacked(task), estimator="CoCC")
    X, codes = domains.labelled()
    p = pose(domains.targets[0].X, X.T @ np.eye(2)[codes], 0.25, domains.targets[0].known)
    labels = MultinomialNB(alpha=0.1).fit(task.Xs, task.ys).predict(task.Xt)  # equal class sizes
    np.testing.assert_array_equal(first_labels(domains, "naive_bayes")[0], labels)
    rng = np.random.default_rng(0)
    s = start_coclusters(p, labels, latent(stack_rows([task.Xs, task.Xt]), rng)[1], 2, 20, rng)
    np.testing.assert_array_equal(s.documents, labels)
    assert np.unique(s.words).tolist() == list(range(20))


def test_with_lambda_0_an_iteration_equals_that_of_itcc():
    for seed in range(5):
        p, s, _, _ = posed(0.0, seed)
        q = without_source(p.X)
        other = arrange(s.documents, s.words, 2, q)
        for _ in range(5):
            s, other = step(s, p), step(other, q)
            np.testing.assert_array_equal(s.documents, other.documents)
            np.testing.assert_array_equal(s.words, other.words)
            assert objective(s, p) == pytest.approx(objective(other, q), abs=1e-12)


@pytest.mark.parametrize("start", ["naive_bayes", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_bridged(n_classes, start):
    task = vocabulary_shift(n_classes=n_classes)
    est = CoCC(start=start, random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95
    assert (np.diff(est.objective_history_) <= 1e-12).all()
    assert est.converged_


def test_a_large_source_weight_keeps_the_information_about_the_classes():
    """With a large lambda the word clusters predict the source classes nearly as well as the words."""
    task = vocabulary_shift(n_words=10)
    lost = []
    for weight in (0.0, 100.0):
        est = CoCC(8, source_weight=weight, n_init=1, random_state=0)
        est.transfer(task.Xs, task.ys, task.Xt)
        G = np.asarray(task.Xs.T @ np.eye(2)[task.ys]) / task.Xs.sum()
        lost.append(slow.information(G) - slow.information(est.state_.coclusters[0].U))
    assert 0 <= lost[1] < 0.5 * lost[0]


def test_two_sources_are_pooled():
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = CoCC(random_state=0)
    several = est.transfer(Xs, ys, Xt)
    assert (several == yt).mean() > 0.9
    np.testing.assert_array_equal(several, est.transfer(sp.vstack(Xs).tocsr(), np.concatenate(ys), Xt))


def test_two_targets_are_solved_separately():
    task = vocabulary_shift()
    X, y, keys = stacked(task)
    keys[-75:] = -3
    both = CoCC(n_init=1, random_state=0).fit(X, y, keys)
    first = CoCC(n_init=1, random_state=0).fit(X[:-75], y[:-75], keys[:-75])
    np.testing.assert_array_equal(both.transduction_[:75], first.transduction_)
    assert (both.transduction_ == task.yt).mean() > 0.95


def test_given_labels_of_the_target_are_kept():
    task = vocabulary_shift()
    X, y, keys = stacked(task)
    y[-20:] = task.yt[-20:]
    y[-1] = 1 - task.yt[-1]  # a wrong label
    est = CoCC(random_state=0).fit(X, y, keys, use_target_labels=True)
    np.testing.assert_array_equal(est.transduction_[-20:], y[-20:])
    assert (est.transduction_[:-20] == task.yt[:-20]).mean() > 0.95


@pytest.mark.parametrize("n_words", [0, 3])
def test_targets_without_words_get_uniform_probabilities(n_words):
    """With n_words = 0 the source has no words either."""
    Xs, Xt = np.eye(4)[:, :3] * (n_words > 0), np.zeros((2, 3))
    est = CoCC(n_init=1, random_state=0)
    est.transfer(Xs, [0, 0, 1, 1], Xt)
    np.testing.assert_allclose(est.transduction_proba_, 0.5)


@pytest.mark.slow
def test_newsgroups(corpus):
    """rec vs sci of GCMF's Table 2 at full size, one start."""
    task = newsgroups(corpus("20news/20news-bydate.jsonl.gz"), ("rec", "sci"))
    est = CoCC(n_init=1, random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95
    assert (np.diff(est.objective_history_) <= 1e-12).all()
