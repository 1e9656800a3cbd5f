"""Saving a fitted estimator: one `.npz` file with its arrays, and its parameters and structure as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..files import open_atomic

FORMAT = 2


def save(estimator: BaseEstimator, path: str | os.PathLike[str]) -> None:
    """Write the estimator. The file is complete or not there at all."""
    write_arrays(to_arrays(estimator), path)


def write_arrays(arrays: dict[str, np.ndarray], path: str | os.PathLike[str]) -> None:
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot save to {path}: there is no folder {path.parent}. Create it first.")
    with open_atomic(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def to_arrays(estimator: BaseEstimator) -> dict[str, np.ndarray]:
    """A fitted estimator as arrays; `header` is JSON and describes the structure."""
    check_is_fitted(estimator)
    arrays: dict[str, np.ndarray] = {}
    kept = {
        name: v for name, v in vars(estimator).items() if name in estimator.get_params() or is_fitted_attribute(name)
    }
    values = {name: _pack(value, arrays) for name, value in kept.items()}
    header = {"labelferry": FORMAT, "estimator": type(estimator).__name__, "values": values}
    return {**arrays, "header": np.array(json.dumps(header))}


def is_fitted_attribute(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def _pack(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """A value as JSON; what is large goes into `arrays` under a key of its own."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if sp.issparse(value):
        csr = sp.csr_array(value)
        parts = [_pack(part, arrays) for part in (csr.data, csr.indices, csr.indptr)]
        return {"kind": "csr", "parts": parts, "shape": list(csr.shape)}
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return {"kind": "objects", "items": [_pack(item, arrays) for item in value.tolist()]}
        key = f"array{len(arrays)}"
        arrays[key] = value
        return {"kind": "array", "key": key}
    if hasattr(value, "_asdict"):
        return {"kind": "state", "fields": {k: _pack(v, arrays) for k, v in value._asdict().items()}}
    if isinstance(value, list | tuple):
        return {"kind": type(value).__name__, "items": [_pack(item, arrays) for item in value]}
    raise TypeError(
        f"cannot save a {type(value).__name__} without pickle. Pass random_state as an integer, priors as arrays, and "
        "no classifier of your own."
    )
