"""Saving and loading a fitted estimator. One `.npz` file: its arrays, and its parameters and structure as JSON.

Nothing in the file is executed: arrays are read with `allow_pickle=False`, the class is looked up by name among the
registered estimators, and every value is one of the few kinds listed in `_pack`. A NamedTuple is rebuilt from the type
hint of the field that it fills, so that states can nest; the file does not name any type.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from ..files import open_atomic
from .classifier import TransductiveClassifier
from .registry import estimators

FORMAT = 2


def save(estimator: TransductiveClassifier, path: str | os.PathLike[str]) -> None:
    """Write the estimator. The file is complete or not there at all."""
    write_arrays(to_arrays(estimator), path)


def load(path: str | os.PathLike[str]) -> TransductiveClassifier:
    """Read an estimator written by `save`. Loading runs no code from the file."""
    return from_arrays(read_arrays(path), str(path))


def write_arrays(arrays: dict[str, np.ndarray], path: str | os.PathLike[str]) -> None:
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot save to {path}: there is no folder {path.parent}. Create it first.")
    with open_atomic(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def read_arrays(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {str(path)!r}. Check the path.") from None
    except IsADirectoryError:
        raise ValueError(f"{str(path)!r} is a folder. Name a file in it.") from None
    except (AttributeError, TypeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        # The message of numpy is not shown: it recommends to allow pickles.
        raise _not_ours(path, error) from None


def to_arrays(estimator: TransductiveClassifier) -> dict[str, np.ndarray]:
    """A fitted estimator as arrays; `header` is JSON and describes the structure."""
    check_is_fitted(estimator)
    arrays: dict[str, np.ndarray] = {}
    kept = {
        name: v for name, v in vars(estimator).items() if name in estimator.get_params() or _is_fitted_attribute(name)
    }
    values = {name: _pack(value, arrays) for name, value in kept.items()}
    header = {"labelferry": FORMAT, "estimator": type(estimator).__name__, "values": values}
    return {**arrays, "header": np.array(json.dumps(header))}


def from_arrays(arrays: dict[str, np.ndarray], path: str) -> TransductiveClassifier:
    """The estimator that `to_arrays` saved; `path` is for error messages."""
    try:
        header = json.loads(str(arrays["header"]))
        version, name, values = header["labelferry"], str(header["estimator"]), dict(header["values"])
    except (KeyError, TypeError, ValueError) as error:
        raise _not_ours(path, error) from None
    if version != FORMAT:
        raise ValueError(f"{path} has format {version!r}; this labelferry reads {FORMAT}. Save it with this version.")
    known = estimators()
    if name not in known:
        raise ValueError(f"{path} contains a {name!r}, which is none of {', '.join(sorted(known))}.")
    cls = known[name]
    estimator = cls()
    unknown = [key for key in values if key not in estimator.get_params() and not _is_fitted_attribute(key)]
    if unknown:
        raise ValueError(f"{path} is damaged: {name} has no attribute {unknown[0]!r}. Save the model again.")
    try:
        attributes = {
            key: _unpack(value, arrays, cls.State if key == "state_" else None) for key, value in values.items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path} is damaged: {error!r}. Save the model again with save().") from None
    missing = [key for key in ("classes_", "state_", *estimator.get_params()) if key not in attributes]
    if missing or not isinstance(attributes["state_"], cls.State):
        raise ValueError(f"{path} is damaged: {missing or 'its state'} is missing. Save the model again with save().")
    estimator.__dict__.update(attributes)
    estimator._validate_params()
    return estimator


def _not_ours(path: Any, error: Exception) -> ValueError:
    return ValueError(
        f"{path} is not a model written by labelferry ({type(error).__name__}). Write one with `labelferry label "
        "--save` or `save`."
    )


def _is_fitted_attribute(name: str) -> bool:
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


def _unpack(value: Any, arrays: dict[str, np.ndarray], hint: Any) -> Any:
    """The value that `_pack` turned into this JSON. `hint` is the type hint of the field that it fills."""
    if not isinstance(value, dict):
        return value
    kind = value["kind"]
    if kind == "array":
        return arrays[value["key"]]
    if kind == "csr":
        data, indices, indptr = (_unpack(part, arrays, None) for part in value["parts"])
        matrix = sp.csr_array((data, indices, indptr), shape=tuple(value["shape"]))
        matrix.check_format(full_check=True)
        return matrix
    if kind == "state":
        cls = _named_tuple_in(hint)
        if cls is None:
            raise ValueError(f"a record where {hint} is expected")
        hints = get_type_hints(cls)
        return cls(**{name: _unpack(field, arrays, hints[name]) for name, field in value["fields"].items()})
    items = [_unpack(item, arrays, hint) for item in value["items"]]
    if kind == "objects":
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return array
    return tuple(items) if kind == "tuple" else items


def _named_tuple_in(hint: Any) -> Any:
    """The NamedTuple class in a type hint such as `Factors`, `Factors | None` or `tuple[Factors, ...]`."""
    if isinstance(hint, type) and hasattr(hint, "_fields"):
        return hint
    for part in get_args(hint):
        if (cls := _named_tuple_in(part)) is not None:
            return cls
    return None
