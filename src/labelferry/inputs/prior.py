"""Class proportions that the user knows: checked, and put into the order of the classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.classifier import TransductiveClassifier
from ..core.registry import estimators
from ..linalg.matrix import Array

NAMES = ("source", "uniform", "estimate")
TOLERANCE = 0.02  # of the sum: proportions are often rounded


def read_class_prior(class_prior: Any, classes: Array) -> Array | str | None:
    """The proportions in the order of the classes; a name and None stay as they are."""
    if class_prior is None:
        return None
    if isinstance(class_prior, str):
        if class_prior not in NAMES:
            raise ValueError(f"class_prior must be one of {', '.join(NAMES)} or proportions; got {class_prior!r}.")
        return class_prior
    values = _numbers(_in_order(class_prior, [str(c) for c in classes]))
    if values.shape != (len(classes),):
        raise ValueError(
            f"class_prior must have one proportion per class, {len(classes)} in the order "
            f"{', '.join(str(c) for c in classes)}; got {values.size}."
        )
    for c, value in zip(classes, values.tolist(), strict=True):
        if not 0 < value <= 1:
            raise ValueError(
                f"class_prior must be above 0 and at most 1 for each class; got {value:g} for {str(c)!r}. Remove a "
                "class that cannot occur from the labelled documents."
            )
    if abs(values.sum() - 1) > TOLERANCE:
        raise ValueError(f"class_prior must have the sum 1; got {values.sum():g}. Divide by the sum.")
    proportions: Array = values / values.sum()
    return proportions


def read_proportions(class_prior: Any, names: Sequence[str]) -> dict[str, Any]:
    """Per label of several, the proportions of no and yes in the target; a name of a rule holds for all labels."""
    if class_prior is None or isinstance(class_prior, str):
        return dict.fromkeys(names, read_class_prior(class_prior, np.array(["no", "yes"])))
    given = class_prior if isinstance(class_prior, Mapping) else dict(zip(names, class_prior, strict=False))
    if unknown := [str(name) for name in given if str(name) not in names]:
        raise ValueError(f"class_prior must have labels as names: {', '.join(names)}; got {unknown[0]!r}.")
    shares = {str(name): float(_numbers(value)) for name, value in given.items()}
    for name, share in shares.items():
        if not 0 < share < 1:
            raise ValueError(f"class_prior must be between 0 and 1 for each label; got {share:g} for {name!r}.")
    return {name: [1 - shares[name], shares[name]] if name in shares else None for name in names}


def check_has_prior(methods: Iterable[TransductiveClassifier], class_prior: Any) -> None:
    """Raise an error if class_prior is given and a method does not have this parameter."""
    if class_prior is None:
        return
    for method in methods:
        if "class_prior" not in method.get_params():
            able = sorted(name.lower() for name, cls in estimators().items() if "class_prior" in cls().get_params())
            raise ValueError(
                f"{type(method).__name__} has no parameter class_prior. Omit it, or choose one of these methods: "
                f"{', '.join(able)}."
            )


def _in_order(class_prior: Any, names: list[str]) -> Any:
    """The values of a dict in the order of the classes."""
    if not isinstance(class_prior, Mapping):
        return class_prior
    given = {str(name): value for name, value in class_prior.items()}
    unknown = [name for name in given if name not in names]
    missing = [name for name in names if name not in given]
    if unknown or missing:
        what = f"unknown class {unknown[0]!r}" if unknown else f"no proportion for {missing[0]!r}"
        raise ValueError(f"class_prior must name every class once: {', '.join(names)}; got {what}.")
    return [given[name] for name in names]


def _numbers(values: Any) -> Array:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"class_prior must have numbers; got {values!r}.") from None
