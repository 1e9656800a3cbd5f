"""Loading a fitted estimator that `saving.py` wrote.

Nothing in the file is executed: arrays are read without pickle, the class is looked up by name among the registered
estimators, and every value is one of the few kinds listed in `saving.py`. A NamedTuple is rebuilt from the type hint of
the field that it fills, so that states can nest; the file does not name any type. Types, shapes and values are checked
against the type hints before the estimator is used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

import numpy as np
import scipy.sparse as sp

from ..linalg.matrix import check_positions
from .archive import Archive, not_a_model
from .classifier import TransductiveClassifier
from .params import check_params
from .registry import estimator_names, registered
from .saving import FORMAT, is_fitted_attribute
from .schema import check_value

SUM_TOLERANCE = 1e-3  # of probabilities in single precision


def load(path: str | os.PathLike[str]) -> TransductiveClassifier:
    """Read an estimator written by `save`. Loading runs no code from the file."""
    with Archive(path) as arrays:
        return from_arrays(arrays, str(path))


def from_arrays(arrays: Mapping[str, np.ndarray], path: str) -> TransductiveClassifier:
    """The estimator that `to_arrays` saved; `path` is for error messages."""
    try:
        header = json.loads(str(arrays["header"]))
        version, name, values = header["labelferry"], str(header["estimator"]), dict(header["values"])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise not_a_model(path, error) from None
    if version != FORMAT:
        raise ValueError(f"{path} has format {version!r}; this labelferry reads {FORMAT}. Save it with this version.")
    cls = registered(name)
    if cls is None:
        raise ValueError(f"{path} contains a {name!r}, which is none of {', '.join(sorted(estimator_names()))}.")
    try:
        return _rebuild(cls, values, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise ValueError(f"{path} is damaged: {what.rstrip('.')}. Save the model again.") from None


def _rebuild(
    cls: type[TransductiveClassifier], values: dict[str, Any], arrays: Mapping[str, np.ndarray]
) -> TransductiveClassifier:
    """The estimator with these attributes; ValueError if one of them does not fit."""
    estimator = cls()
    hints = get_type_hints(cls, include_extras=True)
    for key in values:
        if key not in {*estimator.get_params(), *_declared(hints), "state_", "feature_names_in_"}:
            raise ValueError(f"{cls.__name__} has no attribute {key!r}")
    attributes = {key: _unpack(value, arrays, cls.State if key == "state_" else None) for key, value in values.items()}
    missing = [key for key in (*_declared(hints), "state_", *estimator.get_params()) if key not in attributes]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    sizes = _sizes(attributes)
    for key in _declared(hints):
        check_value(attributes[key], hints[key], key, sizes)
    check_value(attributes["state_"], cls.State, "state_", sizes)
    if attributes["class_prior_"].min() < 0 or abs(attributes["class_prior_"].sum() - 1) > SUM_TOLERANCE:
        raise ValueError("class_prior_ must be probabilities")
    if not set(attributes["transduction_"].tolist()) <= set(attributes["classes_"].tolist()):
        raise ValueError("transduction_ contains a label that is not in classes_")
    estimator.__dict__.update(attributes)
    check_params(estimator)
    _check_prediction(estimator)
    return estimator


def _declared(hints: dict[str, Any]) -> list[str]:
    """The fitted attributes that the class declares with a type; the state has a type of its own."""
    return [name for name in hints if is_fitted_attribute(name) and name != "state_"]


def _sizes(attributes: dict[str, Any]) -> dict[str, int]:
    """The sizes that hints refer to."""
    check_value(attributes["n_features_in_"], int, "n_features_in_", {})
    classes = np.asarray(attributes["classes_"])
    if classes.ndim != 1 or len(classes) < 1 or len(set(classes.tolist())) < len(classes) or None in classes.tolist():
        raise ValueError("classes_ must be different labels")
    return {
        "words": attributes["n_features_in_"],
        "classes": len(classes),
        "rows": len(attributes["transduction_"]),
        "domains": len(attributes["domain_keys_"]),
    }


def _check_prediction(estimator: TransductiveClassifier) -> None:
    """Predict a document with one word, for every target: what the hints do not state must fit too."""
    if not estimator.domain_is_target_.any():
        raise ValueError("domain_is_target_ names no target")
    document = sp.csr_array(([1.0], ([0], [0])), shape=(1, estimator.n_features_in_))
    for key, is_target in zip(estimator.domain_keys_, estimator.domain_is_target_, strict=True):
        if is_target:
            try:
                with np.errstate(divide="raise", over="raise", invalid="raise"):  # of this thread only, unlike warnings
                    proba = estimator.predict_proba(document, key)
            except (IndexError, ArithmeticError, RuntimeWarning) as error:  # the last if warnings are errors
                raise ValueError(f"its state does not fit ({error})") from None
            if not np.isfinite(proba).all():
                raise ValueError("its state gives predictions that are not finite")


def _unpack(value: Any, arrays: Mapping[str, np.ndarray], hint: Any) -> Any:
    """The value that saving turned into this JSON. `hint` is the type hint of the field that it fills."""
    if not isinstance(value, dict):
        return value
    kind = value["kind"]
    if kind == "array":
        return arrays[value["key"]]
    if kind == "csr":
        data, indices, indptr = (_unpack(part, arrays, None) for part in value["parts"])
        if not indices.dtype.kind == indptr.dtype.kind == "i":
            raise ValueError(f"the positions of a sparse matrix must be integers; they are {indices.dtype}")
        matrix = sp.csr_array((data, indices, indptr), shape=tuple(value["shape"]))
        check_positions(matrix)
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
