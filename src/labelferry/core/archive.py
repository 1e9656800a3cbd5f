"""Reading an .npz file that anybody may have made: without pickle, member by member, with a limit on the memory.

The sizes that the file declares for its members are checked when it is opened: a small file of enormous arrays is
refused before anything is unpacked. A member is read when it is used, so that what nothing refers to is never read, and
never beyond its declared size. Its header is checked before any memory is reserved: the shape and the type of the array
must give exactly the number of bytes that the member has.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from math import prod
from tokenize import TokenError
from typing import IO

import numpy as np

from ..linalg.matrix import Array

MAX_BYTES = 8 * 2**30  # of all arrays of a file together
MAX_RATIO = 200  # unpacked bytes per byte of the file; numbers that were learned have less than 20
SMALL = 2**26  # bytes that any file may unpack to
HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
DAMAGED = (
    *(EOFError, NotImplementedError, RuntimeError, SyntaxError, TokenError, ValueError),
    *(zipfile.BadZipFile, zlib.error),
)


class Archive(Mapping[str, Array]):
    """The arrays of an .npz file, read on access. Close it, or use it as a context manager."""

    def __init__(self, path: str | os.PathLike[str], max_bytes: int = MAX_BYTES) -> None:
        self._path = os.fsdecode(path)
        self._max_bytes = max_bytes
        try:
            self._file = zipfile.ZipFile(path)
            self._members = {info.filename.removesuffix(".npy"): info for info in self._file.infolist()}
        except FileNotFoundError:
            raise FileNotFoundError(f"there is no file {self._path!r}. Check the path.") from None
        except IsADirectoryError:
            raise ValueError(f"{self._path!r} is a folder. Name a file in it.") from None
        except DAMAGED as error:
            raise not_a_model(self._path, error) from None
        self._left = SMALL + self._declared()  # a member may be read twice, but not without end

    def _declared(self) -> int:
        """Bytes of all members; ValueError if they are more than are allowed, or than belong in a file of this size."""
        n_bytes = sum(info.file_size for info in self._file.infolist())
        n_packed = os.path.getsize(self._path)
        too_dense = n_bytes > SMALL + MAX_RATIO * n_packed
        if too_dense or n_bytes > self._max_bytes:
            self._file.close()
            limit = f"{MAX_RATIO} times its size" if too_dense else f"{self._max_bytes / 2**30:.3g} GiB"
            raise ValueError(
                f"{self._path} is no model to load: it has {n_packed:,} bytes and unpacks to {n_bytes:,}, more than "
                f"{limit}. Get the model from somebody you trust, or save it again."
            )
        return n_bytes

    def __getitem__(self, name: str) -> Array:
        info = self._members[name]
        try:
            with self._file.open(info) as member:
                array = self._read(member, info.file_size)
        except DAMAGED as error:
            raise ValueError(f"{name}: {error}") from None
        return array

    def _read(self, member: IO[bytes], size: int) -> Array:
        """The array of an open member with this number of bytes."""
        read_header = HEADERS.get(np.lib.format.read_magic(member))
        if read_header is None:
            raise ValueError("its format is unknown")
        shape, fortran_order, dtype = read_header(member)
        if dtype.hasobject:
            raise ValueError("it contains Python objects, which are never loaded")
        n_bytes = prod(shape) * dtype.itemsize
        if min(shape, default=0) < 0 or n_bytes != size - member.tell():
            raise ValueError(f"its shape {shape} does not fit its size")
        if n_bytes > self._left:
            raise ValueError("the arrays are read more often than they are saved")
        self._left -= n_bytes
        content = bytearray(n_bytes)
        if member.readinto(content) != n_bytes:  # type: ignore[attr-defined]
            raise ValueError("it is cut off")
        array = np.frombuffer(content, dtype=dtype)
        return array.reshape(shape, order="F" if fortran_order else "C")

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class Under(Mapping[str, Array]):
    """The arrays whose names begin with a prefix, without it."""

    def __init__(self, prefix: str, arrays: Mapping[str, Array]) -> None:
        self._prefix = prefix
        self._arrays = arrays

    def __getitem__(self, name: str) -> Array:
        return self._arrays[self._prefix + name]

    def __iter__(self) -> Iterator[str]:
        return (name.removeprefix(self._prefix) for name in self._arrays if name.startswith(self._prefix))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def not_a_model(path: str, error: Exception) -> ValueError:
    """The error for a file that labelferry did not write."""
    return ValueError(
        f"{path} is not a model written by labelferry ({type(error).__name__}). Write one with `labelferry label "
        "--save` or `save`."
    )
