"""Reading arrays of MATLAB files, version 5, also if they are damaged: scipy's reader can crash the process then.

A file is a header of 128 bytes and elements; an element is a type, a size and data, and may be packed with zlib. A
matrix is an element of elements: flags, dimensions, name and numbers; of a sparse matrix (by columns) the rows, the
ends of the columns and the numbers. Only real numbers are read.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
import scipy.sparse as sp

TYPES = dict(
    zip((1, 2, 3, 4, 5, 6, 7, 9, 12, 13), ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8", "i8", "u8"), strict=True)
)
MATRIX, PACKED = 14, 15
SPARSE, DENSE, COMPLEX = 5, range(6, 16), 0x0800  # classes of matrices, and a flag
HEADER = 128
ORDERS = {b"IM": "<", b"MI": ">"}


def read_arrays(content: bytes, names: tuple[str, ...], max_bytes: int) -> dict[str, Any]:
    """The arrays with these names: dense, or CSC."""
    order = ORDERS.get(content[HEADER - 2 : HEADER])
    if order is None or content[HEADER - 4 : HEADER - 2] not in (b"\x00\x01", b"\x01\x00"):
        raise ValueError("it is no MATLAB file of version 5")
    arrays = {}
    for kind, data in elements(content[HEADER:], order):
        if kind == PACKED:
            content = unpacked(data, max_bytes)
            max_bytes -= len(content)
            [(kind, data), *_] = elements(content, order)
        if kind == MATRIX:
            flags, shape, name, *parts = elements(data, order)
            if (key := name[1].decode("latin-1")) in names:
                arrays[key] = matrix(numbers(flags, order), numbers(shape, order).tolist(), parts, order)
    return arrays


def elements(data: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """Type and data of the elements, one after the other. One of at most four bytes has a short form."""
    position = 0
    while position + 8 <= len(data):
        kind, size = struct.unpack_from(f"{order}II", data, position)
        start, step = position + 8, size if kind == PACKED else -(-size // 8) * 8
        if kind >> 16:
            kind, size, start, step = kind & 0xFFFF, kind >> 16, position + 4, 0
        if size > len(data) - start:
            raise ValueError("it is cut off")
        yield kind, data[start : start + size]
        position += 8 + step


def unpacked(data: bytes, max_bytes: int) -> bytes:
    """The data of a packed element."""
    stream = zlib.decompressobj()
    content = stream.decompress(data, max(max_bytes, 1))  # 0 would be no limit
    if not stream.eof or len(content) > max_bytes:
        raise ValueError(f"an element is cut off, or has more than {max_bytes:,} bytes if unpacked")
    return content


def numbers(element: tuple[int, bytes], order: str) -> np.ndarray:
    """The numbers of an element."""
    kind, data = element
    if kind not in TYPES:
        raise ValueError(f"an element has the type {kind}, which is no number")
    return np.frombuffer(data, dtype=f"{order}{TYPES[kind]}")


def matrix(flags: np.ndarray, shape: list[int], parts: list[tuple[int, bytes]], order: str) -> Any:
    """A matrix from its parts; every position and size is checked (see `linalg.matrix.check_positions`)."""
    kind, is_complex = int(flags[0]) & 0xFF, int(flags[0]) & COMPLEX
    if is_complex or len(shape) != 2 or min(shape) < 0 or kind not in (SPARSE, *DENSE):
        raise ValueError("an array is no matrix of real numbers")
    if kind != SPARSE:
        values = numbers(parts[0], order)
        if len(values) != prod(shape):
            raise ValueError(f"{len(values)} numbers in a matrix of shape {tuple(shape)}")
        return values.reshape(shape, order="F")
    rows, ends, values = (numbers(part, order) for part in parts[:3])
    if len(ends) != shape[1] + 1 or "f" in (rows.dtype.kind, ends.dtype.kind) or (np.diff(ends.astype(int)) < 0).any():
        raise ValueError("the columns of a sparse matrix do not fit")
    n = int(ends[-1])
    X = sp.csc_array((values[:n].astype(np.float64), rows[:n].astype(int), ends.astype(int)), shape=shape)
    X.check_format(full_check=True)
    if max(n, *shape) <= np.iinfo(np.int32).max:  # scikit-learn's SVM takes no longer indices
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X
