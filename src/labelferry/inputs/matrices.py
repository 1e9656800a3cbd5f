"""Matrices that users pass: a file, an array or a tuple of arrays. One row per document, those of the sources first."""

from __future__ import annotations

import zlib
from os import PathLike
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp

from ..linalg.matrix import check_positions, stack_rows
from .inputs import Inputs

MAX_COLUMNS = 10_000_000  # every column gets a name and a weight per class
SUFFIXES = (".npy", ".npz")
DAMAGED = (  # what numpy and scipy raise for a file that they did not write
    *(ArithmeticError, AttributeError, BadZipFile, EOFError, LookupError, MemoryError, NotImplementedError, OSError),
    *(RuntimeError, SyntaxError, TokenError, TypeError, ValueError, zlib.error),
)


def read_matrix(given: Any, inputs: Inputs, option: str) -> Any:
    """Read and check a matrix of the user."""
    # `given`: A .npy or .npz file, or the matrix itself. A tuple is stacked: (source, target), or (source 1, ...,
    # target).
    name = option
    if isinstance(given, str | PathLike):
        name, X = Path(given).name, _read_file(Path(given), option)
    elif isinstance(given, tuple):
        blocks = [_as_matrix(block, option) for block in given]
        shapes = [block.shape for block in blocks]
        if len({shape[1:] for shape in shapes}) != 1 or any(len(shape) != 2 for shape in shapes):
            raise ValueError(
                f"{option} must be (source, target), arrays with the same number of columns; got {shapes}."
            )
        X = stack_rows(blocks)
    else:
        X = _as_matrix(given, option)
    if X.ndim != 2 or X.shape[0] != inputs.n_rows:
        raise ValueError(
            f"{option} must have one row for each of the {inputs.n_rows} documents, those of the source first; {name} "
            f"has the shape {X.shape}. Rows without a text or a label have features too; rows that --skip-bad skips do "
            "not."
        )
    if X.shape[1] == 0:
        raise ValueError(f"{option} must have at least one column; {name} has the shape {X.shape}.")
    if X.shape[1] > MAX_COLUMNS:
        raise ValueError(f"{option} may have {MAX_COLUMNS:,} columns; {name} has the shape {X.shape}. Drop some.")
    _check_finite(X, name)
    Xs, Xt = inputs.split_rows(X)
    return stack_rows([*Xs, Xt])


def _read_file(path: Path, option: str) -> Any:
    what = "" if path.suffix in SUFFIXES else f"{path.suffix or 'no suffix'} is not {' or '.join(SUFFIXES)}"
    if not what:
        try:
            with np.errstate(over="raise", invalid="raise"):  # sizes and indices that are no integers
                if path.suffix == ".npy":  # it is mapped first: a shape that does not fit the file reserves no memory
                    return _as_matrix(np.array(np.load(path, mmap_mode="r", allow_pickle=False)), option)
                X = sp.load_npz(path)
                if hasattr(X, "indptr"):
                    check_positions(X)  # wrong ones would read foreign memory
                return _as_matrix(X, option)
        except DAMAGED as error:
            # The message of numpy about pickles is not shown: it recommends to allow them.
            is_object = "pickle" in str(error) or "Python objects" in str(error)
            what = "it contains objects" if is_object else " ".join(str(error).split()).rstrip(".")
    raise ValueError(f"cannot read {option} from {path} ({what}). Write them with scipy.sparse.save_npz or numpy.save.")


def _as_matrix(given: Any, option: str) -> Any:
    try:
        X = sp.csr_array(given) if sp.issparse(given) else np.asarray(given)
    except ValueError:
        raise ValueError(f"{option} must be an array with rows of one length; got {type(given).__name__}.") from None
    if X.dtype.kind not in "fiub":
        raise ValueError(f"{option} must contain numbers; its values are {X.dtype}, not numbers.")
    return X


def _check_finite(X: Any, name: str) -> None:
    values = X.data if sp.issparse(X) else X
    if np.isfinite(values).all():
        return
    bad = ~np.isfinite(values)
    row = int(
        np.searchsorted(X.indptr, np.flatnonzero(bad)[0], side="right") - 1
        if sp.issparse(X)
        else bad.any(axis=1).argmax()
    )
    what = "NaN" if np.isnan(values[bad]).any() else "infinity"
    raise ValueError(f"row {row} (from 0) of {name} has {what}. Replace it by a number, or drop the document.")
