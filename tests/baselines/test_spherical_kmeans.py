import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.baselines.spherical_kmeans import SphericalKMeans, objective, start, step
from labelferry.families.cluster_names import class_of_clusters

from ..planted import two_sources, vocabulary_shift
from ..reference import spherical_kmeans as slow


def test_step_equals_the_loops_and_the_objective_never_rises():
    Z = vocabulary_shift(n_docs=80, n_words=8).Xt
    C = start(Z, 3, np.random.default_rng(0))
    D, before = C, np.inf
    for _ in range(8):
        C, D = step(C, Z), slow.cycle(D, Z.toarray())
        np.testing.assert_allclose(C, D, atol=1e-12)
        now = objective(C, Z)
        assert now == pytest.approx(slow.objective(D, Z.toarray()))
        assert now <= before + 1e-10
        before = now


def test_the_first_centers_are_documents_far_from_each_other():
    Z = sp.csr_array(np.repeat(np.eye(3), [50, 49, 1], axis=0))
    for seed in range(10):
        C = start(Z, 3, np.random.default_rng(seed))
        np.testing.assert_array_equal(C.sum(axis=0), 1)


def test_a_cluster_without_documents_restarts():
    Z = sp.csr_array(np.repeat(np.eye(3), 5, axis=0))
    C = np.array([[1.0, 0, 0], [0, 0.6, 0.8], [-1, 0, 0]])
    C = step(step(step(C, Z), Z), Z)
    assert objective(C, Z) < 5
    np.testing.assert_allclose(np.linalg.norm(C, axis=1), 1)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_bridged(n_classes):
    task = vocabulary_shift(n_classes=n_classes)
    est = SphericalKMeans(random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95
    Z, C = task.Xt.toarray(), est.state_.C[0]
    np.testing.assert_allclose(slow.cycle(C, Z), C, atol=1e-10)  # each center is the mean direction of its cluster
    nearest = np.array([int(np.argmax([z @ c for c in C])) for z in Z])
    np.testing.assert_array_equal(
        est.transduction_, class_of_clusters(task.Xs, task.ys, task.Xt, nearest, n_classes)[nearest]
    )


def test_more_clusters_and_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = SphericalKMeans(n_clusters=5, random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.9
    assert est.state_.C[0].shape == (5, Xt.shape[1])


def test_more_starts_do_not_raise_the_objective():
    task = vocabulary_shift(n_classes=4, n_docs=100)
    last = [
        SphericalKMeans(n_init=n, random_state=0).fit(
            sp.vstack([task.Xs, task.Xt]), np.append(task.ys, np.full(100, -1))
        )
        for n in (1, 10)
    ]
    assert last[1].objective_history_[-1] <= last[0].objective_history_[-1]
