"""Feature matrices in .npy and .npz files: numbers, or refused before memory is used."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from labelferry.inputs.matrices import read_matrix

from .choices import NUMBERS, Choices
from .rules import REFUSED, attempt, require

N_ROWS = 6
KINDS = ("csr", "csc", "coo", "bsr", "dia", "lil", "", "csr" * 50)
SHAPES = ((N_ROWS, 3), (N_ROWS, 0), (0, 0), (N_ROWS, 10**9), (-1, 3), (N_ROWS,), (2**62, 2**62), (10**12, 3))
INDICES = (
    (0, 1, 2, 0, 1, 2),
    (0, 0, 0, 0, 0, 0),
    (-1, 1, 2, 0, 1, 2),
    (0, 1, 10**6, 0, 1, 2),
    (5, 4, 3),
    (),
    (2**31,) * 6,
)
POINTERS = (
    (0, 1, 2, 3, 4, 5, 6),
    (0, 6, 1, 6, 1, 6, 6),
    (0, 1, 2, 3, 4, 5, 10**9),
    (1, 2, 3, 4, 5, 6, 6),
    (0, 6),
    (),
    (-5,) * 7,
    (0, 10**7, 10**7, 10**7, 10**7, 10**7, 0),
)
DTYPES = ("<f8", "<f4", "<i8", "<i4", "|b1", "<U3", "|O", "<c16", "<f2", ">f8", "<M8[s]", "|V8")


class FeatureCase(NamedTuple):
    """A sparse file by its parts, or the bytes of a file."""

    parts: tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[float, ...]] | None
    dtypes: tuple[str, str] = ("<f8", "<i4")
    content: bytes = b""
    suffix: str = ".npz"


def decode(choices: Choices) -> FeatureCase:
    """A file of three kinds: sparse parts, a dense header, or bytes."""
    way = choices.below(3)
    if way == 0:
        data = tuple(choices.pick(NUMBERS) for _ in range(6))
        parts = (choices.pick(KINDS), choices.pick(SHAPES), choices.pick(INDICES), choices.pick(POINTERS), data)
        return FeatureCase(parts, (choices.pick(DTYPES[:6]), choices.pick(DTYPES[:6])))
    if way == 1:
        header = {"descr": choices.pick(DTYPES), "fortran_order": choices.flag(), "shape": choices.pick(SHAPES)}
        file = io.BytesIO()
        np.lib.format.write_array_header_1_0(file, header)
        return FeatureCase(None, content=file.getvalue() + choices.rest(), suffix=".npy")
    return FeatureCase(None, suffix=choices.pick((".npz", ".npy")), content=choices.rest())


def check(case: FeatureCase, folder: Path) -> str:
    """Read the file as `--features` does."""
    path = folder / f"features{case.suffix}"
    path.write_bytes(case.content if case.parts is None else sparse_file(case))
    rows = np.arange(N_ROWS)
    inputs = SimpleNamespace(n_rows=N_ROWS, split_rows=lambda X: ([X[rows[:3]]], X[rows[3:]]))
    outcome, X = attempt(lambda: read_matrix(path, inputs, "features"))
    if outcome == REFUSED:
        return REFUSED
    require(X.shape[0] == N_ROWS and X.shape[1] > 0, f"the shape is {X.shape}")
    values = X.data if sp.issparse(X) else X
    require(bool(np.isfinite(values).all()), "values that are not finite")
    require(X.shape[1] > 10**6 or np.asarray(X.sum(axis=0)).size == X.shape[1], "a sum of another size")
    return outcome


def sparse_file(case: FeatureCase) -> bytes:
    """The file that `scipy.sparse.save_npz` would write."""
    assert case.parts is not None
    kind, shape, indices, pointers, data = case.parts
    file = io.BytesIO()
    with np.errstate(all="ignore"):
        arrays = {
            "format": np.array(kind.encode()),
            "shape": np.array(shape),
            "indices": np.array(indices).astype(case.dtypes[1]),
            "indptr": np.array(pointers).astype(case.dtypes[1]),
            "row": np.array(indices).astype(case.dtypes[1]),
            "col": np.array(indices).astype(case.dtypes[1]),
            "offsets": np.array(indices[:1]).astype(case.dtypes[1]),
            "data": np.array(data[: len(indices)]).astype(case.dtypes[0]),
        }
    np.savez(file, **arrays)
    return file.getvalue()


def bomb(n_bytes: int = 1 << 26) -> bytes:
    """A small file with a large member."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("data.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": (n_bytes // 8,)})
        member.write(bytes(n_bytes))
    return file.getvalue()


def seeds() -> list[bytes]:
    """Valid files."""
    dense, sparse = io.BytesIO(), io.BytesIO()
    np.save(dense, np.eye(N_ROWS, 3))
    sp.save_npz(sparse, sp.csr_array(np.eye(N_ROWS, 3)), compressed=False)
    return [b"\x00" + bytes([2] * 6), b"\x01", b"\x02\x01" + dense.getvalue(), b"\x02\x00" + sparse.getvalue()]


PAST = {
    "pointers that decrease": FeatureCase(("csr", SHAPES[0], INDICES[0], POINTERS[1], (1.0,) * 6)),
    "pointers behind the end": FeatureCase(("csr", SHAPES[0], INDICES[0], POINTERS[2], (1.0,) * 6)),
    "pointers that end with zero": FeatureCase(("csr", SHAPES[0], INDICES[0], POINTERS[7], (1.0,) * 6)),
    "pointers that end with zero, by columns": FeatureCase(("csc", (3, 6), INDICES[0], POINTERS[7], (1.0,) * 6)),
    "columns out of range": FeatureCase(("csr", SHAPES[0], INDICES[3], POINTERS[0], (1.0,) * 6)),
    "negative columns": FeatureCase(("csr", SHAPES[0], INDICES[2], POINTERS[0], (1.0,) * 6)),
    "an absurd shape": decode(Choices(bytes([1, 0, 0, 7]))),
    "a bomb": FeatureCase(None, content=bomb()),
}
