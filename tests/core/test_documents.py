"""Matrices of documents with extreme entries."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelferry import CDSC, Blocks
from labelferry.baselines import SourceLR
from labelferry.core.documents import read_documents, rows_in_safe_range
from labelferry.testing.corpora import small_corpus


def read(X):
    return read_documents(SourceLR(), X, reset=True)


@pytest.mark.parametrize("scale", [1e-320, 1e-100, 1e-13, 1e13, 1e100, 1e300])
@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_an_extreme_scale_is_one_error_with_the_way_out(scale, form):
    with pytest.raises(ValueError, match=r"largest entry of X must be from 1e-12 to 1e\+12.*normalize"):
        read(form([[1.0, 0.5], [0.0, 1.0]]) * scale)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_infinite_entries_of_both_signs_are_an_error_and_no_warning(form):
    with pytest.raises(ValueError, match="infinity"):
        read(form([[np.inf, -np.inf], [0.0, 1.0]]))


@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_entries_that_are_too_small_to_matter_become_zero_and_the_input_is_unchanged(form):
    X = form([[1.0, 1e-310], [1e-20, 2.0]])
    np.testing.assert_array_equal(sp.csr_array(read(X)).toarray(), [[1.0, 0.0], [1e-20, 2.0]])
    assert X[0, 1] == 1e-310


def test_stored_zeros_are_removed():
    X = sp.csr_array(([1.0, 0.0, 2.0], [0, 1, 1], [0, 2, 3]), shape=(2, 2))
    assert read(X).nnz == 2
    assert X.nnz == 3


@pytest.mark.parametrize("scale", [1e-11, 1e-3, 1e3, 1e11])
def test_a_usual_scale_gives_finite_probabilities(scale):
    X, _, domain, masked = small_corpus()
    model = SourceLR().fit(X * scale, masked, domain)
    assert np.isfinite(model.transduction_proba_).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("dtype", "scales"),
    [
        (np.float32, [1e-40]),
        (np.float32, [1e-44, 1e37, 1]),
        (np.float64, [1e-310]),
        (np.float64, [1e-320, 1e300, 1]),
        (np.float64, [3]),
    ],
)
def test_blocks_whose_rows_have_any_scale_are_those_of_a_sparse_matrix(dtype, scales):
    X, _, domain, masked = small_corpus()
    X = sp.csr_array(X).astype(dtype).multiply(np.resize(scales, X.shape[0])[:, None].astype(dtype)).tocsr()
    expected = read_documents(CDSC(), X, reset=True)
    answer = read_documents(CDSC(), Blocks.of(X, block_rows=7), reset=True)
    assert answer.dtype == dtype
    np.testing.assert_array_equal(answer.to_csr().toarray(), expected.toarray())
    some = read_documents(CDSC(), Blocks.of(X, block_rows=7)[:, ::2], reset=True)
    np.testing.assert_array_equal(some.to_csr().toarray(), read_documents(CDSC(), X[:, ::2], reset=True).toarray())
    fits = [CDSC(random_state=0).fit(A, masked, domain) for A in (X, Blocks.of(X, block_rows=7))]
    np.testing.assert_allclose(fits[0].transduction_proba_, fits[1].transduction_proba_, atol=1e-3)


def test_tiny_entries_beside_large_ones_are_dropped_from_blocks_too():
    X = sp.csr_array([[1.0, 1e-310, 0], [1e-20, 2.0, 1e-60], [0, 1e-300, 3e-300]])
    answer = read_documents(CDSC(), Blocks.of(X, block_rows=2), reset=True).to_csr().toarray()
    np.testing.assert_array_equal(answer, rows_in_safe_range(X).toarray())
    assert np.count_nonzero(answer) == 5
