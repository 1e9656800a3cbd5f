import numpy as np
import pytest

from labelferry import load
from labelferry.families.class_means import class_means
from labelferry.families.cluster_names import class_of_clusters
from labelferry.families.hybrid_graph import indicator, logistic_codes
from labelferry.families.similarity import (
    Variant,
    leading_positive,
    propagate,
    solve_targets,
    start,
    step,
)
from labelferry.methods import label_propagation
from labelferry.methods.similarity_propagation import HybridSimilarityPropagation, cut_axes

from ..hybrids import as_domains, blocks_of, counted
from ..planted import stacked, two_sources, vocabulary_shift
from ..reference import similarity_propagation as slow
from ..reference.label_propagation import discretize, leading


def problem(n_classes=2, n_docs=100, seed=0, tau=0.25):
    """Blocks of a small task, C_i, and labels of the target of which a third are wrong."""
    task = vocabulary_shift(n_classes=n_classes, n_docs=n_docs, n_words=12, seed=seed)
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random(n_docs) < 0.3, rng.integers(n_classes, size=n_docs), task.yt)
    b = blocks_of(task, tau)
    return task, b, indicator(task.ys, n_classes, float), codes


@pytest.mark.parametrize("extra", [0, 3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_thin_equals_full_matrices_in_every_round(n_classes, extra):
    """With K eigenpairs of O, any number K_w >= K of eigenpairs of Q gives the same result."""
    task, b, C_i, codes = problem(n_classes)
    P = np.vstack([b.R_i.toarray(), b.R_o.toarray()])
    C = np.vstack([C_i.toarray(), indicator(codes, n_classes, float).toarray()])
    S_ii, O, n = (C_i @ C_i.T).toarray(), C @ C.T, len(task.ys)
    s = start(b, C_i, codes)
    for _ in range(10):
        s = step(s, b, C_i)
        _, estimated, O = slow.cycle(O, P, S_ii, n_classes, n_classes + extra)
        B_i = b.R_i @ s.W_i
        np.testing.assert_allclose(s.B_o, b.R_o @ s.W_o, atol=1e-10)
        np.testing.assert_allclose(s.B_o @ s.B_o.T, estimated[n:, n:], atol=1e-8)
        np.testing.assert_allclose(B_i @ B_i.T, estimated[:n, :n], atol=1e-8)
        np.testing.assert_allclose(B_i @ s.B_o.T, estimated[:n, n:], atol=1e-8)
        U = np.vstack([s.U_i, s.U_o])
        np.testing.assert_allclose(U.T @ U, np.eye(n_classes), atol=1e-8)
        np.testing.assert_allclose(U @ np.diag(1 / s.l) @ U.T, slow.inverse(O, n_classes), atol=1e-8)
    means = class_means(b, s.W_i, n_classes)
    np.testing.assert_array_equal(means.codes(s.B_o), slow.nearest_mean(B_i, task.ys, s.B_o))


VARIANTS = {
    "2K pairs of O": Variant(4, 4),
    "2K pairs of O, K of Q": Variant(4, 2),
    "footnote 1, start": Variant(2, 2, reinitialize="start"),
    "footnote 1, 2K pairs": Variant(4, 4, reinitialize="start"),
    "footnote 1, current": Variant(2, 2, reinitialize="current"),
    "degrees": Variant(2, 2, scaling="degree"),
    "degrees, footnote 1": Variant(2, 2, reinitialize="current", scaling="degree"),
}


@pytest.mark.parametrize("from_words", [False, True])
@pytest.mark.parametrize("name", VARIANTS)
def test_variants_equal_full_matrices_in_every_round(name, from_words):
    v = VARIANTS[name]
    if from_words and v.reinitialize == "start":
        pytest.skip("with S_io = 0 two eigenvalues of O are equal, and their vectors are not unique")
    task, b, C_i, codes = problem()
    codes = np.full_like(codes, -1) if from_words else codes
    P, n = np.vstack([b.R_i.toarray(), b.R_o.toarray()]), len(task.ys)
    C_o = indicator(codes, 2, float)
    C = np.vstack([C_i.toarray(), C_o.toarray()])
    S_ii, O = (C_i @ C_i.T).toarray(), C @ C.T

    def labels(estimated):
        """C_o for footnote 1."""
        if v.reinitialize == "start":
            return C_o.toarray()
        B = leading(estimated, 2)
        B = B * np.sqrt(np.diag(B.T @ estimated @ B))
        return indicator(slow.nearest_mean(B[:n], task.ys, B[n:]), 2, float).toarray()

    s = start(b, C_i, codes)
    for _ in range(5):
        s = step(s, b, C_i, v, C_o)
        again = None if v.reinitialize == "never" else lambda estimated: C_i.toarray() @ labels(estimated).T
        Q, estimated, O = slow.cycle(O, P, S_ii, v.n_doc_pairs, v.n_word_pairs, again, v.scaling == "degree")
        np.testing.assert_allclose(s.B_o @ s.B_o.T, estimated[n:, n:], atol=1e-8)
        leading_q = leading(Q, v.n_word_pairs)
        np.testing.assert_allclose(s.B_w @ s.B_w.T, leading_q @ leading_q.T @ Q, atol=1e-8 * abs(Q).max())
        U = np.vstack([s.U_i, s.U_o])
        np.testing.assert_allclose(U @ np.diag(s.l) @ U.T, O @ U @ U.T, atol=1e-8)
        np.testing.assert_allclose(U @ np.diag(1 / s.l) @ U.T, slow.inverse(O, v.n_doc_pairs), atol=1e-6)


def test_footnote_1_sets_the_block_between_the_domains():
    """After the reset S has a negative eigenvalue; the block is then that of the start, C_i C_o'."""
    _, b, C_i, codes = problem()
    C_o = indicator(codes, 2, float)
    s = step(start(b, C_i, codes), b, C_i, Variant(6, 2, reinitialize="start"), C_o)
    U = np.vstack([s.U_i, s.U_o])
    kept = U @ np.diag(s.l) @ U.T  # the positive part of O
    O = np.block([[(C_i @ C_i.T).toarray(), (C_i @ C_o.T).toarray()], [(C_o @ C_i.T).toarray(), s.B_o @ s.B_o.T]])
    values, vectors = np.linalg.eigh(O)
    positive = vectors[:, values > 1e-10]
    np.testing.assert_allclose(kept, positive @ positive.T @ O, atol=1e-8)


def test_the_start_from_words_uses_the_labelled_documents_only():
    """Q = R_i' C_i C_i' R_i, and labels of the target do not matter."""
    _, b, C_i, codes = problem()
    s = step(start(b, C_i, np.full_like(codes, -1)), b, C_i)
    G = b.R_i.T @ C_i.toarray()
    np.testing.assert_allclose(s.B_w @ s.B_w.T, G @ G.T, atol=1e-12)


@pytest.mark.parametrize("scaling", ["norm", "degree"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_word_clusters_are_the_cut_of_the_full_matrix(n_classes, scaling):
    """C_w of Table 2: the normalized cut of S_ww, words x words."""
    task = vocabulary_shift(n_classes=n_classes, n_docs=100, n_words=12, seed=3)
    est = HybridSimilarityPropagation(scaling=scaling)
    est.transfer(task.Xs, task.ys, task.Xt)
    s = solve_targets(
        as_domains(task),
        weighting="none",
        tau=est.degree_regularization,
        max_iter=est.max_iter,
        tol=est.tol,
        variant=Variant(n_classes, 2 * n_classes, scaling=scaling),
    )[1][0][1].state
    S_ww = s.B_w @ s.B_w.T
    words, occurs = est.state_.targets[0].words, S_ww.sum(axis=1) > 0
    assert (words[~occurs] == -1).all()
    np.testing.assert_array_equal(words[occurs], slow_cut(S_ww[occurs][:, occurs], n_classes))


def test_word_clusters_contain_words_of_one_class():
    task = vocabulary_shift(n_classes=2, n_words=30)
    words = HybridSimilarityPropagation().fit(*stacked(task)).state_.targets[0].words
    own = words[:180].reshape(2, 90)
    assert not set(own[0]) & set(own[1])


def test_k_w_matters_only_with_more_pairs_of_documents():
    task = vocabulary_shift(n_docs=100, n_words=12, seed=3)
    few, many = (HybridSimilarityPropagation(n_word_clusters=k) for k in (2, 8))
    np.testing.assert_array_equal(few.transfer(task.Xs, task.ys, task.Xt), many.transfer(task.Xs, task.ys, task.Xt))
    np.testing.assert_allclose(few.transduction_proba_, many.transduction_proba_, atol=1e-10)
    few, many = (HybridSimilarityPropagation(n_word_clusters=k, n_doc_pairs=4) for k in (2, 8))
    few.transfer(task.Xs, task.ys, task.Xt)
    many.transfer(task.Xs, task.ys, task.Xt)
    assert abs(few.transduction_proba_ - many.transduction_proba_).max() > 1e-3
    assert many.state_.targets[0].words.max() > few.state_.targets[0].words.max()


def test_corollary_5_label_propagation_is_a_two_step_nystrom_approximation():
    """With S_io = 0 and partitions as similarities, the two steps of Table 2 are (8) and (9) of label propagation.

    The matrices of documents x documents are those of Table 2; the second step has S_ww^+ = S_ww = C_w C_w'.
    """
    task, b, C_i, codes = problem(n_classes=3)
    R_i, R_o, zero = b.R_i.toarray(), b.R_o.toarray(), np.zeros((100, 100))
    C_o = indicator(codes, 3, float).toarray()
    O = np.block([[(C_i @ C_i.T).toarray(), zero], [zero, C_o @ C_o.T]])
    P = np.vstack([R_i, R_o])
    Q = P.T @ slow.inverse(O, 6) @ P  # first step, O has rank 2K
    words = discretize(leading(Q, 6))
    S_ww = indicator(words, 6, float).toarray() @ indicator(words, 6, float).toarray().T
    S_oo = (P @ slow.inverse(S_ww, 6) @ P.T)[100:, 100:]  # second step
    clusters = discretize(leading(S_oo, 3))
    round_of_lp = label_propagation.step(codes, b, label_propagation.Sizes(3))
    np.testing.assert_array_equal(round_of_lp.words, words)
    names = class_of_clusters(b.R_i, task.ys, b.R_o, clusters, 3)
    np.testing.assert_array_equal(round_of_lp.codes, names[clusters])


@pytest.mark.parametrize(
    "setting",
    [
        {"start": "words"},
        {"reinitialize": "start"},
        {"reinitialize": "current"},
        {"scaling": "degree"},
        {"n_word_clusters": 2},
        {"n_doc_pairs": 4},
        {"n_doc_pairs": 4, "n_word_clusters": 6},
        {"inverse": "all"},
        {"inverse": "all", "reading": "cut", "weighting": "none", "degree_regularization": 0},
        {"start": "words", "reinitialize": "current", "scaling": "degree", "reading": "cut"},
    ],
    ids=str,
)
def test_every_option_solves_the_planted_shift_and_is_saved(setting, tmp_path):
    """Not with fewer `n_word_clusters` than `n_doc_pairs`: see the docstring of the class."""
    task = vocabulary_shift()
    est = HybridSimilarityPropagation(**setting)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95
    assert (est.predict(task.Xt) == est.transduction_).all()
    est.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(load(tmp_path / "model.npz").predict(task.Xt), est.transduction_)


def test_the_start_is_the_similarity_of_labels():
    _, b, C_i, codes = problem(3)
    s = start(b, C_i, codes)
    C = np.vstack([C_i.toarray(), indicator(codes, 3, float).toarray()])
    U = np.vstack([s.U_i, s.U_o])
    np.testing.assert_allclose(U @ np.diag(s.l) @ U.T, C @ C.T, atol=1e-12)
    np.testing.assert_allclose(U.T @ U, np.eye(3), atol=1e-12)


PRINTED = Variant(10**6, 4, scaling="none", all_pairs=True)


def printed_problem(n_classes, n_docs=40):
    """A problem without regularized degrees, and the matrices of Table 2."""
    _, b, C_i, codes = problem(n_classes, n_docs=n_docs, tau=0.0)
    C = np.vstack([C_i.toarray(), indicator(codes, n_classes, float).toarray()])
    P = np.vstack([b.R_i.toarray(), b.R_o.toarray()])
    return b, C_i, codes, P, C @ C.T, (C_i @ C_i.T).toarray()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_table_2_as_printed_equals_full_matrices(n_classes):
    """All eigenvalues are inverted; the rank of O goes from r to 2r + K."""
    b, C_i, codes, P, O, S_ii = printed_problem(n_classes)
    s, n, rank = start(b, C_i, codes), len(S_ii), n_classes
    for _ in range(3):
        assert len(s.l) == rank
        s = step(s, b, C_i, PRINTED)
        Q, estimated, O = slow.printed_cycle(O, P, S_ii)
        np.testing.assert_allclose((s.B_o * s.signs) @ s.B_o.T, estimated[n:, n:], atol=1e-8)
        np.testing.assert_allclose((s.B_w * s.signs) @ s.B_w.T, Q, atol=1e-8 * abs(Q).max())
        U = np.vstack([s.U_i, s.U_o])
        np.testing.assert_allclose((U * s.l) @ U.T, O, atol=1e-8)
        np.testing.assert_array_equal(cut_axes(b, s, n_classes).names[cut_of(b, s)], named(b, estimated[n:, n:]))
        rank = 2 * rank + n_classes
    assert (s.l < 0).any()


def cut_of(b, s):
    return (s.B_o @ cut_axes(b, s, 1 + b.codes_i.max()).centers).argmax(axis=1)


def named(b, S_oo):
    k = 1 + b.codes_i.max()
    clusters = slow_cut(S_oo, k)
    return class_of_clusters(b.R_i, b.codes_i, b.R_o, clusters, k)[clusters]


def test_table_2_as_printed_converges_where_o_has_full_rank():
    """With O of full rank and more words than documents, P (P' O^-1 P)^+ P' is O."""
    b, _, codes, P, O, S_ii = printed_problem(2, n_docs=20)
    assert np.linalg.matrix_rank(P) == 40
    solution = propagate(b, 2, codes, max_iter=20, tol=1e-6, variant=PRINTED)
    assert solution.converged
    assert len(solution.state.l) == 40
    assert solution.n_iter <= 8
    for _ in range(solution.n_iter):
        _, estimated, O = slow.printed_cycle(O, P, S_ii)
    S_oo = (solution.state.B_o * solution.state.signs) @ solution.state.B_o.T
    np.testing.assert_allclose(S_oo, estimated[20:, 20:], atol=1e-4)


def test_the_rank_ends_the_printed_iteration():
    b, _, codes, *_ = printed_problem(2)
    solution = propagate(b, 2, codes, max_iter=30, tol=0.0, variant=PRINTED._replace(n_doc_pairs=10))
    assert (solution.n_iter, solution.converged, len(solution.state.l)) == (2, False, 14)


def test_k_w_cannot_matter_as_printed():
    task = counted(vocabulary_shift(n_docs=100, n_words=12, seed=3))
    few, many = (HybridSimilarityPropagation(inverse="all", reading="cut", n_word_clusters=k) for k in (2, 8))
    np.testing.assert_array_equal(few.transfer(task.Xs, task.ys, task.Xt), many.transfer(task.Xs, task.ys, task.Xt))
    assert few.state_.targets[0].words.max() == 1
    assert many.state_.targets[0].words.max() > 1


def test_10_vanishes_for_a_similarity_of_that_rank():
    """The Nystrom approximation is exact if the rank of S is not larger than that of O."""
    rng = np.random.default_rng(1)
    F = rng.normal(size=(30, 3))
    S = F @ F.T
    O, P, Q = S[:10, :10], S[:10, 10:], S[10:, 10:]
    np.testing.assert_allclose(P.T @ slow.inverse(O, 3) @ P, Q, atol=1e-8)


def test_the_reset_makes_negative_eigenvalues_which_are_removed():
    _, b, C_i, codes = problem()
    s = step(start(b, C_i, codes), b, C_i)
    B_i = b.R_i @ s.W_i
    reset = np.block([[(C_i @ C_i.T).toarray(), B_i @ s.B_o.T], [s.B_o @ B_i.T, s.B_o @ s.B_o.T]])
    assert np.linalg.eigvalsh(reset).min() < -1e-3
    assert (s.l > 0).all()
    values, _ = leading_positive(np.diag([3.0, -5, 1, 0]), 3)
    assert values.tolist() == [3, 1]


def test_the_change_of_s_oo_vanishes():
    task, b, _, codes = problem(n_docs=150)
    solution = propagate(b, 2, codes, max_iter=200, tol=1e-7)
    assert solution.converged
    assert solution.history[-1] < 1e-7
    again = propagate(b, 2, task.yt, max_iter=200, tol=1e-7)
    np.testing.assert_allclose(np.abs(solution.state.B_o), np.abs(again.state.B_o), atol=1e-4)  # from any start


def slow_cut(S, k):
    """Shi and Malik's cut of a full matrix of similarities as a partition."""
    D = np.diag(S.sum(axis=1) ** -0.5)
    return discretize(leading(D @ S @ D, k))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_cut_is_that_of_the_full_matrix(n_classes):
    _, b, C_i, codes = problem(n_classes)
    s = step(start(b, C_i, codes), b, C_i)
    cut = cut_axes(b, s, n_classes)
    S_oo = s.B_o @ s.B_o.T
    np.testing.assert_array_equal((s.B_o @ cut.centers).argmax(axis=1), slow_cut(S_oo, n_classes))
    root = S_oo.sum(axis=1)[:, None] ** -0.5
    U, turned = leading(root * S_oo * root.T, n_classes), root * (s.B_o @ cut.centers)  # equal up to a rotation
    np.testing.assert_allclose(turned @ turned.T, U @ U.T, atol=1e-8)
    assert sorted(cut.names) == list(range(n_classes))


@pytest.mark.parametrize("reading", ["source", "cut"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_are_those_of_the_full_matrices(n_classes, reading):
    """All rounds and the reading of the classes, from matrices of documents x documents."""
    task = vocabulary_shift(n_classes=n_classes, n_docs=100, n_words=12, seed=3)
    est = HybridSimilarityPropagation(reading=reading)
    est.transfer(task.Xs, task.ys, task.Xt)
    b, n = blocks_of(task, est.degree_regularization), len(task.ys)
    P = np.vstack([b.R_i.toarray(), b.R_o.toarray()])
    C = np.vstack(
        [indicator(codes, n_classes, float).toarray() for codes in (task.ys, *logistic_codes(as_domains(task)))]
    )
    O, S_ii = C @ C.T, C[:n] @ C[:n].T
    for _ in range(est.n_iter_):
        _, estimated, O = slow.cycle(O, P, S_ii, n_classes, n_classes)
    if reading == "source":
        B = leading(estimated, n_classes)
        B = B * np.sqrt(np.diag(B.T @ estimated @ B))
        labels = slow.nearest_mean(B[:n], task.ys, B[n:])
    else:
        clusters = slow_cut(estimated[n:, n:], n_classes)
        labels = class_of_clusters(b.R_i, task.ys, b.R_o, clusters, n_classes)[clusters]
    np.testing.assert_array_equal(est.transduction_, labels)


@pytest.mark.parametrize("reading", ["source", "cut"])
@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_solved(n_classes, counts, reading):
    task = vocabulary_shift(n_classes=n_classes)
    task = counted(task) if counts else task
    est = HybridSimilarityPropagation(reading=reading)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95


def test_planted_with_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    assert (HybridSimilarityPropagation().transfer(Xs, ys, Xt) == yt).mean() > 0.95


@pytest.mark.parametrize("reading", ["source", "cut"])
def test_new_documents_get_the_labels_of_a_new_fit(reading):
    task = vocabulary_shift(n_docs=300, n_words=60)
    est = HybridSimilarityPropagation(reading=reading)
    est.transfer(task.Xs, task.ys, task.Xt)
    refit = est.transduction_
    est.transfer(task.Xs, task.ys, task.Xt[:200])
    assert (est.predict(task.Xt[200:]) == refit[200:]).mean() > 0.95


def test_given_target_labels_are_kept():
    task = vocabulary_shift(n_docs=200, seed=2)
    X, y, domain = stacked(task)
    y[200:230] = 1 - task.yt[:30]
    est = HybridSimilarityPropagation().fit(X, y, domain, use_target_labels=True)
    np.testing.assert_array_equal(est.transduction_[:30], y[200:230])
    y[200:] = task.yt
    everything = HybridSimilarityPropagation().fit(X, y, domain, use_target_labels=True)
    np.testing.assert_array_equal(everything.transduction_, task.yt)


def test_the_idf_equals_scikit_learns():
    from sklearn.feature_extraction.text import TfidfTransformer

    task = counted(vocabulary_shift(n_docs=80))
    est = HybridSimilarityPropagation()
    est.transfer(task.Xs, task.ys, task.Xt)
    X = stacked(task)[0]
    Z = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    other = HybridSimilarityPropagation()
    other.transfer(Z[:80], task.ys, Z[80:])
    np.testing.assert_allclose(est.transduction_proba_, other.transduction_proba_, atol=1e-8)
