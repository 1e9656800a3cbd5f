"""No array of size documents x documents or words x words is ever allocated, at 20,000 documents and as many words."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import labelferry
from labelferry.linalg.normalize import normalize_rows_l2

pytestmark = pytest.mark.slow

N_DOCS, N_WORDS, LENGTH = 20_000, 20_000, 12
LIMIT = N_DOCS * N_DOCS  # bytes: an eighth of one such array of float64, a quarter of float32


@pytest.fixture(scope="module")
def corpus_of_20_000():
    """Two domains of two classes: words of the class, half of them of the domain, and noise."""
    rng = np.random.default_rng(0)
    y = np.arange(N_DOCS) % 2
    domain = np.repeat([0, 1], N_DOCS // 2)
    common = 3000 * y[:, None] + rng.integers(1500, size=(N_DOCS, LENGTH // 3))
    own = 3000 * y[:, None] + 1500 + 6000 * domain[:, None] % 12000 + rng.integers(1500, size=(N_DOCS, LENGTH // 3))
    noise = rng.integers(12_000, N_WORDS, size=(N_DOCS, LENGTH // 3))
    columns = np.hstack([common, own, noise]).ravel()
    X = sp.csr_array((np.ones(columns.size), columns, np.arange(0, columns.size + 1, LENGTH)), shape=(N_DOCS, N_WORDS))
    X.sum_duplicates()
    return normalize_rows_l2(X), y, np.where(domain == 0, 1, -1)


@pytest.mark.parametrize(
    "estimator",
    [
        labelferry.TCL(max_iter=2, random_state=0),
        labelferry.GCMF(n_topics=4, max_iter=2, random_state=0),
        labelferry.EMNaiveBayes(),
        labelferry.CDSC(random_state=0),
        labelferry.HybridLabelPropagation(),
        labelferry.HybridSimilarityPropagation(),
        labelferry.RSP(random_state=0),
        labelferry.NormalizedCut(random_state=0),
        labelferry.SpectralClassifier(random_state=0),
        labelferry.SpectralCoclustering(random_state=0),
        labelferry.SphericalKMeans(n_init=1, random_state=0),
        labelferry.CoCC(n_init=1, random_state=0),
        labelferry.ITCC(n_init=1, random_state=0),
        labelferry.SGT(n_neighbors=10, random_state=0),
        labelferry.KDEWeighting(C=1, random_state=0),
        labelferry.MSDA(n_layers=2, n_frequent=200, random_state=0),
        labelferry.NMFClustering(n_init=1, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_memory_is_far_below_that_of_all_pairs(estimator, corpus_of_20_000):
    X, y, domain = corpus_of_20_000
    tracemalloc.start()
    estimator.fit(X, y, domain)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < LIMIT
    assert np.isfinite(estimator.transduction_proba_).all()
