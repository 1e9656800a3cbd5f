"""What there is of each corpus on this machine, as plain dicts."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from . import amazon, caltech256, newsgroups, office_caltech, reuters, reuters_crossdomain, sraa
from .cache import CorpusNotFound, Source, directions, find
from .corpus import Corpus
from .reading import CorpusDamaged


def summarize() -> list[dict[str, Any]]:
    """One dict a corpus: name, title, found, place, documents, groups (a count each), terms, problem.

    A corpus is read in order to be counted. `problem` is what is wrong with one that is there and cannot be read.
    """
    return [summary(source, count) for source, count in CORPORA.values()]


def where(name: str) -> str:
    """What to put where, for the corpus of this name."""
    if name not in CORPORA:
        raise ValueError(f"name must be one of {', '.join(CORPORA)}; got {name!r}.")
    source, _ = CORPORA[name]
    return f"{source.title}\n{directions(source)}"


def summary(source: Source, count: Callable[[], tuple[int, dict[str, int]]]) -> dict[str, Any]:
    documents, groups, problem = None, dict[str, int](), None
    try:
        place = find(source)
    except CorpusNotFound:
        place = None
    else:
        try:
            documents, groups = count()
        except CorpusDamaged as error:
            problem = str(error)
    return {
        "name": source.name,
        "title": source.title,
        "found": place is not None,
        "place": place and str(place),
        "documents": documents,
        "groups": groups,
        "terms": source.licence,
        "problem": problem,
    }


def count_texts(load: Callable[[], Corpus], *fields: str) -> tuple[int, dict[str, int]]:
    """Texts, and how many different values each field has."""
    corpus = load()
    return len(corpus.texts), {plural(field): len(different(corpus.fields[field])) for field in fields}


def different(values: Any) -> set[str]:
    return set(chain.from_iterable(values) if values.dtype == object else values)


def plural(field: str) -> str:
    return field if field in reuters.HIERARCHIES else f"{field}s"


def count_crossdomain() -> tuple[int, dict[str, int]]:
    tasks = [reuters_crossdomain.load_reuters_crossdomain(task) for task in reuters_crossdomain.TASKS]
    return sum(len(task.ys) + len(task.yt) for task in tasks), {"tasks": len(tasks)}


def count_office() -> tuple[int, dict[str, int]]:
    domains = [office_caltech.load_office_caltech(domain) for domain in office_caltech.FILES]
    classes = set(chain.from_iterable(images.labels for images in domains))
    return sum(len(images.labels) for images in domains), {"domains": len(domains), "classes": len(classes)}


def count_caltech256() -> tuple[int, dict[str, int]]:
    files = caltech256.load_caltech256()
    return len(files.paths), {"categories": len(set(files.labels))}


CORPORA: dict[str, tuple[Source, Callable[[], tuple[int, dict[str, int]]]]] = {
    source.name: (source, count)
    for source, count in (
        (newsgroups.SOURCE, lambda: count_texts(newsgroups.load_newsgroups, "group")),
        (reuters.SOURCE, lambda: count_texts(reuters.load_reuters, *reuters.HIERARCHIES)),
        (reuters_crossdomain.SOURCE, count_crossdomain),
        (sraa.SOURCE, lambda: count_texts(sraa.load_sraa, "group")),
        (amazon.SOURCE, lambda: count_texts(amazon.load_amazon, "domain", "label")),
        (office_caltech.SOURCE, count_office),
        (caltech256.SOURCE, count_caltech256),
    )
}
