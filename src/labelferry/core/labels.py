"""Reading labels: which rows have one, and which class it is.

Unlabelled is -1 or NaN among numbers, and None, NaN, NA or "" among strings. Labels keep their type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..linalg.matrix import Array

UNKNOWN = -1  # code of a row without a label


class Labels(NamedTuple):
    """y, and which rows may be unlabelled."""

    values: Array  # a copy of y
    absent: Array  # None, NaN, NA or ""
    minus_one: Array  # the number -1: unlabelled or a class, depending on `sample_domain`


def read_labels(y: Any, estimator: str) -> Labels:
    """A copy of y as an array, with what may mean `unlabelled` marked."""
    if y is None:
        raise ValueError(
            f"{estimator} requires y to be passed, but the target y is None. Give one label per row, "
            '-1 (or None, NaN, "") for the rows to label.'
        )
    if isinstance(y, list | tuple):  # numpy would turn NaN and None among strings into the strings 'nan' and 'None'
        objects = np.empty(len(y), dtype=object)
        objects[:] = y
        y = objects if all(np.ndim(label) == 0 for label in y) else y
    values = np.array(column_or_1d(y, warn=True), copy=True)
    if values.dtype.kind == "f":
        absent = np.isnan(values)
        if np.isinf(values).any():
            raise ValueError(
                f"Input y contains infinity or a value too large for {values.dtype!r}. Labels are finite; "
                "unlabelled is -1 or NaN."
            )
    elif values.dtype.kind == "U":
        absent = values == ""
    elif values.dtype.kind == "S":
        raise ValueError(f"labels are bytes, such as {values[0]!r}. Decode them: np.char.decode(y).")
    elif values.dtype.kind == "O":
        absent = np.fromiter((_is_missing(v) for v in values), dtype=bool, count=len(values))
        values = _plain(values, absent)
    else:
        absent = np.zeros(len(values), dtype=bool)
    minus_one = values == -1 if values.dtype.kind in "if" else np.zeros(len(values), dtype=bool)
    return Labels(values, absent, minus_one)


def join_labels(parts: Sequence[Any], estimator: str) -> Array:
    """The labels of several sources in one array; None if a label is missing. No type is changed."""
    read = [read_labels(part, estimator) for part in parts]
    kinds = {labels.values.dtype.kind for labels in read}
    if len(kinds) == 1 and kinds <= set("iufbU") and not any(labels.absent.any() for labels in read):
        return np.concatenate([labels.values for labels in read])
    joined = np.concatenate([labels.values.astype(object) for labels in read])
    joined[np.concatenate([labels.absent for labels in read])] = None
    return joined


def encode(values: Array, known: Array) -> tuple[Array, Array]:
    """The classes among the known values, and the code of each row: an index into the classes, or UNKNOWN."""
    try:
        classes, codes_of_known = np.unique(values[known], return_inverse=True)
    except TypeError:
        kinds = sorted({type(v).__name__ for v in values[known]})
        raise ValueError(
            f"y mixes labels of different types: {', '.join(kinds)}. Labels must be all strings or all integers; "
            "convert them with y.astype(str)."
        ) from None
    check_classification_targets(values[known])
    codes = np.full(len(values), UNKNOWN, dtype=np.intp)
    codes[known] = codes_of_known
    return classes, codes


def _is_missing(value: Any) -> bool:
    if value is None or (isinstance(value, str) and value == ""):
        return True
    return type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float | np.floating) and value != value)


def _plain(values: Array, absent: Array) -> Array:
    """An object array of numbers or booleans as a typed array; an array with strings unchanged."""
    known = values[~absent]
    if len(known) == 0 or any(isinstance(label, str) for label in known):
        return values
    plain = np.array(known.tolist())
    if plain.dtype.kind in "fO" and all(isinstance(label, int | np.integer) for label in known):
        largest = max(known, key=abs)
        raise ValueError(f"labels must be integers of 64 bits; one is {largest!s:.40}. Convert them: y.astype(str).")
    if plain.dtype.kind not in "iufb" or plain.ndim != 1:
        return values
    filled = np.zeros(len(values), dtype=plain.dtype)
    filled[~absent] = plain
    return filled


def as_labels(labels: list[Any], classes: Array) -> Array:
    """Labels as an array of the type of the classes; of objects if some are missing."""
    return np.array(labels, dtype=object if any(label is None for label in labels) else classes.dtype)
