import numpy as np
import pytest
from sklearn.cluster import KMeans

from labelferry.baselines.spectral_coclustering import SpectralCoclustering, document_coordinates, singular_vectors
from labelferry.families.cluster_names import class_of_clusters
from labelferry.families.hybrid_graph import relations, scales
from labelferry.linalg.normalize import scale_rows

from ..hybrids import as_domains
from ..planted import stacked, two_sources, vocabulary_shift
from ..reference import spectral_coclustering as slow


@pytest.mark.parametrize("tau", [0.0, 1.0])
@pytest.mark.parametrize("n_docs", [60, 300])
def test_embedding_equals_a_full_decomposition(n_docs, tau):
    task = vocabulary_shift(n_classes=4, n_docs=n_docs, n_words=12)
    scale = scales(as_domains(task), "none", tau)
    s, V = singular_vectors(relations(task.Xt, scale, 1), 3, np.random.default_rng(0))
    occurs = np.asarray(task.Xt.sum(axis=0)) > 0
    documents, words = slow.embedding(task.Xt.toarray()[:, occurs] if tau == 0 else task.Xt.toarray(), tau, 3)
    coordinates = document_coordinates(task.Xt, scale, 1, V / s)
    of_words = scale_rows(V, scale.word_scale[1])[occurs if tau == 0 else slice(None)]
    signs = np.sign((coordinates * documents).sum(axis=0))
    np.testing.assert_allclose(coordinates, documents * signs, atol=1e-4 * np.abs(documents).max())
    np.testing.assert_allclose(of_words, words * signs, atol=1e-4 * np.abs(words).max())


def test_the_first_singular_vector_is_that_of_the_degrees():
    """The reason why it is removed: D_1^-1/2 u_1 is constant, with the singular value 1."""
    A = vocabulary_shift(n_docs=60, n_words=12).Xt.toarray()
    A = A[:, A.sum(axis=0) > 0]
    d_1, d_2 = A.sum(axis=1), A.sum(axis=0)
    R = A / np.sqrt(np.outer(d_1, d_2))
    np.testing.assert_allclose(R @ np.sqrt(d_2), np.sqrt(d_1))
    assert np.linalg.norm(R, 2) == pytest.approx(1)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_planted_vocabulary_shift_is_solved(n_classes):
    task = vocabulary_shift(n_classes=n_classes)
    est = SpectralCoclustering(random_state=0)
    assert (est.transfer(task.Xs, task.ys, task.Xt) == task.yt).mean() > 0.95
    documents, words = slow.embedding(task.Xt.toarray(), 1.0, {2: 1, 4: 2}[n_classes])
    words = words[np.asarray(task.Xt.sum(axis=0)) > 0]
    clusters = KMeans(n_classes, n_init=10, random_state=1).fit(np.vstack([documents, words])).labels_[: len(task.yt)]
    names = class_of_clusters(task.Xs, task.ys, task.Xt, clusters, n_classes)
    np.testing.assert_array_equal(est.transduction_, names[clusters])


def test_two_sources_and_more_clusters():
    Xs, ys, Xt, yt = two_sources(seed=1)
    assert (SpectralCoclustering(n_clusters=4, n_vectors=1, random_state=0).transfer(Xs, ys, Xt) == yt).mean() > 0.9


def test_words_are_clustered_with_their_documents():
    task = vocabulary_shift(n_classes=2, n_words=30)
    est = SpectralCoclustering(random_state=0).fit(*stacked(task))
    words = est.state_.targets[0].words
    occurs = np.asarray(task.Xt.sum(axis=0)) > 0
    assert (words[~occurs] == -1).all()
    own = np.array([est.state_.targets[0].names[word] for word in words[60:90]])  # new words of class 0
    assert (own == 0).mean() > 0.9


def test_without_regularization_the_cut_separates_an_isolated_pair():
    """A document and the word that only it has can be cut off at no cost; with tau the classes are still found."""
    task = vocabulary_shift(n_classes=2)
    X, y, domain = stacked(task)
    X = X.tolil()
    X.resize((X.shape[0] + 1, X.shape[1] + 1))
    X[-1, -1] = 1
    X, y, domain = X.tocsr(), np.append(y, -1), np.append(domain, -2)
    paper = SpectralCoclustering(degree_regularization=0, random_state=0).fit(X, y, domain)
    default = SpectralCoclustering(random_state=0).fit(X, y, domain)
    assert (default.transduction_[:-1] == task.yt).mean() > 0.95
    assert (paper.transduction_[:-1] == task.yt).mean() < 0.6
