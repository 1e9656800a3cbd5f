import warnings

import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

from labelferry.linalg import eigen


def symmetric(n=300, seed=0):
    A = np.random.default_rng(seed).standard_normal((n, n))
    return A + A.T


@pytest.mark.parametrize("n", [20, 300])
@pytest.mark.parametrize("k", [1, 5])
def test_both_ends_equal_the_dense_decomposition(n, k):
    A = symmetric(n)
    values, vectors = np.linalg.eigh(A)
    for eigenpairs, expected in (
        (eigen.smallest(aslinearoperator(A), k, rng=np.random.default_rng(0)), slice(0, k)),
        (eigen.largest(aslinearoperator(A), k, rng=np.random.default_rng(0)), slice(n - k, n)),
    ):
        np.testing.assert_allclose(eigenpairs.values, values[expected], rtol=1e-8)
        np.testing.assert_allclose(eigenpairs.vectors, eigen.fix_signs(vectors[:, expected]), atol=1e-4)
        assert eigenpairs.residuals.shape == (k,)
        assert eigenpairs.converged


def test_signs_do_not_depend_on_the_start():
    A = aslinearoperator(symmetric())
    one, other = (eigen.smallest(A, 3, rng=np.random.default_rng(seed)).vectors for seed in (0, 1))
    np.testing.assert_allclose(one, other, atol=1e-4)
    assert (one[np.abs(one).argmax(axis=0), range(3)] > 0).all()


def test_all_eigenvectors_can_be_computed():
    assert eigen.smallest(aslinearoperator(symmetric(7)), 7, rng=np.random.default_rng(0)).vectors.shape == (7, 7)


def test_leading_left_singular_vectors():
    M = np.random.default_rng(0).standard_normal((30, 4))
    values, left = eigen.leading_left(M, 2)
    np.testing.assert_allclose(M @ M.T @ left, left * values**2, atol=1e-10)
    assert values[0] >= values[1]


def test_if_lanczos_fails_another_solver_continues_from_its_eigenvectors(monkeypatch):
    A = np.diag(np.arange(300.0))

    def fails(A, k, **settings):
        raise eigen.ArpackNoConvergence("no", np.array([0.0]), np.eye(300)[:, :1])

    monkeypatch.setattr(eigen, "eigsh", fails)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        eigenpairs = eigen.smallest(aslinearoperator(A), 3, rng=np.random.default_rng(0))
    np.testing.assert_allclose(eigenpairs.values, [0, 1, 2], atol=1e-6)


def test_an_inaccurate_result_gives_a_warning_with_its_residual(monkeypatch):
    A = np.diag(np.arange(300.0))
    monkeypatch.setattr(eigen, "_arpack", lambda *_: (np.zeros(2), np.full((300, 2), 300**-0.5)))
    with pytest.warns(eigen.ConvergenceWarning, match=r"residual \|A v - value v\| is 1\.7e\+02"):
        assert not eigen.smallest(aslinearoperator(A), 2, rng=np.random.default_rng(0)).converged
