import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from labelferry import load
from labelferry.core.domains import read_domains
from labelferry.families.spectral import cut_eigenvectors, extend, nodes
from labelferry.linalg import eigen
from labelferry.linalg.laplacian import MustLink, Similarity, cut_operator, must_link
from labelferry.linalg.normalize import normalize_rows_l2
from labelferry.methods import CDSC
from labelferry.methods.cdsc import N_MORE, TARGET_CUT_GRID

from ..corpora import CDSC_TABLE_1, cdsc_sample
from ..planted import stacked, two_sources, vocabulary_shift
from ..reference import spectral as slow

RNG = np.random.default_rng


def problem(n_docs=100, n_classes=2, **settings):
    X, y, domain = stacked(vocabulary_shift(n_classes=n_classes, n_docs=n_docs, **settings))
    return nodes(read_domains(X, y, domain, estimator="test"))


def dense_problem(g, tau, beta, lam):
    W = slow.regularized(slow.cosines(g.X.toarray()), tau)
    in_target = np.arange(len(g.codes)) >= g.first_target
    return W, slow.cdsc_matrix(W, slow.constraint_matrix(g.blocks), in_target, beta, lam)


def same_up_to_sign(A, B, atol):
    signs = np.sign((A * B).sum(axis=0))
    np.testing.assert_allclose(A * signs, B, atol=atol)


