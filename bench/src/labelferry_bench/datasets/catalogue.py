"""Which corpora are on this machine, as plain dicts.

A module of this package that has `SOURCE` (a `Source`) and `count` (a function that returns the number of documents and
of groups) is listed: to add a corpus, add its file.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from .cache import CorpusNotFound, Source, directions, find
from .corpus import Counts
from .reading import CorpusDamaged


@cache
def corpora() -> dict[str, tuple[Source, Callable[[], Counts]]]:
    """All corpora by name, with the function that counts their documents."""
    names = [module.name for module in iter_modules([str(Path(__file__).parent)])]
    modules = [import_module(f".{name}", __package__) for name in names]
    return {module.SOURCE.name: (module.SOURCE, module.count) for module in modules if hasattr(module, "SOURCE")}


def summarize() -> list[dict[str, Any]]:
    """Summarize all corpora. Each one is read in order to count its documents.

    Returns
    -------
    rows : list of dict
        Per corpus: name, title, available, place, documents, groups (count per kind), terms, and problem: why an
        available corpus cannot be read.
    """
    return [summary(source, count) for source, count in corpora().values()]


def directions_for(name: str) -> str:
    """Describe which files of a corpus to download, from where, and where to put them."""
    if name not in corpora():
        raise ValueError(f"name must be one of {', '.join(corpora())}; got {name!r}.")
    source, _ = corpora()[name]
    return f"{source.title}\n{directions(source)}"


def summary(source: Source, count: Callable[[], Counts]) -> dict[str, Any]:
    """The summary of one corpus."""
    counts, problem = Counts(None, {}), None
    try:
        place = find(source)
    except CorpusNotFound:
        place = None
    else:
        try:
            counts = count()
        except CorpusDamaged as error:
            problem = str(error)
    return {
        "name": source.name,
        "title": source.title,
        "available": place is not None,
        "place": place and str(place),
        "documents": counts.documents,
        "groups": counts.groups,
        "terms": source.license,
        "problem": problem,
    }
