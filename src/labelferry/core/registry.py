"""The estimators by name. A registered estimator gets the shared checks, the command line and safe loading."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from types import MappingProxyType
from typing import TypeVar

from .classifier import TransductiveClassifier

Estimator = TypeVar("Estimator", bound=type[TransductiveClassifier])

PACKAGES = ("labelferry.methods", "labelferry.baselines", "labelferry.ensemble")  # whose import registers estimators
AUTO = "auto"  # another name of AutoTransfer

_REGISTERED: dict[str, type[TransductiveClassifier]] = {}


def register(cls: Estimator) -> Estimator:
    """Class decorator: list the estimator under its name."""
    _REGISTERED[cls.__name__] = cls
    return cls


def estimators() -> Mapping[str, type[TransductiveClassifier]]:
    """All registered estimators by name: those of labelferry, whatever was imported before, and the user's own."""
    for package in PACKAGES:
        import_module(package)
    return MappingProxyType(_REGISTERED)


def find(name: str) -> type[TransductiveClassifier]:
    """The estimator with that name, in upper or lower case. "auto" is AutoTransfer."""
    by_name = {known.lower(): cls for known, cls in estimators().items()}
    by_name[AUTO] = by_name["autotransfer"]
    if name.lower() not in by_name:
        near = get_close_matches(name.lower(), by_name, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ValueError(f"method must be one of {', '.join(sorted(by_name))}; got {name!r}.{hint}")
    return by_name[name.lower()]
