"""Checks of values against the type hints of the fields that they fill, for files that anybody may have made.

The shape of an array is part of its hint: `Annotated[Array, "words x topics"]`. A name is a size: `words` and `classes`
are those of the estimator; any other name is the same number in all fields of one NamedTuple. `any` is any size, and
so is `documents[d]`, the documents of a domain (`labelferry.core.ordering` lists these names); `k+1` is one more than
k. `"clusters < classes"` is an array of integers from -1 to classes - 1, one per cluster. Arrays contain finite numbers
unless the hint ends with "or NaN", none below 0 if it ends with ">= 0", and none that is 0 if it ends with "> 0".
"""

from __future__ import annotations

import types
from collections import ChainMap
from collections.abc import MutableMapping
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np
import scipy.sparse as sp

from ..linalg.matrix import Matrix

Sizes = MutableMapping[str, int]
PLAIN = {float: (int, float), int: (int,), str: (str,), bool: (bool,), type(None): (type(None),)}


class Shape(NamedTuple):
    """What a hint such as "clusters < classes", "words x topics >= 0" or "words x k+1 or NaN" states about an array."""

    dimensions: tuple[str, ...]
    below: str | None  # the entries are integers from -1 to this size - 1
    may_be_nan: bool
    sign: str  # "> 0", ">= 0", or empty for any number

    @classmethod
    def parse(cls, text: str) -> Shape:
        """Read the text of a hint."""
        text, may_be_nan = text.removesuffix(" or NaN"), text.endswith(" or NaN")
        sign = next((sign for sign in ("> 0", ">= 0") if text.endswith(f" {sign}")), "")
        dimensions, _, below = text.removesuffix(f" {sign}").partition(" < ")
        return cls(tuple(dimensions.split(" x ")), below or None, may_be_nan, sign)


class Bound(NamedTuple):
    """A bound on the entries of an array; it is checked when all sizes are known."""

    name: str
    entries: Any
    below: str


def check_value(value: Any, hint: Any, name: str, sizes: Sizes) -> None:
    """Raise ValueError, with the name of the field, if a value does not fit its type hint."""
    for bound in check_type(value, hint, name, sizes):
        check_bound(bound, sizes)


def check_type(value: Any, hint: Any, name: str, sizes: Sizes) -> list[Bound]:
    """Check a value as `check_value` does, and return the bounds that are still to be checked."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return []
    if origin is Annotated and isinstance(arguments[1], str):
        return check_array(value, Shape.parse(arguments[1]), name, sizes)
    if origin in (Union, types.UnionType):
        return check_union(value, arguments, name, sizes)
    if origin in (tuple, list):
        if not isinstance(value, origin):
            raise ValueError(f"{name} must be a {origin.__name__}; it is a {type(value).__name__}")
        items = enumerate(value)
        return [bound for i, item in items for bound in check_type(item, arguments[0], f"{name}[{i}]", sizes)]
    if hasattr(hint, "_fields"):
        check_fields(value, hint, name, sizes)
    elif hint in PLAIN:
        if not isinstance(value, PLAIN[hint]) or (isinstance(value, bool) and hint is not bool):
            raise ValueError(f"{name} must be of type {hint.__name__}; it is {value!r:.40}")
    elif not isinstance(value, np.ndarray | Matrix):
        raise ValueError(f"{name} must be an array; it is {value!r:.40}")
    return []


def check_union(value: Any, hints: tuple[Any, ...], name: str, sizes: Sizes) -> list[Bound]:
    """The value must fit one of the hints; None only if None is one of them."""
    if value is None and type(None) in hints:
        return []
    errors = []
    for hint in hints:
        if hint is type(None):
            continue
        try:
            return check_type(value, hint, name, sizes)
        except ValueError as error:
            errors.append(error)
    raise errors[0]


def check_fields(value: Any, cls: Any, name: str, sizes: Sizes) -> None:
    """Every field of a NamedTuple must fit its hint. Its own arrays are first: nested tuples know their sizes."""
    if not isinstance(value, cls):
        raise ValueError(f"{name} must be a {cls.__name__}; it is a {type(value).__name__}")
    inside: Sizes = ChainMap({}, sizes)
    hints = get_type_hints(cls, include_extras=True)
    bounds: list[Bound] = []
    for field in sorted(hints, key=lambda field: "Annotated" not in str(hints[field])):
        bounds += check_type(getattr(value, field), hints[field], f"{name}.{field}", inside)
    for bound in bounds:
        check_bound(bound, inside)


def check_array(value: Any, shape: Shape, name: str, sizes: Sizes) -> list[Bound]:
    """An array or a sparse matrix of numbers with this shape."""
    if not isinstance(value, np.ndarray | Matrix):
        raise ValueError(f"{name} must be an array; it is {value!r:.40}")
    if value.dtype.kind not in "biuf":
        raise ValueError(f"{name} must contain numbers; its type is {value.dtype}")
    entries: Any = value.data if isinstance(value, sp.sparray) else value
    if not shape.may_be_nan and not np.isfinite(entries).all():
        raise ValueError(f"{name} contains a number that is not finite")
    if shape.sign and ((entries < 0) | ((entries == 0) & (shape.sign == "> 0"))).any():
        raise ValueError(f"{name} must contain numbers {shape.sign} only")
    expected: tuple[int, ...] = ()
    if len(value.shape) == len(shape.dimensions):
        expected = tuple(expected_size(*pair, sizes) for pair in zip(shape.dimensions, value.shape, strict=True))
    if value.shape != expected:
        here = f", here {expected}" if expected else ""
        raise ValueError(f"{name} must have the shape {' x '.join(shape.dimensions)}{here}; it has {value.shape}")
    return [] if shape.below is None else [Bound(name, entries, shape.below)]


def check_bound(bound: Bound, sizes: Sizes) -> None:
    """The entries must be integers from -1 to a size - 1."""
    largest = int(bound.entries.max(initial=-1))
    n_values = expected_size(bound.below, largest + 1, sizes)
    if bound.entries.dtype.kind not in "iu" or bound.entries.min(initial=0) < -1 or largest >= n_values:
        raise ValueError(f"{bound.name} must contain integers from -1 to {n_values - 1}")


def expected_size(dimension: str, actual: int, sizes: Sizes) -> int:
    """The size of a dimension; a name that is new gets the actual size."""
    if dimension == "any" or dimension.endswith("]"):  # documents[d]: each item of a tuple has its own size
        return actual
    name, _, more = dimension.partition("+")
    n_more = int(more or 0)
    return sizes.setdefault(name, actual - n_more) + n_more
