"""The estimators by name. A registered estimator gets the shared checks, the command line and safe loading."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from types import MappingProxyType
from typing import TypeVar

from .classifier import TransductiveClassifier

Estimator = TypeVar("Estimator", bound=type[TransductiveClassifier])

PACKAGES = ("labelferry.methods", "labelferry.baselines", "labelferry.ensemble")  # each of their names is an estimator
AUTO = "auto"  # another name of AutoTransfer

_REGISTERED: dict[str, type[TransductiveClassifier]] = {}


def register(cls: Estimator) -> Estimator:
    """Class decorator: list the estimator under its name."""
    _REGISTERED[cls.__name__] = cls
    return cls


def estimators() -> Mapping[str, type[TransductiveClassifier]]:
    """All registered estimators by name: those of labelferry, whatever was imported before, and the user's own."""
    known = estimator_names()
    for name in known:
        registered(name)
    return MappingProxyType({name: _REGISTERED[name] for name in known})


def estimator_names() -> list[str]:
    """The names of all estimators in a fixed order. Those of labelferry are known before they are imported."""
    own = [name for package in map(import_module, PACKAGES) for name in package.__all__]
    return list(dict.fromkeys([*own, *_REGISTERED]))


def registered(name: str) -> type[TransductiveClassifier] | None:
    """The estimator with exactly that name; None if there is none. Others are not imported."""
    if name not in _REGISTERED:
        for package in map(import_module, PACKAGES):
            if name in package.__all__:
                getattr(package, name)  # the import of its file registers it
    return _REGISTERED.get(name)


def find(name: str) -> type[TransductiveClassifier]:
    """The estimator with that name, in upper or lower case. "auto" is AutoTransfer."""
    by_name = {known.lower(): known for known in estimator_names()}
    by_name[AUTO] = by_name["autotransfer"]
    cls = registered(by_name.get(name.lower(), name))
    if cls is None:
        near = get_close_matches(name.lower(), by_name, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ValueError(f"method must be one of {', '.join(sorted(by_name))}; got {name!r}.{hint}")
    return cls
