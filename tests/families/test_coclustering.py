"""The common part of ITCC and CoCC against the slow reference: sparse and dense, with and without zeros."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.families.coclustering import (
    LOG_ZERO,
    arrange,
    log_conditionals,
    move,
    mutual_information,
    objective,
    pose,
    posterior,
    step,
)

from ..reference import coclustering as slow

K, L = 3, 5


def problem(lam, seed=0, zeros=0.3, as_sparse=True, n_docs=25, n_words=24):
    """Joint distributions with zeros, and a start in which each cluster has weight in both."""
    rng = np.random.default_rng(seed)
    X, G = rng.random((n_docs, n_words)), rng.random((n_words, 2))
    X[rng.random(X.shape) < zeros] = 0
    G[rng.random(G.shape) < zeros] = 0
    X[:, 0] = X[:, 0] + 0.1
    p = pose(sp.csr_array(X) if as_sparse else X, G, lam, fixed=np.zeros(n_docs, dtype=bool))
    s = arrange(np.arange(n_docs) % K, rng.permutation(np.arange(n_words) % L), K, p)
    return p, s, X / X.sum(), G.T / G.sum()


@pytest.mark.parametrize("as_sparse", [True, False])
@pytest.mark.parametrize("zeros", [0.0, 0.3])
@pytest.mark.parametrize("lam", [0.0, 0.25, 2.0])
def test_step_equals_the_loops(lam, zeros, as_sparse):
    for seed in range(3):
        p, s, f, g = problem(lam, seed, zeros, as_sparse)
        documents, words = s.documents, s.words
        for _ in range(4):
            if not s.T.sum(axis=0).all() or not (s.T.any(axis=1) & s.U.any(axis=1)).all():
                break  # the slow reference has no empty clusters
            s = step(s, p)
            documents = slow.document_step(f, documents, words, K, L)
            words = slow.word_step(f, g, lam, documents, words, K, L)
            np.testing.assert_array_equal(s.documents, documents)
            np.testing.assert_array_equal(s.words, words)
            np.testing.assert_allclose(s.T, slow.merged(f, documents, words, K, L).T, atol=1e-14)
            np.testing.assert_allclose(objective(s, p), slow.loss(f, g, lam, documents, words, K, L), atol=1e-12)


@pytest.mark.parametrize("lam", [0.0, 0.25])
def test_the_information_lost_is_the_divergence_from_the_approximation(lam):
    p, s, f, g = problem(lam)
    expected = slow.divergence(f, g, lam, s.documents, s.words, K, L)
    assert objective(s, p) == pytest.approx(expected, abs=1e-12)
    assert expected == pytest.approx(slow.loss(f, g, lam, s.documents, s.words, K, L), abs=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("lam", [0.0, 0.25, 5.0])
def test_theorem_the_loss_never_rises_and_the_iteration_ends(lam, dtype):
    """Also with many zeros: clusters become empty and divergences infinite."""
    for seed in range(30):
        p, s, _, _ = problem(lam, seed, zeros=0.8, n_words=40)
        p = pose(p.X.astype(dtype), p.G, lam, p.fixed)
        before = objective(s, p)
        for _ in range(60):
            last, s = s, step(s, p)
            now = objective(s, p)
            assert now <= before + 50 * np.finfo(dtype).eps
            before = now
            if np.array_equal(last.documents, s.documents) and np.array_equal(last.words, s.words):
                break
        else:
            pytest.fail("the clusters still change")
        assert now >= -1e-6


def test_a_single_class_equals_no_source():
    for seed in range(5):
        with_class, s, _, _ = problem(0.7, seed)
        one = pose(with_class.X, with_class.G[:, :1] + 0.1, 0.7, with_class.fixed)
        none = pose(with_class.X, np.zeros((len(with_class.G), 1)), 0.0, with_class.fixed)
        a = arrange(s.documents, s.words, K, one)
        b = arrange(s.documents, s.words, K, none)
        for _ in range(5):
            a, b = step(a, one), step(b, none)
            np.testing.assert_array_equal(a.documents, b.documents)
            np.testing.assert_array_equal(a.words, b.words)
            assert objective(a, one) == pytest.approx(objective(b, none), abs=1e-12)


def test_documents_whose_cluster_is_given_keep_it():
    p, s, _, _ = problem(0.25)
    fixed = np.arange(len(s.documents)) < 10
    p = p._replace(fixed=fixed)
    after = s
    for _ in range(5):
        after = step(after, p)
    np.testing.assert_array_equal(after.documents[fixed], s.documents[fixed])
    assert (after.documents != s.documents).any()


def test_a_cluster_without_weight_gets_the_overall_distribution_and_is_filled_again():
    T = np.array([[0.2, 0.2], [0.0, 0.0], [0.6, 0.0]])
    np.testing.assert_allclose(log_conditionals(T)[:2], np.log([[0.5, 0.5], [0.8, 0.2]]))
    assert log_conditionals(T)[2].tolist() == [0.0, LOG_ZERO]
    X = np.array([[1.0, 0]] * 5 + [[1, 1]] + [[0, 1]] * 5)
    p = pose(X, np.zeros((2, 1)), 0.0, np.zeros(11, dtype=bool))
    first = arrange(np.repeat([0, 1], [6, 5]), np.arange(2), 3, p)
    after = step(first, p)
    np.testing.assert_array_equal(
        after.documents, np.repeat([0, 2, 1], [5, 1, 5])
    )  # the mixed document has its own cluster now
    assert objective(after, p) == pytest.approx(0, abs=1e-12)
    assert objective(first, p) > 0.01


def test_rounding_errors_move_nothing():
    score = np.array([[1.0, 1.0 + 1e-16, 0.0], [1.0, 1.1, 0.0], [LOG_ZERO, LOG_ZERO, LOG_ZERO]])
    assert move(score, np.array([0, 0, 2])).tolist() == [0, 1, 2]


def test_information_of_simple_tables():
    assert mutual_information(np.full((3, 4), 1 / 12)) == pytest.approx(0, abs=1e-12)
    assert mutual_information(np.eye(4) / 4) == pytest.approx(np.log(4))


def test_words_that_the_target_does_not_have_are_ignored():
    """Both words without a cluster and clusters without weight."""
    words, T = np.array([0, 1, 2, -1]), np.array([[0.4, 0.1], [0.1, 0.4], [0.0, 0.0]])
    X = np.array([[1.0, 0, 0, 0], [1, 0, 5, 3], [0, 0, 1, 0]])
    proba = posterior(X, words, T, n_documents=10**9)
    np.testing.assert_allclose(proba, [[0.8, 0.2], [0.8, 0.2], [0.5, 0.5]])


def test_a_single_word_does_not_exclude_a_class():
    words, T = np.arange(3), np.array([[0.3, 0.1], [0.1, 0.3], [0.2, 0.0]])
    X = np.array([[0.0, 9, 1], [0, 0, 1]])
    proba = posterior(X, words, T, n_documents=10)
    assert proba.argmax(axis=1).tolist() == [1, 0]
    mixed = T + np.outer(T.sum(axis=1), T.sum(axis=0)) / 10
    likelihood = np.prod((mixed / mixed.sum(axis=0)) ** X[:, :, None], axis=1)
    np.testing.assert_allclose(proba, likelihood / likelihood.sum(axis=1, keepdims=True))
