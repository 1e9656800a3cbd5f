"""Blocks in a folder: written once, then mapped into memory block by block when they are visited.

    blocks.json                     format, type of the entries, number of columns, rows and entries of every block
    00000.data.npy                  entries, columns and ends of rows of block 0, as in CSR
    00000.indices.npy
    00000.indptr.npy

`blocks.json` is written last, so that a folder without it is incomplete: a process was killed while it wrote. Nothing
in the folder is executed: arrays are read without pickle. A visit maps the files of its block and lets them go, so that
the memory of the process stays small and the operating system keeps in its cache what fits.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .backends import Backend
from .block import Columns, Rows
from .blocks import BLOCK_ROWS, Blocks
from .matrix import Array, canonical

FORMAT = 1
HEADER = "blocks.json"
_PARTS = ("data", "indices", "indptr")


class StoredBlock(NamedTuple):
    """A block in files."""

    folder: str
    number: int
    n_rows: int
    n_columns: int
    n_entries: int
    dtype: str

    def open(self) -> sp.csr_array:
        """The block, mapped into memory."""
        data, indices, indptr = (self._map(name) for name in _PARTS)
        sizes = (self.n_entries, self.n_entries, self.n_rows + 1)
        if tuple(map(len, (data, indices, indptr))) != sizes or data.dtype != self.dtype or indptr[-1] != len(data):
            raise self._damaged("its arrays have another size or type than written")
        S = sp.csr_array((self.n_rows, self.n_columns), dtype=data.dtype)
        S.data, S.indices, S.indptr = data, indices, indptr
        return S

    def check(self) -> None:
        """Raise an OSError if a file is missing or has another size than written."""
        self.open()

    def _map(self, name: str) -> Array:
        path = file_of(self.folder, self.number, name)
        try:
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        except (OSError, ValueError, EOFError) as error:
            raise self._damaged(f"{path.name} cannot be read ({' '.join(str(error).split())})") from None

    def _damaged(self, what: str) -> OSError:
        return OSError(f"block {self.number} in {self.folder} is damaged: {what}. Write the blocks again.")


def file_of(folder: str | os.PathLike[str], number: int, name: str) -> Path:
    """The file of one array of a block."""
    return Path(folder) / f"{number:05d}.{name}.npy"


FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def write_blocks(
    folder: str | os.PathLike[str], matrices: Iterable[Any], *, block_rows: int = BLOCK_ROWS, dtype: Any = None
) -> Blocks:
    """Write matrices with the same columns, one below the other, as blocks in a folder.

    Parameters
    ----------
    folder : path
        A folder that does not exist or is empty.
    matrices : iterable of matrices
        Documents x words; one at a time is in memory, so that a generator may make more than fits.
    block_rows : int, default=25_000
        Largest number of rows of a block.
    dtype : dtype, default=None
        Type of the entries, float32 or float64; None is the type of the first matrix, or float64 for integers.

    Returns
    -------
    blocks : Blocks
        The matrix, mapped from the folder. After an error, the files are removed.
    """
    folder = Path(folder)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty. Name a new folder, or remove it first.")
    try:
        _write(folder, matrices, block_rows, dtype)
    except BaseException:  # also Ctrl-C
        for path in folder.iterdir():
            path.unlink()
        if is_new:
            folder.rmdir()
        raise
    return open_blocks(folder)


def _write(folder: Path, matrices: Iterable[Any], block_rows: int, dtype: Any) -> None:
    """Write the files of all blocks, and then the header."""
    blocks: list[tuple[int, int]] = []
    n_columns: int | None = None
    for X in matrices:
        S = canonical(X)
        if dtype is None:
            dtype = S.dtype if S.dtype in FLOATS else np.float64
        if np.dtype(dtype) not in FLOATS:
            raise ValueError(f"dtype must be float32 or float64; got {np.dtype(dtype)}.")
        n_columns = S.shape[1] if n_columns is None else n_columns
        if S.shape[1] != n_columns:
            raise ValueError(f"all matrices must have the same columns; got {n_columns} and {S.shape[1]}.")
        for first in range(0, S.shape[0], block_rows):
            part = S[first : first + block_rows]
            index = np.int32 if max(part.nnz, n_columns) <= np.iinfo(np.int32).max else np.int64
            arrays = (part.data.astype(dtype), part.indices.astype(index), part.indptr.astype(index))
            for name, array in zip(_PARTS, arrays, strict=True):
                np.save(file_of(folder, len(blocks), name), array, allow_pickle=False)
            blocks.append((part.shape[0], part.nnz))
    if n_columns is None or not blocks:
        raise ValueError("there are no documents to write.")
    header = {"format": FORMAT, "dtype": np.dtype(dtype).name, "n_columns": n_columns, "blocks": blocks}
    temporary = folder / f"{HEADER}.part"
    temporary.write_text(json.dumps(header), encoding="utf-8")
    temporary.replace(folder / HEADER)


def open_blocks(folder: str | os.PathLike[str], *, backend: Backend | None = None) -> Blocks:
    """The matrix that `write_blocks` wrote. The files are checked, not read.

    Parameters
    ----------
    folder : path
        The folder.
    backend : Backend, default=None
        Where blocks are visited; None is threads of this process.

    Returns
    -------
    blocks : Blocks
        The matrix, mapped from the folder. Do not change the files while it is used.
    """
    folder = Path(folder).absolute()
    header = _read_header(folder)
    dtype, n_columns = np.dtype(header["dtype"]), int(header["n_columns"])
    parts = [
        Rows(StoredBlock(str(folder), i, int(n), n_columns, int(nnz), dtype.name), slice(0, int(n)))
        for i, (n, nnz) in enumerate(header["blocks"])
    ]
    for part in parts:
        part.block.check()
    return Blocks(parts, [Columns(dtype, n_columns)], backend=backend)


def _read_header(folder: Path) -> dict[str, Any]:
    try:
        header = json.loads((folder / HEADER).read_text(encoding="utf-8"))
        version, dtype, blocks = header["format"], header["dtype"], header["blocks"]
        valid = dtype in ("float32", "float64") and len(blocks) > 0 and int(header["n_columns"]) > 0
        valid = valid and all(int(n) > 0 and int(nnz) >= 0 for n, nnz in blocks)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{folder} contains no complete blocks: {HEADER} is missing. Write them with write_blocks."
        ) from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise OSError(f"{folder / HEADER} is damaged ({error!r}). Write the blocks again.") from None
    if not valid:
        raise OSError(f"{folder / HEADER} is damaged: types or sizes are wrong. Write the blocks again.")
    if version != FORMAT:
        raise ValueError(f"{folder} has format {version!r}; this labelferry reads {FORMAT}. Write the blocks again.")
    return dict(header)
