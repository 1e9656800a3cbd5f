"""Threads and products of `linalg`: the same numbers as the plain operations, whatever the number of threads."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.linalg.multiplicative import (
    add_up,
    by_rows,
    equal_parts,
    normalize_columns_l1,
    scale,
    tall_product,
    tall_sums,
    update_tall,
)
from labelferry.linalg.thin import FEW_COLUMNS, largest_column, thin_product
from labelferry.linalg.threads import each, once


@pytest.fixture(params=["1", "2", "5"])
def threads(request, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", request.param)
    monkeypatch.setattr("labelferry.linalg.threads._n_cores", lambda: 5)


@pytest.mark.usefixtures("threads")
def test_results_are_in_order_and_each_call_is_made_once():
    made = []
    assert each(lambda a, b: made.append(a) or a + b, range(1000), range(1000)) == [2 * i for i in range(1000)]
    assert sorted(made) == list(range(1000))
    assert each(str, []) == []


@pytest.mark.usefixtures("threads")
def test_an_error_of_a_call_is_raised_and_the_threads_can_be_used_again():
    def fail_at_7(i):
        if i == 7:
            raise KeyError(i)
        return i

    for _ in range(20):
        with pytest.raises(KeyError):
            each(fail_at_7, range(30))
    assert each(fail_at_7, range(7)) == list(range(7))


def test_several_threads_work_at_the_same_time(monkeypatch):
    """Two calls that wait for each other can only end in two threads."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setattr("labelferry.linalg.threads._n_cores", lambda: 2)
    meeting = threading.Barrier(2, timeout=60)
    each(lambda _: meeting.wait(), range(2))


@pytest.mark.usefixtures("threads")
def test_a_call_may_use_threads_itself():
    inside = each(lambda i: each(lambda j: each(lambda k: 100 * i + 10 * j + k, range(3)), range(4)), range(8))
    assert inside == [[[100 * i + 10 * j + k for k in range(3)] for j in range(4)] for i in range(8)]


def test_a_thread_that_has_nothing_to_do_helps_a_call(monkeypatch):
    """The first call of the outer `each` ends only if the other thread, which is free after the second, helps it."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setattr("labelferry.linalg.threads._n_cores", lambda: 2)
    meeting = threading.Barrier(2, timeout=60)
    each(lambda i: each(lambda _: meeting.wait(), range(2)) if i == 0 else None, range(2))


def test_this_thread_makes_the_first_call(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setattr("labelferry.linalg.threads._n_cores", lambda: 2)
    for _ in range(50):
        assert each(lambda _: threading.get_ident(), range(3))[0] == threading.get_ident()


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("error", [None, ValueError("first"), KeyboardInterrupt()])
def test_once_is_called_once_in_all_threads_also_if_it_fails(error):
    made = []

    def make():
        made.append(1)
        if error is not None:
            raise error
        return object()

    def outcome(result):
        try:
            return result()
        except BaseException as raised:
            return raised

    result = once(make)
    assert len({id(found) for found in each(outcome, [result] * 20)}) == 1
    assert made == [1]
    assert error is None or outcome(result) is error


@pytest.mark.usefixtures("threads")
def test_settings_of_numpy_hold_in_the_threads():
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        each(lambda i: np.ones(1) / np.full(1, i), [1, 1, 0, 1, 1, 0])


IN_A_FORK = """
import os, sys
import numpy as np
from labelferry.linalg.threads import each
assert each(abs, range(-9, 0)) == list(range(9, 0, -1))
if os.fork() == 0:
    os._exit(0 if each(abs, range(-9, 0)) == list(range(9, 0, -1)) else 1)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_ends():
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    assert subprocess.run([sys.executable, "-c", IN_A_FORK], timeout=120, env=environment).returncode == 0


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("columns", [1, 2, FEW_COLUMNS, FEW_COLUMNS + 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_with_few_columns_are_the_products(columns, dtype):
    rng = np.random.default_rng(0)
    X = sp.random_array((400, 900), density=0.2, rng=rng, dtype=dtype).tocsr()
    B, V = rng.random((900, columns)).astype(dtype), rng.random((400, columns)).astype(dtype)
    for A, C in ((X, B), (X.T, V), (X.toarray(), B)):
        product = thin_product(A, C)
        np.testing.assert_allclose(product, A.astype(np.float64) @ C, rtol=1e-4 if dtype == np.float32 else 1e-12)
        assert product.dtype == dtype
        if sp.issparse(A) and 1 < columns <= FEW_COLUMNS:
            assert product.flags.f_contiguous
        np.testing.assert_array_equal(product, A @ C if columns == 1 or not sp.issparse(A) else product)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("n", [1, 30, 40_000])
def test_the_update_of_a_tall_factor(n, normalize):
    rng = np.random.default_rng(n)
    A, H = rng.random((n, 6)), rng.random((6, 3))
    N, D = rng.random((n, 3)), rng.random((n, 3))
    A[:, 4], N[0], D[0], H[5] = 0, 0, 0, 0  # a dead topic, a word without counts, a topic without classes
    new, product = update_tall(A, N, D, H, normalize=normalize)
    expected = scale(A, N @ H.T, D @ H.T)
    expected = normalize_columns_l1(expected) if normalize else expected
    np.testing.assert_allclose(new, expected, rtol=1e-12)
    np.testing.assert_allclose(product, expected @ H, rtol=1e-12)
    np.testing.assert_allclose(tall_product(A, H), A @ H, rtol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 4, FEW_COLUMNS + 1])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_largest_column_is_the_first_one_of_equals(k, order):
    A = np.asarray(np.random.default_rng(k).integers(-2, 2, (500, k)), dtype=np.float64, order=order)
    np.testing.assert_array_equal(largest_column(A), A.argmax(axis=1))


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("n", [1, 30, 40_000])
def test_sums_and_updates_of_a_tall_factor_part_by_part(n):
    rng = np.random.default_rng(n)
    A, B, C = rng.random((n, 6)), rng.random((n, 3)), np.asfortranarray(rng.random((n, 2)))
    for product, other in zip(tall_sums(A, B, C), (B, C), strict=True):
        np.testing.assert_allclose(product, A.T @ other, rtol=1e-12)
    np.testing.assert_array_equal(by_rows(lambda a, b: a * b.sum(axis=1, keepdims=True), A, B), A * B.sum(1)[:, None])


def test_the_sum_of_arrays_with_contiguous_columns_has_contiguous_columns():
    """Products of tall factors take several times as long otherwise."""
    A = np.asfortranarray(np.ones((5, 2)))
    assert add_up([A, A]).flags.f_contiguous
    np.testing.assert_array_equal(A, 1)


def test_the_number_of_threads_changes_no_digit(monkeypatch):
    rng = np.random.default_rng(0)
    arguments = [rng.random(shape) for shape in ((50_000, 6), (50_000, 3), (50_000, 3), (6, 3))]
    monkeypatch.setattr("labelferry.linalg.threads._n_cores", lambda: 5)
    results = []
    for n in "125":
        monkeypatch.setenv("OMP_NUM_THREADS", n)
        results.append(update_tall(*arguments, normalize=True))
    for new, product in results[1:]:
        np.testing.assert_array_equal(new, results[0][0])
        np.testing.assert_array_equal(product, results[0][1])


@pytest.mark.parametrize("n", [1, 16_384, 16_385, 100_000])
def test_parts_cover_all_rows(n):
    parts = equal_parts(n)
    assert [i for part in parts for i in range(n)[part]] == list(range(n))
    assert max(p.stop - p.start for p in parts) <= 16_384
