import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from labelferry.linalg import knn
from labelferry.linalg.laplacian import graph, roughness
from labelferry.linalg.matrix import to_csr


def slow_nearest(X, p, Z=None):
    """Row by row: all cosines, sorted by value and then by index."""
    length = np.linalg.norm(X, axis=1)
    Q = np.divide(X, length[:, None], out=np.zeros_like(X), where=length[:, None] > 0)
    if Z is None:
        others = Q
    else:
        other_length = np.linalg.norm(Z, axis=1)
        others = np.divide(Z, other_length[:, None], out=np.zeros_like(Z), where=other_length[:, None] > 0)
    W = np.zeros((len(Q), len(others)))
    for i in range(len(Q)):
        cosine = [float(Q[i] @ others[j]) for j in range(len(others))]
        candidates = [j for j in range(len(others)) if cosine[j] > 0 and (Z is not None or j != i)]
        for j in sorted(candidates, key=lambda j: (-round(cosine[j], 12), j))[:p]:
            W[i, j] = cosine[j]
    return W


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("p", [1, 4, 100])
def test_nearest_equals_sorting_all_cosines(p, dtype):
    X = sp.random_array((40, 25), density=0.2, rng=np.random.default_rng(0)).toarray()
    W = knn.nearest(sp.csr_array(X, dtype=dtype), n_neighbors=p)
    assert W.dtype == dtype
    np.testing.assert_allclose(W.toarray(), slow_nearest(X, p), atol=1e-12 if dtype == np.float64 else 1e-6)


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_ties_go_to_the_lower_index(seed):
    """Binary vectors tie often; powers of two as lengths make the ties exact."""
    rng = np.random.default_rng(seed)
    X = np.zeros((12, 8))
    for row in X:
        row[rng.choice(8, size=4, replace=False)] = 1.0
    np.testing.assert_array_equal(knn.nearest(X, n_neighbors=3).toarray() > 0, slow_nearest(X, 3) > 0)


def test_many_duplicates_still_exclude_the_row_itself():
    X = np.ones((30, 4))
    W = knn.nearest(X, n_neighbors=3)
    assert (np.diff(W.indptr) == 3).all()
    assert W.diagonal().sum() == 0
    np.testing.assert_array_equal(W[[10]].indices, [0, 1, 2])
    np.testing.assert_array_equal(W[[1]].indices, [0, 2, 3])


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=40, deadline=None)
def test_of_many_equal_rows_the_first_are_the_neighbors(seed, itself):
    """Three different rows and their multiples, each many times: more equal rows than neighbors."""
    rng = np.random.default_rng(seed)
    kinds = np.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1]])
    X, Z = (kinds[rng.integers(3, size=n)] * rng.integers(1, 4, size=(n, 1)) for n in (15, 40))
    others, rank = (None, None) if itself else (Z, rng.permutation(40))
    W = knn.nearest(sp.csr_array(X), others, n_neighbors=3, rank=rank)
    if itself:
        np.testing.assert_allclose(W.toarray(), slow_nearest(X, 3), atol=1e-12)
    else:  # the rank is the index in Z[order]
        order = np.argsort(rank)
        np.testing.assert_allclose(W.toarray()[:, order], slow_nearest(X, 3, Z[order]), atol=1e-12)


def test_equal_rows_take_no_time_of_their_own():
    """30,000 words in two documents: all pairs of words of a document would be 450 million."""
    X = sp.csr_array(np.repeat(np.eye(2), 15_000, axis=0))
    W = knn.nearest(X, n_neighbors=10)
    assert (np.diff(W.indptr) == 10).all()
    assert W[[20_000]].indices.tolist() == list(range(15_000, 15_010))
    assert W[[3]].indices.tolist() == [0, 1, 2, *range(4, 11)]


def test_ties_are_resolved_block_by_block(monkeypatch):
    X = np.ones((30, 4))
    whole = knn.nearest(X, n_neighbors=3).toarray()
    monkeypatch.setattr(knn, "_BLOCK_ENTRIES", 60)
    np.testing.assert_array_equal(knn.nearest(X, n_neighbors=3).toarray(), whole)


def test_neighbors_among_other_rows_may_be_the_same_document():
    rng = np.random.default_rng(1)
    X, Z = rng.random((6, 9)), rng.random((15, 9))
    Z[3] = X[2]
    W = knn.nearest(X, Z, n_neighbors=4).toarray()
    np.testing.assert_allclose(W, slow_nearest(X, 4, Z), atol=1e-12)
    assert W[2, 3] == pytest.approx(1)


def test_rows_of_zeros_have_no_neighbors():
    X = np.eye(5)
    X[:, 0] = 1
    X[2] = 0
    W = knn.neighbor_graph(X, n_neighbors=2)
    assert W[[2]].nnz == 0
    assert W[:, [2]].nnz == 0


def test_graph_is_symmetric_and_words_are_rows_of_the_transpose():
    X = sp.random_array((50, 20), density=0.2, rng=np.random.default_rng(2)).tocsr()
    W = knn.neighbor_graph(X.T, n_neighbors=3)
    assert W.shape == (20, 20)
    assert abs(W - W.T).nnz == 0
    half = slow_nearest(X.toarray().T, 3)
    np.testing.assert_allclose(W.toarray(), np.maximum(half, half.T), atol=1e-12)


def test_input_is_not_changed():
    X = sp.csr_array((np.array([1.0, 0.0, 2.0]), np.array([1, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    before = X.data.copy(), X.indices.copy()
    to_csr(X)
    knn.nearest(X, n_neighbors=1)
    np.testing.assert_array_equal(X.data, before[0])
    np.testing.assert_array_equal(X.indices, before[1])


def test_roughness_is_the_sum_over_edges():
    rng = np.random.default_rng(3)
    W = knn.neighbor_graph(rng.random((14, 6)), n_neighbors=3)
    V = rng.random((14, 2))
    dense = W.toarray()
    slow = 0.5 * sum(dense[i, j] * ((V[i] - V[j]) ** 2).sum() for i in range(14) for j in range(14))
    assert roughness(graph(W, float), V) == pytest.approx(slow)


def test_of_equally_near_other_rows_the_lower_rank_comes_first():
    W = knn.nearest(np.ones((1, 4)), np.ones((5, 4)), n_neighbors=2, rank=np.array([3, 4, 0, 1, 2]))
    assert W.indices.tolist() == [2, 3]
    with pytest.raises(ValueError, match="rank must have one number for each of the 5 other rows"):
        knn.nearest(np.ones((1, 4)), np.ones((5, 4)), n_neighbors=2, rank=np.arange(4))
