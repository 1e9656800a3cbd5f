"""Corpora: one file each. A loader takes a path, or looks in LABELFERRY_DATA, then in the user's cache."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Where each public name lives. Looked up on first use, so that a command pays only for the corpus it reads.
_HOME = {
    "Demo": "demo",
    "load_demo": "demo",
    "Corpus": "corpus",
    "CorpusDamaged": "reading",
    "CorpusNotFound": "cache",
    "CrossDomain": "reuters_crossdomain",
    "ImageFiles": "caltech256",
    "Images": "office_caltech",
    "load_amazon": "amazon",
    "load_caltech256": "caltech256",
    "load_newsgroups": "newsgroups",
    "load_office_caltech": "office_caltech",
    "load_reuters": "reuters",
    "load_reuters_crossdomain": "reuters_crossdomain",
    "load_sraa": "sraa",
    "orgs_people_places": "reuters_tasks",
    "summarize": "catalogue",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