@pytest.mark.parametrize(("tau", "beta", "lam"), [(0, 15, 0.025), (1, 15, 0.2), (1, 0, 0), (0.5, 3, 1)])
def test_thin_equals_dense(tau, beta, lam):
    g = problem()
    W, T = dense_problem(g, tau, beta, lam)
    S = Similarity(g.X, tau)
    thin = cut_operator(S, links=MustLink(g.blocks), link_weight=beta, first=g.first_target, block_weight=lam)
    np.testing.assert_allclose(S.degree, W.sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(thin @ np.eye(200), T, atol=1e-10)
    np.testing.assert_allclose(thin @ np.eye(200)[:, 7], T[:, 7], atol=1e-10)
    _, eigenpairs, x = cut_eigenvectors(g, n_eigenvectors=4, beta=beta, lam=lam, tau=tau, rng=RNG(0))
    values, X, Y = slow.cdsc_rows(W, T, 4)
    np.testing.assert_allclose(eigenpairs.values, values, atol=1e-10)
    same_up_to_sign(x, X, atol=1e-8)
    same_up_to_sign(normalize_rows_l2(x), Y, atol=1e-8)


def test_large_solver_equals_dense(monkeypatch):
    """The same through ARPACK, which smaller graphs never see."""
    g = problem()
    dense = cut_eigenvectors(g, n_eigenvectors=3, beta=15, lam=0.2, tau=1, rng=RNG(0))[1]
    monkeypatch.setattr(eigen, "_DENSE_BELOW", 10)
    lanczos = cut_eigenvectors(g, n_eigenvectors=3, beta=15, lam=0.2, tau=1, rng=RNG(0))[1]
    np.testing.assert_allclose(lanczos.values, dense.values, atol=1e-8)
    same_up_to_sign(lanczos.vectors, dense.vectors, atol=1e-4)
    assert lanczos.converged


def test_constraints_as_blocks_equal_the_constraint_matrix():
    codes = np.array([0, 1, -1, 1, 0, 2, 1, -1])
    U = slow.constraint_matrix(codes)
    assert U.shape[1] == 1 + 3 + 0  # n_c (n_c - 1) / 2 columns per class
    B = RNG(0).random((8, 3))
    np.testing.assert_allclose(must_link(codes, B), U @ U.T @ B, atol=1e-12)
    np.testing.assert_allclose(must_link(codes, B[:, 0]), U @ U.T @ B[:, 0], atol=1e-12)


def test_lemma_2_symmetric():
    g = problem()
    W = Similarity(g.X)
    T = cut_operator(W, links=MustLink(g.blocks), link_weight=15, first=g.first_target, block_weight=0.2)
    full = T @ np.eye(200)
    np.testing.assert_allclose(full, full.T, atol=1e-10)


def test_coordinates_are_orthogonal_by_degree():
    """(12) through ARPACK, which does not guarantee it: y'y = 1, and x'Dx = 1 for x = D^-1/2 y."""
    g = problem(n_docs=150)
    assert len(g.codes) > eigen._DENSE_BELOW
    W, T = dense_problem(g, 1, 15, 0.2)
    _, eigenpairs, x = cut_eigenvectors(g, n_eigenvectors=6, beta=15, lam=0.2, tau=1, rng=RNG(0))
    np.testing.assert_allclose(eigenpairs.vectors.T @ eigenpairs.vectors, np.eye(6), atol=1e-8)
    np.testing.assert_allclose(x.T @ (W.sum(axis=1)[:, None] * x), np.eye(6), atol=1e-8)
    np.testing.assert_allclose(
        eigenpairs.vectors.T @ T @ eigenpairs.vectors, np.diag(np.linalg.eigvalsh(T)[:6]), atol=1e-6
    )


def test_equation_5_consistent_partitions_cost_nothing():
    """U'x = 0 for every x that is constant on the classes, and only for these."""
    g = problem(n_classes=3)
    x = np.where(g.blocks >= 0, np.array([2.0, -1.0, 0.5])[g.blocks], RNG(0).random(len(g.blocks)))
    np.testing.assert_allclose(must_link(g.blocks, x), 0, atol=1e-10)
    x[0] += 1
    assert x @ must_link(g.blocks, x) > 1


def test_first_eigenvector_is_constant_with_eigenvalue_zero():
    _, eigenpairs, x = cut_eigenvectors(problem(), n_eigenvectors=2, beta=15, lam=0.2, tau=1, rng=RNG(0))
    assert eigenpairs.values[0] == pytest.approx(0, abs=1e-10)
    np.testing.assert_allclose(x[:, 0], x[0, 0], rtol=1e-6)


def test_a_large_must_link_weight_moves_a_class_to_one_point():
    g = problem()
    spread = []
    for beta in (0.0, 0.1, 1e4):
        x = cut_eigenvectors(g, n_eigenvectors=3, beta=beta, lam=0.2, tau=1, rng=RNG(0))[2]
        source = normalize_rows_l2(x)[: g.first_target]
        spread.append(max(np.ptp(source[g.codes[: g.first_target] == c], axis=0).max() for c in (0, 1)))
    assert spread[0] > 0.1
    assert spread[0] > spread[1] > spread[2]
    assert spread[2] < 1e-4


@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_solved(n_classes):
    task = vocabulary_shift(n_classes=n_classes)
    assert (CDSC(random_state=0).transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95


def test_planted_with_two_sources():
    Xs, ys, Xt, yt = two_sources(seed=1)
    est = CDSC(random_state=0)
    assert (est.transfer(Xs, ys, Xt) == yt).mean() > 0.95
    assert est.state_.vectors.shape == (300, 3)


def test_each_domain_has_its_own_constraints():
    X, y, domain = stacked(vocabulary_shift(n_docs=40))
    y = y.copy()
    y[40:50] = [0, 1] * 5
    domain = domain.copy()
    domain[20:40] = 3
    g = nodes(read_domains(X, y, domain, use_target_labels=True, estimator="test"))
    assert np.bincount(g.blocks[g.known]).tolist() == [10, 10, 10, 10, 5, 5]
    assert (g.blocks[50:] == -1).all()


def test_extension_is_exact_for_documents_of_the_fit_without_the_similarity_to_themselves():
    """(E) with the document's own similarity on the left alone is the eigenvector equation itself."""
    X, y, domain = stacked(vocabulary_shift(n_docs=100))
    est = CDSC(random_state=0, target_cut=0.2).fit(X, y, domain)
    s, Xt = est.state_, X[100:]
    both, of_target = (normalize_rows_l2(Xt) @ e.sums + e.constant for e in (s.extension, s.target))
    left = both[:, -1:] * (1 - s.extension.values) + 0.2 * of_target[:, -1:]
    np.testing.assert_allclose((both + 0.2 * of_target)[:, :-1] / left, s.vectors[100:], atol=1e-8)


def aligned(A, B, rows):
    """Mean difference of the unit rows of A and B, after the rotation that fits the given rows best.

    Eigenvectors of close eigenvalues rotate within their space, which does not change a classifier on them.
    """
    A, B = normalize_rows_l2(A), normalize_rows_l2(B)
    left, _, right = np.linalg.svd(A[rows].T @ B[rows])
    return np.abs(A @ (left @ right) - B).mean(axis=1)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_new", [1, 40])
def test_extension_agrees_with_a_new_fit(n_classes, n_new):
    """New documents are as near to their place in a new fit as the documents that were in both fits."""
    task = vocabulary_shift(n_classes=n_classes, n_docs=240, common=0.2)
    known, new = slice(0, 200), slice(200, 200 + n_new)
    est, refit = CDSC(random_state=0), CDSC(random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt[known])
    labels = refit.transfer(task.Xs, task.ys, task.Xt[: 200 + n_new])[new]
    assert (est.predict(task.Xt[new]) == labels).mean() >= 0.95
    at_hand = np.vstack([est.state_.vectors, extend(est.state_, task.Xt[new], est.target_cut)])
    moved = aligned(at_hand, refit.state_.vectors, slice(0, 440))
    assert moved[440:].mean() < 1.2 * moved[240:440].mean()
    assert moved[440:].max() < (0.01 if n_new == 1 else 0.08)


@pytest.mark.slow
def test_new_documents_of_the_newsgroups_get_the_labels_of_a_new_fit(corpus):
    path = corpus("20news/20news-bydate.jsonl.gz")
    task = cdsc_sample(path, "rec vs talk", 0)
    old = RNG(0).permutation(len(task.yt)) >= 50
    est, refit = CDSC(random_state=0), CDSC(random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt[old])
    labels = refit.transfer(task.Xs, task.ys, task.Xt)[~old]
    assert (est.predict(task.Xt[~old]) == labels).mean() >= 0.95


def test_documents_without_words_are_isolated_and_change_no_other():
    task = vocabulary_shift(n_docs=60)
    for tau in (0.0, 1.0):
        plain = CDSC(random_state=0, degree_regularization=tau)
        plain.transfer(task.Xs, task.ys, task.Xt)
        Xs = sp.vstack([task.Xs, sp.csr_array((2, task.Xs.shape[1]))], format="csr")
        Xt = sp.vstack([sp.csr_array((3, task.Xs.shape[1])), task.Xt], format="csr")
        est = CDSC(random_state=0, degree_regularization=tau)
        labels = est.transfer(Xs, np.append(task.ys, [0, 1]), Xt)
        assert np.isfinite(est.transduction_proba_).all()
        np.testing.assert_allclose(est.transduction_proba_[:3], np.tile(est.class_prior_, (3, 1)))
        assert (labels[3:] == plain.transduction_).mean() > 0.95


@pytest.mark.parametrize(("n_eigenvectors", "target_cut"), [("cut", "cut"), ("cut", 0.2), (3, "cut")])
@pytest.mark.parametrize(("n_classes", "seed"), [(2, 0), (2, 3), (3, 1)])
def test_the_cut_chooses_as_with_full_matrices(n_eigenvectors, target_cut, n_classes, seed):
    """Every k and lambda with dense matrices and F = 1-nearest neighbor; the lowest cut of the target."""
    task = vocabulary_shift(n_docs=36, n_classes=n_classes, seed=seed, common=0.6)
    g = nodes(read_domains(*stacked(task), estimator="test"))
    ks = range(n_classes, n_classes + N_MORE + 1) if n_eigenvectors == "cut" else [n_eigenvectors]
    lambdas = TARGET_CUT_GRID if target_cut == "cut" else [target_cut]
    in_target = np.arange(72) >= 36
    _, k, lam, labels = slow.lowest_cut(g.X.toarray(), g.codes, g.blocks, in_target, ks, lambdas, 15.0, 1.0)
    est = CDSC(n_eigenvectors, target_cut=target_cut, classifier=KNeighborsClassifier(1), random_state=0)
    np.testing.assert_array_equal(est.transfer(task.Xs, task.ys, task.Xt), labels)
    assert est.state_.target_cut == lam
    assert est.state_.vectors.shape[1] == k
    chosen = CDSC(k, target_cut=lam, classifier=KNeighborsClassifier(1), random_state=0)
    np.testing.assert_array_equal(chosen.transfer(task.Xs, task.ys, task.Xt), labels)


def test_a_model_chosen_by_the_cut_is_saved(tmp_path):
    """New documents use the chosen lambda, also after loading."""
    task = vocabulary_shift(n_docs=60)
    est = CDSC("cut", target_cut="cut", random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt[:50])
    fixed = CDSC(est.state_.vectors.shape[1], target_cut=est.state_.target_cut, random_state=0)
    fixed.transfer(task.Xs, task.ys, task.Xt[:50])
    proba = est.predict_proba(task.Xt[50:])
    np.testing.assert_allclose(proba, fixed.predict_proba(task.Xt[50:]), atol=1e-6)
    est.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(load(tmp_path / "model.npz").predict_proba(task.Xt[50:]), proba)


def test_logistic_regression_is_the_default_classifier():
    task = vocabulary_shift(n_docs=80)
    given, default = (CDSC(classifier=F, random_state=0) for F in (LogisticRegression(C=10, solver="newton-cg"), None))
    np.testing.assert_array_equal(
        given.transfer(task.Xs, task.ys, task.Xt), default.transfer(task.Xs, task.ys, task.Xt)
    )
    np.testing.assert_allclose(given.transduction_proba_, default.transduction_proba_, atol=1e-10)
    np.testing.assert_allclose(given.predict_proba(task.Xt), default.predict_proba(task.Xt), atol=1e-10)


def test_the_classifier_is_a_parameter(tmp_path):
    task = vocabulary_shift(n_docs=80, n_classes=3)
    nearest = KNeighborsClassifier(1)
    est = CDSC(classifier=nearest, random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95
    assert not hasattr(nearest, "classes_")  # a copy was fitted
    assert clone(est).set_params(classifier__n_neighbors=3).classifier.n_neighbors == 3
    with pytest.raises(TypeError, match="cannot save a KNeighborsClassifier without pickle"):
        est.save(tmp_path / "model.npz")
    assert not (tmp_path / "model.npz").exists()


def test_a_classifier_without_probabilities_is_an_error():
    task = vocabulary_shift(n_docs=40)
    with pytest.raises(ValueError, match=r"classifier must be .* with predict_proba; got LinearSVC\(\)"):
        CDSC(classifier=LinearSVC()).transfer(task.Xs, task.ys, task.Xt)


HARD = {
    "identical documents": (np.ones((6, 4)), np.ones((5, 4))),
    "one target document": (np.eye(6)[:, :4] + 0.1, np.ones((1, 4))),
    "constant features": (np.full((6, 1), 2.0), np.full((4, 1), 2.0)),
    "nothing in common": (np.kron(np.eye(2), np.ones((3, 2))), np.kron(np.eye(2)[::-1], np.ones((2, 2)))),
    "target shares no word with the source": (
        np.hstack([np.eye(6), np.zeros((6, 3))]),
        np.hstack([np.zeros((3, 6)), np.eye(3)]),
    ),
    "no words at all": (np.zeros((6, 3)), np.zeros((4, 3))),
    "signed features": (np.vstack([np.eye(3), -np.eye(3)]), -np.eye(3)),
    "degrees that sum to zero": (np.array([[1.0], [-1], [1], [-1], [1], [-1]]), np.array([[1.0], [-1.0]])),
}


@pytest.mark.parametrize("tau", [0.0, 1.0])
@pytest.mark.parametrize("k", [None, 1, 50, "cut"])
@pytest.mark.parametrize("case", HARD)
def test_hard_input_has_a_defined_prediction(case, k, tau):
    Xs, Xt = HARD[case]
    est = CDSC(k, degree_regularization=tau, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("error", eigen.ConvergenceWarning)
        est.transfer(Xs, [0, 0, 0, 1, 1, 1], Xt)
        new = est.predict_proba(np.vstack([Xt, np.zeros_like(Xt[:1])]))
    assert np.isfinite(est.transduction_proba_).all()
    assert np.isfinite(new).all()
    assert est.state_.vectors.shape[1] <= len(Xs) + len(Xt)


def test_a_class_with_a_single_document():
    task = vocabulary_shift(n_docs=80)
    keep = (task.ys == 0) | (np.arange(80) == 1)
    est = CDSC(random_state=0)
    est.transfer(task.Xs[keep], task.ys[keep], task.Xt)
    assert np.isfinite(est.transduction_proba_).all()


def test_failed_convergence_warns_with_the_residual(monkeypatch):
    def gives_up(A, k, **settings):
        raise eigen.ArpackNoConvergence("no", np.empty(0), np.empty((A.shape[0], 0)))

    monkeypatch.setattr(eigen, "eigsh", gives_up)
    monkeypatch.setattr(eigen, "lobpcg", lambda A, X, **settings: (np.zeros(X.shape[1]), np.linalg.qr(X)[0]))
    task = vocabulary_shift(n_docs=150)
    est = CDSC(random_state=0)
    with pytest.warns(eigen.ConvergenceWarning, match="largest residual"):
        est.transfer(task.Xs, task.ys, task.Xt)
    assert est.converged_ is False


@pytest.mark.slow
def test_the_papers_newsgroup_tasks(corpus):
    """Table 1, 250 documents per class: mean error over six tasks and five draws, default and the paper's setting.

    The paper prints .071.
    """
    path = corpus("20news/20news-bydate.jsonl.gz")
    tasks = [[cdsc_sample(path, name, seed) for name in CDSC_TABLE_1] for seed in range(5)]
    paper = CDSC(6, target_cut=0.025, degree_regularization=0, random_state=0)
    assert np.mean([errors(CDSC(random_state=0), six) for six in tasks]) == pytest.approx(0.069, abs=0.005)
    assert np.mean([errors(paper, six) for six in tasks]) == pytest.approx(0.153, abs=0.02)


def errors(estimator, tasks):
    return np.mean([(estimator.transfer(t.Xs, t.ys, t.Xt) != t.yt).mean() for t in tasks])
