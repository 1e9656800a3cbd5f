"""Our reader of MATLAB files: what scipy writes, and damaged bytes, on which scipy's own reader can crash."""

import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from labelferry_bench.datasets.matlab import read_arrays

X = np.arange(12.0).reshape(4, 3)
ARRAYS = {
    "dense": X,
    "counts": X.astype(np.uint8),
    "long": np.arange(-3, 3, dtype=np.int64)[:, None],
    "sparse": sp.csc_matrix(X),
    "empty": sp.csc_matrix((3, 5)),
    "none": np.zeros((0, 2)),
    "x" * 31: np.float32([[1.5]]),
}


def written(arrays, **options):
    file = io.BytesIO()
    scipy.io.savemat(file, arrays, **options)
    return file.getvalue()


@pytest.mark.parametrize("packed", [False, True])
def test_arrays_are_those_that_scipy_wrote(packed):
    content = written({**ARRAYS, "text": "abc", "list": {"a": 1.0}}, do_compression=packed)
    read = read_arrays(content, tuple(ARRAYS), 10**6)
    assert read.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert sp.issparse(read[name]) == sp.issparse(array)
        np.testing.assert_array_equal(
            read[name].toarray() if sp.issparse(array) else read[name], sp.csr_array(array).toarray()
        )


def test_indices_are_short():
    read = read_arrays(written(ARRAYS), ("sparse",), 10**6)["sparse"]
    assert (read.indices.dtype, read.indptr.dtype) == (np.int32, np.int32)


@pytest.mark.parametrize("array", [X + 1j, np.zeros((2, 2, 2)), np.array(["a", "b"], dtype=object), "abc"])
def test_what_is_no_matrix_of_numbers(array):
    with pytest.raises(ValueError, match=r"no matrix of real numbers|no number"):
        read_arrays(written({"x": array}), ("x",), 10**6)


def test_a_packed_element_has_a_limit():
    content = written({"x": np.zeros((1000, 1000))}, do_compression=True)
    assert len(content) < 20_000
    with pytest.raises(ValueError, match="has more than 1,000,000 bytes if unpacked"):
        read_arrays(content, ("x",), 10**6)


@pytest.mark.parametrize("name", ["dense", "sparse"])
def test_damaged_bytes_are_an_error_or_numbers(name):
    good = bytearray(written({name: ARRAYS[name]}))
    for position in range(120, len(good)):
        for value in (0, 1, 127, 255):
            content = good.copy()
            content[position] = value
            try:
                array = read_arrays(bytes(content), (name,), 10**6).get(name)
            except (ValueError, TypeError, IndexError):  # `reading` names the file
                continue
            assert array is None or np.asarray(array.sum()).shape == ()
