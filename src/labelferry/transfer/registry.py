"""The estimators by name. An estimator that registers gets the shared checks, the command line and safe loading."""

from __future__ import annotations

from typing import TypeVar

from .base import TransductiveClassifier

Estimator = TypeVar("Estimator", bound=type[TransductiveClassifier])

ESTIMATORS: dict[str, type[TransductiveClassifier]] = {}


def register(cls: Estimator) -> Estimator:
    """Class decorator: list the estimator under its name."""
    ESTIMATORS[cls.__name__] = cls
    return cls
