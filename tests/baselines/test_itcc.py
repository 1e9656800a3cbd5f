import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.baselines.itcc import ITCC, without_source
from labelferry.families.cluster_names import class_of_clusters
from labelferry.families.coclustering import arrange, objective, step

from ..corpora import newsgroups
from ..planted import two_sources, vocabulary_shift
from ..reference import coclustering as slow


def test_an_iteration_equals_the_loops_and_the_loss_never_rises():
    X = vocabulary_shift(n_docs=30, n_words=5).Xt
    f, nothing = X.toarray() / X.sum(), np.zeros((1, X.shape[1]))
    p, rng = without_source(X), np.random.default_rng(0)
    documents, words = np.arange(30) % 3, rng.permutation(np.arange(X.shape[1]) % 4)
    s = arrange(documents, words, 3, p)
    for _ in range(4):
        assert s.T.any(axis=0).all()  # the slow reference has no empty clusters
        assert s.T.any(axis=1).all()
        documents = slow.document_step(f, documents, words, 3, 4)
        words = slow.word_step(f, nothing, 0.0, documents, words, 3, 4)
        before, s = objective(s, p), step(s, p)
        np.testing.assert_array_equal(s.documents, documents)
        np.testing.assert_array_equal(s.words, words)
        assert objective(s, p) <= before + 1e-12


@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_bridged(n_classes):
    task = vocabulary_shift(n_classes=n_classes)
    est = ITCC(n_init=5, random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95
    assert (np.diff(est.objective_history_) <= 1e-12).all()
    assert est.objective_history_[-1] < est.objective_history_[0]
    assert est.converged_
    clusters = np.array([{name: j for j, name in enumerate(est.state_.names[0])}[y] for y in est.transduction_])
    named = class_of_clusters(task.Xs, task.ys, task.Xt, clusters, n_classes)[clusters]
    np.testing.assert_array_equal(est.transduction_, named)


def test_words_of_a_class_share_a_cluster_and_words_of_the_source_only_have_none():
    task = vocabulary_shift(n_words=10)
    est = ITCC(n_word_clusters=3, n_init=5, random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt)
    words = est.state_.coclusters[0].words
    first, second = np.unique(words[20:30]), np.unique(words[50:60])  # words of each class that only the target has
    assert len(first) == len(second) == 1
    assert first != second
    assert (words[10:20] == -1).all()  # words that only the source has
    assert est.state_.coclusters[0].T.sum() == pytest.approx(1)


def test_more_clusters_than_classes_and_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = ITCC(n_clusters=4, n_init=5, random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.9
    assert est.state_.names[0].shape == (4,)


def test_the_lowest_loss_of_several_starts_is_kept():
    task = vocabulary_shift(n_classes=4, n_docs=60, length=12)
    X, y = sp.vstack([task.Xs, task.Xt]), np.append(task.ys, np.full(60, -1))
    losses = [ITCC(n_init=n, random_state=0).fit(X, y).objective_history_[-1] for n in (1, 5)]
    assert losses[1] <= losses[0]


def test_with_more_word_clusters_than_words_only_documents_are_clustered():
    task = vocabulary_shift(n_words=4, n_docs=60)
    est = ITCC(n_word_clusters=500, n_init=3, random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt)
    seen = task.Xt.toarray().any(axis=0)
    assert (est.state_.coclusters[0].words >= 0).tolist() == seen.tolist()
    assert len(est.state_.coclusters[0].T) <= seen.sum()


@pytest.mark.slow
def test_newsgroups(corpus):
    """rec vs sci of GCMF's Table 2 at full size; of the single starts 0, 1 and 2, the first one ends at .75."""
    task = newsgroups(corpus("20news/20news-bydate.jsonl.gz"), ("rec", "sci"))
    est = ITCC(random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.97
    assert (np.diff(est.objective_history_) <= 1e-12).all()
