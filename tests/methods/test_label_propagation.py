import numpy as np
import pytest
import scipy.sparse as sp

from labelferry import load
from labelferry.families.cluster_names import class_of_clusters
from labelferry.families.hybrid_graph import indicator, relations, resolve_weighting
from labelferry.linalg.discretize import discretize
from labelferry.linalg.eigen import leading_left
from labelferry.methods.label_propagation import HybridLabelPropagation, Sizes, objective, propagate, step

from ..hybrids import as_domains, blocks_of, counted
from ..planted import stacked, two_sources, vocabulary_shift
from ..reference import label_propagation as slow


@pytest.mark.parametrize("tau", [0.0, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_thin_equals_full_matrices_in_every_round(n_classes, tau):
    task = vocabulary_shift(n_classes=n_classes, n_docs=100, n_words=12)
    b = blocks_of(task, tau=tau)
    R_i, R_o = (slow.normalize(X.toarray(), tau) for X in (task.Xs, task.Xt))
    np.testing.assert_allclose(b.R_i.toarray(), R_i, atol=1e-12)
    np.testing.assert_allclose(b.R_o.toarray(), R_o, atol=1e-12)
    C_i = slow.indicator(task.ys, n_classes)
    codes = np.random.default_rng(0).permutation(task.yt)
    codes[:60] = task.yt[:60]
    for _ in range(5):
        f = step(codes, b, Sizes(n_classes))
        words, clusters = slow.cycle(R_i, C_i, R_o, codes, n_classes)
        np.testing.assert_array_equal(f.words, words)
        names = class_of_clusters(b.R_i, task.ys, b.R_o, clusters, n_classes)
        np.testing.assert_array_equal(f.codes, names[clusters])
        C_o, C_w = slow.indicator(f.codes, n_classes), slow.indicator(words, 2 * n_classes)
        assert objective(f.codes, f.words, b, Sizes(n_classes)) == pytest.approx(
            slow.objective(R_i, C_i, R_o, C_o, C_w), rel=1e-10
        )
        codes = f.codes


@pytest.mark.parametrize("K_w", [None, 3, 4])
@pytest.mark.parametrize("mu", [1.0, 0.25, 4.0])
@pytest.mark.parametrize("n_clusters", [2, 3, 5])
def test_other_numbers_of_clusters_and_weights_equal_full_matrices(n_clusters, mu, K_w):
    """K_o clusters of the target, K_w clusters of words, and mu as the weight of the labelled documents."""
    task = vocabulary_shift(n_classes=3, n_docs=100, n_words=12)
    b, sizes = blocks_of(task), Sizes(3, n_clusters, mu, K_w)
    R_i, R_o = (slow.normalize(X.toarray(), 1.0) for X in (task.Xs, task.Xt))
    C_i = slow.indicator(task.ys, 3)
    partition = np.random.default_rng(0).permutation(task.yt)
    partition[:60] = task.yt[:60]
    for _ in range(4):
        f = step(partition, b, sizes)
        words, clusters = slow.cycle(R_i, C_i, R_o, partition, 3, n_clusters, mu, K_w)
        np.testing.assert_array_equal(f.words, words)
        np.testing.assert_array_equal(f.clusters, clusters)
        C_o, C_w = slow.indicator(clusters, n_clusters), slow.indicator(words, 3 + n_clusters)
        expected = slow.objective(R_i, C_i, R_o, C_o, C_w, mu)
        assert objective(f.clusters, f.words, b, sizes) == pytest.approx(expected, rel=1e-10)
        names = class_of_clusters(b.R_i, task.ys, b.R_o, clusters, 3, n_clusters=min(n_clusters, K_w or n_clusters))
        np.testing.assert_array_equal(f.codes, names[clusters])
        partition = f.clusters


def test_the_weight_matters_only_with_fewer_word_clusters():
    """With K_w = K + K_o all vectors of (8) are kept, and they span the same space for every mu > 0."""
    task = vocabulary_shift(n_docs=100, n_words=12, common=0.6)
    b, codes = blocks_of(task), np.random.default_rng(0).permutation(task.yt)
    light, heavy = (step(codes, b, Sizes(2, None, mu)) for mu in (0.1, 10.0))
    np.testing.assert_array_equal(light.words, heavy.words)
    np.testing.assert_array_equal(light.codes, heavy.codes)
    light, heavy = (step(codes, b, Sizes(2, None, mu, 2)) for mu in (0.1, 10.0))
    assert (light.words != heavy.words).any()


def test_as_many_clusters_as_classes_are_the_classes():
    """n_clusters = K gives the labels of the default: the clusters are the classes under other numbers."""
    task = vocabulary_shift(n_classes=3, n_docs=150)
    default, three = (HybridLabelPropagation("logistic", n_clusters=k) for k in (None, 3))
    default.transfer(task.Xs, task.ys, task.Xt)
    three.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_array_equal(three.transduction_, default.transduction_)
    assert len(set(zip(three.state_.targets[0].clusters, three.state_.targets[0].codes, strict=True))) == 3


def test_more_clusters_than_classes(tmp_path):
    """A target whose classes consist of two topics each: every topic is a cluster with the class of its documents."""
    task = vocabulary_shift(n_classes=4, n_docs=240)
    est = HybridLabelPropagation("logistic", n_clusters=4)
    labels = est.transfer(task.Xs, task.ys // 2, task.Xt)
    assert (labels == task.yt // 2).mean() > 0.95
    assert len(est.state_.targets[0].names) == 4
    assert est.state_.targets[0].words.max() < 6  # K_w = 2 + 4
    np.testing.assert_array_equal(est.predict(task.Xt), labels)
    est.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(load(tmp_path / "model.npz").predict(task.Xt), labels)


def test_fewer_clusters_than_classes_predict_fewer_classes():
    task = vocabulary_shift(n_classes=3, n_docs=90)
    est = HybridLabelPropagation("logistic", n_clusters=2)
    assert len(set(est.transfer(task.Xs, task.ys, task.Xt))) == 2


def test_without_the_source_the_target_is_clustered_alone():
    """mu = 0: (8) contains the target only; the labelled documents name the clusters."""
    task = vocabulary_shift(n_docs=150)
    b = blocks_of(task)
    rolled = b._replace(R_i=b.R_i[::-1], codes_i=b.codes_i)  # other labels of the labelled documents
    alone, other = (step(task.yt, blocks, Sizes(2, 2, 0.0)) for blocks in (b, rolled))
    np.testing.assert_array_equal(alone.words, other.words)
    np.testing.assert_array_equal(alone.clusters, other.clusters)


def test_the_singular_vectors_are_the_eigenvectors_of_8():
    task = vocabulary_shift(n_docs=60, n_words=12)
    b = blocks_of(task)
    C_i, C_o = (indicator(y, 2, float).toarray() for y in (task.ys, task.yt))
    M = np.hstack([b.R_i.T @ C_i, b.R_o.T @ C_o])
    values, U = leading_left(M, 4)
    eight = M @ M.T
    np.testing.assert_allclose(eight @ U, U * values**2, atol=1e-8)
    assert np.linalg.matrix_rank(eight, tol=1e-10) == 4  # K_w = 2K is not a parameter


def test_theorem_3_with_its_trace():
    """Ky Fan: no orthonormal V, and so no partition, has a larger tr(V'SV) than the leading eigenvectors."""
    task = vocabulary_shift(n_docs=60, n_words=12)
    b = blocks_of(task)
    M = np.asarray(b.R_o @ indicator(np.arange(b.R_o.shape[1]) % 4, 4, float).toarray())
    values, U = leading_left(M, 2)
    top = np.trace(U.T @ M @ M.T @ U)
    assert top == pytest.approx((values**2).sum())
    rng = np.random.default_rng(0)
    for _ in range(50):
        V = np.linalg.qr(rng.normal(size=U.shape))[0]
        C = indicator(rng.integers(2, size=len(U)), 2, float).toarray()
        T = np.linalg.qr(rng.normal(size=(2, 2)))[0]
        assert np.trace(V.T @ M @ M.T @ V) <= top
        assert np.trace(C.T @ M @ M.T @ C) <= top
        assert np.trace((U @ T).T @ M @ M.T @ (U @ T)) == pytest.approx(top)


def test_corollary_5():
    """(8) is P' O^+ P with S_io = 0, since a similarity C C' is its own pseudo-inverse."""
    task = vocabulary_shift(n_docs=40, n_words=8)
    b = blocks_of(task)
    C_i, C_o = (indicator(y, 2, float).toarray() for y in (task.ys, task.yt))
    S_ii = C_i @ C_i.T
    np.testing.assert_allclose(np.linalg.pinv(S_ii), S_ii, atol=1e-10)
    zero = np.zeros((40, 40))
    O = np.block([[S_ii, zero], [zero, C_o @ C_o.T]])
    P = np.vstack([b.R_i.toarray(), b.R_o.toarray()])
    M = np.hstack([b.R_i.T @ C_i, b.R_o.T @ C_o])
    np.testing.assert_allclose(P.T @ np.linalg.pinv(O) @ P, M @ M.T, atol=1e-10)


def test_the_loop_ends_when_a_partition_occurs_again():
    task = vocabulary_shift(n_docs=100)
    solution = propagate(blocks_of(task), Sizes(2), task.yt, max_iter=30)
    assert solution.converged
    assert solution.n_iter <= 3
    np.testing.assert_array_equal(step(solution.state.codes, blocks_of(task), Sizes(2)).codes, solution.state.codes)


@pytest.mark.parametrize("kind", [None, "log"])
@pytest.mark.parametrize("start", ["similarity", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_solved(n_classes, start, kind):
    task = vocabulary_shift(n_classes=n_classes)
    task = counted(task) if kind else task
    assert (HybridLabelPropagation(start).transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95


def test_planted_with_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = HybridLabelPropagation()
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.95
    assert len(est.state_.scales.word_scale) == 3


def test_word_clusters_contain_words_of_one_class():
    task = vocabulary_shift(n_classes=2, n_words=30)
    est = HybridLabelPropagation().fit(*stacked(task))
    words = est.state_.targets[0].words
    own = words[:180].reshape(2, 90)
    assert not set(own[0]) & set(own[1])


def test_new_documents_get_the_labels_of_a_new_fit():
    task = vocabulary_shift(n_docs=300, n_words=60)
    est = HybridLabelPropagation()
    est.transfer(task.Xs, task.ys, task.Xt)
    last_round = est.classes_[est.state_.targets[0].codes]
    np.testing.assert_array_equal(est.transduction_, last_round)
    np.testing.assert_array_equal(est.predict(task.Xt), last_round)
    refit = est.transduction_
    est.transfer(task.Xs, task.ys, task.Xt[:200])
    assert (est.predict(task.Xt[200:]) == refit[200:]).mean() > 0.95


def test_given_target_labels_are_kept():
    task = vocabulary_shift(n_docs=200, seed=2)
    X, y, domain = stacked(task)
    y[200:260] = 1 - task.yt[:60]
    est = HybridLabelPropagation("logistic").fit(X, y, domain, use_target_labels=True)
    np.testing.assert_array_equal(est.transduction_[:60], y[200:260])
    y[200:] = task.yt
    everything = HybridLabelPropagation().fit(X, y, domain, use_target_labels=True)
    np.testing.assert_array_equal(everything.transduction_, task.yt)


def test_targets_do_not_depend_on_each_other():
    task, other = vocabulary_shift(seed=0), vocabulary_shift(seed=5)
    alone = HybridLabelPropagation()
    alone.transfer(task.Xs, task.ys, task.Xt)
    X = sp.csr_array(sp.vstack([task.Xs, task.Xt, other.Xt]))
    both = HybridLabelPropagation().fit(X, np.append(task.ys, np.full(300, -1)), np.repeat([1, -2, -3], 150))
    np.testing.assert_allclose(both.transduction_proba_[:150], alone.transduction_proba_, atol=1e-10)


def test_weightings():
    task = counted(vocabulary_shift(n_docs=60))
    domains = as_domains(task)
    assert resolve_weighting(domains, "auto", "log") == "log"
    assert resolve_weighting(as_domains(vocabulary_shift(n_docs=60)), "auto", "log") == "none"
    by_hand = task._replace(**{k: counts_log(getattr(task, k)) for k in ("Xs", "Xt")})
    start = {"start": "logistic", "degree_regularization": 0.5}
    auto = HybridLabelPropagation(**start)
    auto.transfer(task.Xs, task.ys, task.Xt)
    plain = HybridLabelPropagation(**start, weighting="none")
    plain.transfer(by_hand.Xs, task.ys, by_hand.Xt)
    of_auto, of_plain = auto.state_.scales, plain.state_.scales
    assert (of_auto.weighting, of_plain.weighting) == ("log", "none")
    for d, X in enumerate(("Xs", "Xt")):
        R = relations(getattr(task, X), of_auto, d)
        np.testing.assert_allclose(
            R.toarray(), relations(getattr(by_hand, X), of_plain, d).toarray(), rtol=1e-12, atol=0
        )
        np.testing.assert_allclose(R.toarray(), slow.normalize(getattr(by_hand, X).toarray(), 0.5), rtol=1e-10)
    unit = vocabulary_shift(n_docs=60)
    with pytest.raises(ValueError, match="requires word counts"):
        HybridLabelPropagation(weighting="log").transfer(unit.Xs, unit.ys, unit.Xt)


def counts_log(X):
    return sp.csr_array((1 + np.log(X.data), X.indices, X.indptr), shape=X.shape)


class TestDiscretize:
    def test_a_rotated_partition_is_found(self):
        rng = np.random.default_rng(0)
        codes = np.append(np.arange(4), rng.integers(4, size=200))
        T = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        vectors = (np.eye(4)[codes] + 0.1 * rng.normal(size=(204, 4))) @ T * rng.random((204, 1))
        recovered = discretize(vectors).codes
        assert len(set(zip(codes, recovered, strict=True))) == 4
        np.testing.assert_array_equal(recovered, slow.discretize(vectors))

    def test_the_basis_does_not_matter(self):
        rng = np.random.default_rng(1)
        vectors = rng.normal(size=(100, 3))
        T = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        np.testing.assert_array_equal(discretize(vectors).codes, discretize(vectors @ T).codes)

    def test_the_rotation_labels_rows(self):
        vectors = np.random.default_rng(2).normal(size=(50, 3))
        codes, T = discretize(vectors)
        np.testing.assert_allclose(T @ T.T, np.eye(3), atol=1e-10)
        np.testing.assert_array_equal((vectors @ T).argmax(axis=1), codes)

    def test_rows_of_zeros_are_nowhere(self):
        assert discretize(np.zeros((3, 2))).codes.tolist() == [-1, -1, -1]
        assert discretize(np.array([[1.0, 0], [0, 0], [0, 1]])).codes[1] == -1
        assert discretize(np.zeros((3, 0))).codes.tolist() == [-1, -1, -1]
