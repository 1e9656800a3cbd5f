"""The order by content: permuted matrices become one matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from labelferry.linalg.content import content_order
from labelferry.linalg.matrix import permute, to_array


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 20), m=st.integers(1, 20), n_groups=st.integers(1, 4))
def test_permuted_matrices_become_one_matrix(form, seed, n, m, n_groups):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.4, (n, m)).astype(float)
    kinds, groups = rng.integers(2, size=n), rng.integers(-1, n_groups, size=n)
    rows, columns, names = rng.permutation(n), rng.permutation(m), np.append(rng.permutation(n_groups), -1)
    Y = np.hstack([4 * X[rows][:, columns], np.zeros((n, 2))])
    a = content_order(form(X), kinds, groups, n_groups)
    b = content_order(form(Y), kinds[rows], names[groups[rows]], n_groups)
    np.testing.assert_array_equal(
        4 * to_array(permute(form(X), a.rows, a.columns)), to_array(permute(form(Y), b.rows, b.columns))
    )
    np.testing.assert_array_equal(kinds[a.rows], kinds[rows][b.rows])
    new_number = [np.append(np.argsort(order.groups), -1) for order in (a, b)]
    used = groups[a.rows] >= 0
    np.testing.assert_array_equal(new_number[0][groups[a.rows]][used], new_number[1][names[groups[rows]][b.rows]][used])


def test_equal_rows_have_equal_fingerprints_and_are_not_interchangeable():
    order = content_order(np.array([[1.0, 2], [1, 2], [3, 1]]))
    assert order.fingerprints[0] == order.fingerprints[1] != order.fingerprints[2]
    assert not order.interchangeable


def test_a_symmetric_matrix_is_recognized():
    assert content_order(np.eye(2)).interchangeable
    assert not content_order(np.array([[1.0, 0], [0, 2]])).interchangeable


def test_an_order_does_not_depend_on_the_size_of_blocks(monkeypatch):
    X = sp.random_array((50, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    whole = content_order(X), content_order(X.toarray())
    monkeypatch.setattr("labelferry.linalg.content._BLOCK_ENTRIES", 7)
    for before, after in zip(whole, (content_order(X), content_order(X.toarray())), strict=True):
        np.testing.assert_array_equal(before.rows, after.rows)
        np.testing.assert_array_equal(before.columns, after.columns)
