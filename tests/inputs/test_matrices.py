"""Matrices that users pass as `features=` or `embed=`: arrays, tuples and files, and what is wrong with them."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelferry.inputs.inputs import read_inputs
from labelferry.inputs.matrices import read_matrix
from labelferry.inputs.options import TextOptions
from labelferry.linalg.matrix import check_positions

LABELS = ["a", "b", "a", "b"]
X = np.arange(14.0).reshape(7, 2)


@pytest.fixture(scope="module")
def inputs():
    return read_inputs([f"old {i}" for i in range(4)], [f"new {i}" for i in range(3)], TextOptions(label=LABELS))


@pytest.mark.parametrize(
    "given",
    [X, X.tolist(), X.astype(int), X > 3, (X[:4], X[4:]), (X[:2], X[2:4], X[4:])],
    ids=lambda x: type(x).__name__,
)
def test_dense_matrices(inputs, given):
    expected = given if isinstance(given, np.ndarray) else X
    np.testing.assert_array_equal(read_matrix(given, inputs, "features"), expected)


@pytest.mark.parametrize("given", [sp.csr_matrix(X), sp.coo_array(X), (sp.csr_array(X[:4]), X[4:])])
def test_sparse_matrices(inputs, given):
    read = read_matrix(given, inputs, "features")
    assert sp.issparse(read)
    np.testing.assert_array_equal(read.toarray(), X)


def test_a_frame_is_a_matrix(inputs):
    pandas = pytest.importorskip("pandas")
    np.testing.assert_array_equal(read_matrix(pandas.DataFrame(X), inputs, "features"), X)


def test_rows_follow_the_sources_of_a_domain_column(tmp_path):
    """With a domain column the rows of a source need not be next to each other in the file."""
    old = tmp_path / "old.csv"
    old.write_text("text,label,domain\n" + "".join(f"word{i},{LABELS[i]},{'xyxy'[i]}\n" for i in range(4)))
    new = tmp_path / "new.csv"
    new.write_text("text\nnews1\nnews2\nnews3\n")
    read = read_matrix(X, read_inputs(old, new, TextOptions()), "features")
    np.testing.assert_array_equal(read, X[[0, 2, 1, 3, 4, 5, 6]])


def test_files(inputs, tmp_path):
    np.save(tmp_path / "x.npy", X)
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(X))
    np.testing.assert_array_equal(read_matrix(tmp_path / "x.npy", inputs, "features"), X)
    np.testing.assert_array_equal(read_matrix(str(tmp_path / "x.npz"), inputs, "features").toarray(), X)


def with_value(value, row=3):
    Y = X.copy()
    Y[row, 1] = value
    return Y


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (X[:6], r"one row for each of the 7 documents.*features has the shape \(6, 2\)"),
        (X[0], r"one row for each of the 7 documents.*shape \(2,\)"),
        (X[:, :0], "at least one column"),
        (with_value(np.nan), r"^row 3 \(from 0\) of features has NaN"),
        (with_value(np.inf, 5), r"^row 5 \(from 0\) of features has infinity"),
        (sp.csr_array(with_value(np.nan)), r"^row 3 \(from 0\) of features has NaN"),
        (np.array([["a", "b"]] * 7), "not numbers"),
        (np.array([[{}, 1]] * 7), "not numbers"),
        ([[1, 2], [3]], "rows of one length"),
        ((X[:4], X[4:, :1]), "same number of columns"),
        ((X[:4], X[4]), "same number of columns"),
    ],
)
def test_one_line_errors(inputs, given, message):
    with pytest.raises(ValueError, match=message) as error:
        read_matrix(given, inputs, "features")
    assert "\n" not in str(error.value)


def test_the_file_of_a_bad_row_is_named(inputs, tmp_path):
    np.save(tmp_path / "emb.npy", with_value(np.nan))
    with pytest.raises(ValueError, match=r"^row 3 \(from 0\) of emb\.npy has NaN"):
        read_matrix(tmp_path / "emb.npy", inputs, "features")


def test_a_table_is_no_matrix(inputs, tmp_path):
    (tmp_path / "emb.csv").write_text("1,2\n3,4\n")
    with pytest.raises(ValueError, match=r"cannot read features from .*emb\.csv \(\.csv is not \.npy or \.npz\)"):
        read_matrix(tmp_path / "emb.csv", inputs, "features")


@pytest.mark.parametrize("ends", [(0, 10**7, 0), (0, 2, 1), (0, -1, -5), (0, 1, 10**7)])
def test_wrong_positions_are_found_whatever_the_last_one_is(ends):
    """scipy's own check passes the first and the third, and using them ends the process."""
    X = sp.csr_array(np.eye(2))
    X.indptr = np.array(ends)
    with pytest.raises(ValueError, match=r"must not decrease|should be less than"):
        check_positions(X)
