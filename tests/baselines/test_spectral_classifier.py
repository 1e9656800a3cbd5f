import numpy as np
import pytest

from labelferry.baselines import SpectralClassifier
from labelferry.baselines.spectral_classifier import kamvar_eigenvectors
from labelferry.linalg.laplacian import LabelledSimilarity, Similarity, additive_operator
from labelferry.linalg.normalize import normalize_rows_l2
from labelferry.methods import CDSC

from ..methods.test_cdsc import HARD, problem, same_up_to_sign
from ..planted import two_sources, vocabulary_shift
from ..reference import spectral as slow


@pytest.mark.parametrize("tau", [0, 1])
def test_thin_equals_dense(tau):
    g = problem()
    A = slow.kamvar_affinity(slow.regularized(slow.cosines(g.X.toarray()), tau), g.codes)
    N = slow.kamvar_matrix(A)
    thin = LabelledSimilarity(Similarity(g.X, tau), g.codes)
    np.testing.assert_allclose(thin @ np.eye(200), A, atol=1e-10)
    np.testing.assert_allclose(thin.degree, A.sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(additive_operator(thin) @ np.eye(200), N, atol=1e-10)
    _, eigenpairs = kamvar_eigenvectors(g, 3, tau, np.random.default_rng(0))
    values, vectors = np.linalg.eigh(N)
    np.testing.assert_allclose(1 - eigenpairs.values / A.sum(axis=1).max(), values[::-1][:3], atol=1e-10)
    same_up_to_sign(eigenpairs.vectors, vectors[:, ::-1][:, :3], atol=1e-8)


def test_additive_normalization_is_doubly_stochastic():
    """Kamvar et al.: the rows of N sum to one, so that the constant is its first eigenvector."""
    g = problem()
    N = additive_operator(LabelledSimilarity(Similarity(g.X), g.codes))
    np.testing.assert_allclose(N @ np.ones(200), 1, rtol=1e-10)
    full = N @ np.eye(200)
    np.testing.assert_allclose(full, full.T, atol=1e-12)
    assert full.min() >= -1e-12


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("tau", [0, 1])
def test_lambda_0_is_cdsc_without_the_target_cut(k, tau):
    task = vocabulary_shift(n_docs=100)
    settings = {"n_eigenvectors": k, "degree_regularization": tau, "random_state": 0}
    sc, cdsc = SpectralClassifier("lambda0", **settings), CDSC(target_cut=0, **settings)
    sc.transfer(task.Xs, task.ys, task.Xt)
    cdsc.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_allclose(sc.state_.vectors, cdsc.state_.vectors, atol=1e-12)
    np.testing.assert_allclose(sc.transduction_proba_, cdsc.transduction_proba_, atol=1e-12)
    np.testing.assert_allclose(sc.predict_proba(task.Xt), cdsc.predict_proba(task.Xt), atol=1e-12)


@pytest.mark.parametrize("form", ["kamvar", "lambda0"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_solved(n_classes, form):
    task = vocabulary_shift(n_classes=n_classes)
    assert (SpectralClassifier(form, random_state=0).transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95


@pytest.mark.parametrize("form", ["kamvar", "lambda0"])
def test_planted_with_two_sources(form):
    Xs, ys, Xt, yt = two_sources(seed=1)
    assert (SpectralClassifier(form, random_state=0).transfer(Xs, ys, Xt) == yt).mean() > 0.95


def test_documents_of_the_fit_get_their_own_coordinates_as_new_documents():
    """For a document of the fit, its own equation in (D - A) x = value x gives its row of x."""
    task = vocabulary_shift(n_docs=100)
    est = SpectralClassifier(random_state=0)
    est.transfer(task.Xs, task.ys, task.Xt)
    np.testing.assert_allclose(est._extend(task.Xt, 1), est.state_.vectors[100:], atol=1e-8)
    np.testing.assert_allclose(est.predict_proba(task.Xt), est.transduction_proba_, atol=1e-6)


def test_new_documents_get_the_labels_of_a_new_fit():
    task = vocabulary_shift(n_docs=240, common=0.2)
    for form in ("kamvar", "lambda0"):
        est, refit = (SpectralClassifier(form, random_state=0) for _ in range(2))
        est.transfer(task.Xs, task.ys, task.Xt[:200])
        labels = refit.transfer(task.Xs, task.ys, task.Xt)[200:]
        assert (est.predict(task.Xt[200:]) == labels).mean() >= 0.95


@pytest.mark.parametrize("form", ["kamvar", "lambda0"])
@pytest.mark.parametrize("tau", [0.0, 1.0])
@pytest.mark.parametrize("k", [None, 1, 50])
@pytest.mark.parametrize("case", HARD)
def test_hard_input_has_a_defined_prediction(case, k, tau, form):
    Xs, Xt = HARD[case]
    est = SpectralClassifier(form, n_eigenvectors=k, degree_regularization=tau, random_state=0)
    est.transfer(Xs, [0, 0, 0, 1, 1, 1], Xt)
    assert np.isfinite(est.transduction_proba_).all()
    assert np.isfinite(est.predict_proba(np.vstack([Xt, np.zeros_like(Xt[:1])]))).all()


@pytest.mark.parametrize("form", ["kamvar", "lambda0"])
def test_classes_without_a_common_word_are_one_point_each(form):
    """The ideal case: the graph falls apart into the classes, the first eigenvectors are constant on each of them."""
    task = vocabulary_shift(n_classes=3, n_docs=90, common=0.1)
    Xs, Xt = (X[:, : 3 * 3 * 30] for X in (task.Xs, task.Xt))  # without the noise words
    est = SpectralClassifier(form, degree_regularization=0, random_state=0)
    np.testing.assert_array_equal(est.transfer(Xs, task.ys, Xt), task.yt)
    np.testing.assert_allclose(est.state_.extension.values, 0, atol=1e-10)
    y, rows = np.append(task.ys, task.yt), normalize_rows_l2(est.state_.vectors)
    np.testing.assert_allclose(rows @ rows.T, np.equal.outer(y, y), atol=1e-8)  # the classes at right angles
    np.testing.assert_array_equal(est.predict(Xt), task.yt)


def test_the_nearest_labelled_document_is_the_classifier_of_the_paper():
    task = vocabulary_shift(n_docs=60)
    est = SpectralClassifier(classifier="nearest", random_state=0)
    labels = est.transfer(task.Xs, task.ys, task.Xt)
    x = normalize_rows_l2(est.state_.vectors)
    distances = ((x[len(task.ys) :, None] - x[None, : len(task.ys)]) ** 2).sum(axis=2)
    nearest = distances.min(axis=1)
    of_label = np.array([row[task.ys == label].min() for row, label in zip(distances, labels, strict=True)])
    np.testing.assert_allclose(of_label, nearest, atol=1e-12)
