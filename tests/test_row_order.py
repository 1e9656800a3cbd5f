import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.linalg.row_order import content_order


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_sorted_rows_do_not_depend_on_their_order(kind):
    rng = np.random.default_rng(0)
    X = kind(rng.poisson(0.5, (40, 12)).astype(float))
    shuffled = X[rng.permutation(40)]
    first, second = X[content_order(X)], shuffled[content_order(shuffled)]
    if sp.issparse(first):
        first, second = first.toarray(), second.toarray()
    np.testing.assert_array_equal(first, second)
    assert sorted(content_order(X)) == list(range(40))
