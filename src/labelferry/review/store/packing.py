"""Arrays and plain values as what a database stores: compressed npz without pickle, and JSON in ASCII."""

from __future__ import annotations

import io
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from .records import Array

MAX_BYTES = 1 << 31
MAX_ARRAYS = 1000
MAX_LARGE = 64  # arrays of the largest size
ENCRYPTED = 0x1  # flag of an entry of a zip file
UNREADABLE = (
    LookupError,
    TypeError,
    ValueError,
    ArithmeticError,
    OSError,
    EOFError,
    RuntimeError,  # also NotImplementedError and RecursionError
    MemoryError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def pack(arrays: Mapping[str, Array]) -> bytes:
    """Arrays as a compressed npz. Their names may contain any characters.

    >>> unpack(pack({"LR(a/b)": np.arange(3)}))
    {'LR(a/b)': array([0, 1, 2])}
    """
    file = io.BytesIO()
    numbered: dict[str, Any] = {f"array{i}": array for i, array in enumerate(arrays.values())}
    np.savez_compressed(file, allow_pickle=False, names=np.array(json.dumps(list(arrays))), **numbered)
    return file.getvalue()


def unpack(data: bytes, max_bytes: int = MAX_BYTES, name: str = "the store") -> dict[str, Array]:
    """Arrays that `pack` wrote. Nothing in them is executed; a larger one is an error before memory is allocated."""
    try:
        check_sizes(data, max_bytes)
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            return {key: file[f"array{i}"] for i, key in enumerate(json.loads(str(file["names"])))}
    except UNREADABLE as error:
        raise ValueError(
            f"{name} is damaged: an array cannot be read ({type(error).__name__}). Restore the file from a copy."
        ) from None


def check_sizes(data: bytes, max_bytes: int) -> None:
    """Raise ValueError unless every array is as large as its header and the archive declare, and not too large."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ARRAYS or sum(entry.file_size for entry in entries) > MAX_LARGE * max_bytes:
            raise ValueError("too many arrays")
        for entry in entries:
            if entry.flag_bits & ENCRYPTED or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError("encrypted, or an unknown compression")
            with archive.open(entry) as file:
                major, _ = np.lib.format.read_magic(file)
                read_header = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
                shape, _, dtype = read_header(file)
                n_bytes = math.prod(shape) * dtype.itemsize
                if min(shape, default=0) < 0 or n_bytes > max_bytes or n_bytes != entry.file_size - file.tell():
                    raise ValueError("the size of an array is wrong")


def from_json(text: str, kind: type, name: str) -> Any:
    """A plain value of a store; an error of one line if it is none, or of another type."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise ValueError(f"{name} is damaged: a value is no JSON. Restore the file from a copy.") from None
    if not isinstance(value, kind):
        raise ValueError(f"{name} is damaged: a value has a wrong type. Restore the file from a copy.")
    return value


def to_json(value: Any) -> str:
    """JSON in ASCII; a value that JSON has no form for, such as a date, becomes a string."""
    return json.dumps(value, default=plain)


def plain(value: Any) -> Any:
    """A numpy scalar as a Python value, anything else as a string."""
    return value.item() if isinstance(value, np.generic) else str(value)
