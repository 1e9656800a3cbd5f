import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.families.cluster_names import class_of_clusters, profile_similarity

from ..planted import vocabulary_shift


def with_loops(Xs, ys, Xt, clusters, n_classes, n_clusters):
    """Centered cosines with loops."""
    unit = [[row / np.linalg.norm(row) for row in X] for X in (Xs, Xt)]
    P = [np.mean([x for x, y in zip(unit[0], ys, strict=True) if y == c], axis=0) for c in range(n_classes)]
    Q = [np.mean([x for x, y in zip(unit[1], clusters, strict=True) if y == c], axis=0) for c in range(n_clusters)]
    P, Q = P - np.mean(P, axis=0), Q - np.mean(Q, axis=0)
    return np.array([[q @ p / np.linalg.norm(q) / np.linalg.norm(p) for p in P] for q in Q])


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_similarity_and_matching_equal_the_loops(kind):
    rng = np.random.default_rng(0)
    for _ in range(20):
        Xs, Xt = rng.random((20, 7)), rng.random((15, 7))
        ys, clusters = np.arange(20) % 4, rng.permutation(15) % 4
        S = with_loops(Xs, ys, Xt, clusters, 4, 4)
        np.testing.assert_allclose(profile_similarity(kind(Xs), ys, kind(Xt), clusters, 4, 4), S, atol=1e-8)
        best = max(itertools.permutations(range(4)), key=lambda p: sum(S[k, c] for k, c in enumerate(p)))
        assert class_of_clusters(kind(Xs), ys, kind(Xt), clusters, 4).tolist() == list(best)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_true_clusters_get_their_classes_for_any_numbering(n_classes):
    task = vocabulary_shift(n_classes=n_classes)
    for seed in range(5):
        clusters = np.random.default_rng(seed).permutation(n_classes)[task.yt]
        np.testing.assert_array_equal(
            class_of_clusters(task.Xs, task.ys, task.Xt, clusters, n_classes)[clusters], task.yt
        )


def test_if_there_are_more_clusters_than_classes_they_get_the_nearest_class():
    task = vocabulary_shift(n_classes=2)
    clusters = 2 * (1 - task.yt) + np.arange(len(task.yt)) // 2 % 2  # each class in two halves
    np.testing.assert_array_equal(class_of_clusters(task.Xs, task.ys, task.Xt, clusters, 2)[clusters], task.yt)


def test_if_there_are_fewer_clusters_than_classes_they_get_different_classes():
    task = vocabulary_shift(n_classes=4)
    names = class_of_clusters(task.Xs, task.ys, task.Xt, (task.yt >= 2).astype(int), 4)
    assert names[0] in (0, 1)
    assert names[1] in (2, 3)


def test_a_single_cluster_gets_the_class_it_resembles():
    task = vocabulary_shift(n_classes=2)
    for label in (0, 1):
        X = task.Xt[task.yt == label]
        assert class_of_clusters(task.Xs, task.ys, X, np.zeros(X.shape[0], int), 2).tolist() == [label]


def test_empty_clusters_and_classes_are_matched_last():
    task = vocabulary_shift(n_classes=2)
    names = class_of_clusters(task.Xs, task.ys, task.Xt, 2 * task.yt + 1, 2, n_clusters=5)
    assert names[[1, 3]].tolist() == [0, 1]
    names = class_of_clusters(task.Xs, 2 * task.ys, task.Xt, task.yt, 4)
    assert names.tolist() == [0, 2]


def test_the_numbering_of_clusters_does_not_matter_and_documents_without_words_are_allowed():
    task = vocabulary_shift(n_classes=2)
    Xt = sp.csr_array(sp.vstack([task.Xt, sp.csr_array((2, task.Xt.shape[1]))]))
    clusters = np.append(task.yt, [0, 1])
    np.testing.assert_array_equal(class_of_clusters(task.Xs, task.ys, Xt, clusters, 2)[clusters], clusters)
    nothing = sp.csr_array(Xt.shape)
    assert set(class_of_clusters(task.Xs, task.ys, nothing, clusters, 2)[clusters]) <= {0, 1}
