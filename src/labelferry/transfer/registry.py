"""The estimators by name. An estimator that registers gets the shared checks, the command line and safe loading."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TypeVar

from .base import TransductiveClassifier

Estimator = TypeVar("Estimator", bound=type[TransductiveClassifier])

ESTIMATORS: dict[str, type[TransductiveClassifier]] = {}


def register(cls: Estimator) -> Estimator:
    """Class decorator: list the estimator under its name."""
    ESTIMATORS[cls.__name__] = cls
    return cls


def find(name: str) -> type[TransductiveClassifier]:
    """The estimator of that name, in upper or lower case."""
    by_name = {known.lower(): cls for known, cls in ESTIMATORS.items()}
    if name.lower() not in by_name:
        near = get_close_matches(name.lower(), by_name, n=1)
        meant = f" Did you mean {near[0]}?" if near else ""
        raise ValueError(f"method must be one of {', '.join(sorted(by_name))}; got {name!r}.{meant}")
    return by_name[name.lower()]
