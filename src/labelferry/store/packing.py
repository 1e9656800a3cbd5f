"""Arrays and plain values as what a database stores: compressed npz without pickle, and JSON in ASCII."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from .records import Array


def pack(arrays: Mapping[str, Array]) -> bytes:
    """Arrays as a compressed npz. Their names may contain any characters.

    >>> unpack(pack({"LR(a/b)": np.arange(3)}))
    {'LR(a/b)': array([0, 1, 2])}
    """
    file = io.BytesIO()
    numbered: dict[str, Any] = {f"array{i}": array for i, array in enumerate(arrays.values())}
    np.savez_compressed(file, allow_pickle=False, names=np.array(json.dumps(list(arrays))), **numbered)
    return file.getvalue()


def unpack(data: bytes) -> dict[str, Array]:
    """Arrays that `pack` wrote. Nothing in them is executed."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            return {name: file[f"array{i}"] for i, name in enumerate(json.loads(str(file["names"])))}
    except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error):
        raise ValueError("the store is damaged: an array cannot be read. Restore the file from a copy.") from None


def to_json(value: Any) -> str:
    """JSON in ASCII; a value that JSON has no form for, such as a date, becomes a string."""
    return json.dumps(value, default=plain)


def plain(value: Any) -> Any:
    """A numpy scalar as a Python value, anything else as a string."""
    return value.item() if isinstance(value, np.generic) else str(value)
