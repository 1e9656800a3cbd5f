"""Functions that make a task from the documents of one corpus, and the recipes that several tables use."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..datasets import amazon, domains, newsgroups, reuters, reuters_crossdomain, sraa
from ..datasets.cache import Source
from . import pools
from .splits import OneDomain, Part, TwoDomains, by_groups, other_classes, same_classes
from .task import Recipe, Task

# The tables of CDSC, TCL and GCMF have the idf of the textbooks of their time, the others that of labelferry's vectors:
# the papers of RSP and the hybrid graph do not mention tf-idf, nor does GCMF's, whose tasks are those of TCL.
TFIDF = Recipe(idf="plain")
SHORT_DROPPED = Recipe(min_words=3, idf="plain")
OF_TARGET = Recipe(min_words=3, over="target")
MATRICES = Recipe(min_df=0, idf="plain")
OWN = Recipe()
OWN_SHORT_DROPPED = Recipe(min_words=3)
IMAGES = Recipe(min_df=0, weighting="root")
REUTERS_PAIRS = ("orgs vs people", "orgs vs places", "people vs places")
GOODS = ("books", "dvd", "electronics", "kitchen")

newsgroups_task = partial(Task, corpora=(newsgroups.SOURCE,), pool=pools.newsgroups)
sraa_task = partial(Task, corpora=(sraa.SOURCE,), pool=pools.sraa)
reviews_task = partial(Task, corpora=(amazon.SOURCE,), pool=pools.amazon, recipe=OWN)
stories_task = partial(Task, corpora=(reuters.SOURCE,), pool=pools.reuters)
clusters_task = partial(Task, sampled=True, recipe=OF_TARGET, scored="purity")


def reuters_task(name: str, pair: str, *, turned: bool = False, drop_repeated: bool = False, **settings: Any) -> Task:
    """Make a task of a pair of the ready-made Reuters matrices.

    `**settings`: settings of `by_groups`, such as `draw`. With any of them, documents with fewer than three words
    are dropped.
    """
    first, second = ("target", "source") if turned else ("source", "target")
    classes: TwoDomains = {label: ((f"{first} {label}",), (f"{second} {label}",)) for label in pair.split(" vs ")}
    return Task(
        name,
        corpora=(reuters_crossdomain.SOURCE,),
        pool=partial(pools.reuters_matrices, pair=pair),
        split=partial(by_groups, parts=same_classes(classes), **settings),
        recipe=SHORT_DROPPED if settings else MATRICES,
        sampled=bool(settings),
        drop_repeated=drop_repeated,
    )


def domains_task(name: str, corpus: str, **settings: Any) -> Task:
    """Make a task of a corpus with domains, with documents drawn by seed."""
    file = Source(
        corpus,
        corpus,
        "load_domains",
        domains.FOLDER,
        (f"{corpus}{domains.SUFFIX}",),
        (),
        "see the documentation of `load_domains`",
        "those of its authors",
    )
    return Task(name, corpora=(file,), pool=pools.domains, recipe=OWN, sampled=True, **settings)


def domains_parts(sources: tuple[str, ...], target: str, classes: tuple[str, ...]) -> list[Part]:
    """List the classes of the sources and of the target of a corpus with domains."""
    sides = (("source", sources), ("target", (target,)))
    return [
        Part(side, label, (f"{domain}: {label}",)) for side, names in sides for domain in names for label in classes
    ]


def reviews_parts(source: str, target: str) -> list[Part]:
    """List the positive and negative reviews of two kinds of goods."""
    return same_classes({label: ((f"{source} {label}",), (f"{target} {label}",)) for label in ("positive", "negative")})


def one_group_per_class(source: str, target: str, prefix: str = "") -> list[Part]:
    """List the parts of a task such as "a vs b from c + d", in which each class is the group of the same name."""

    def domain(labels: list[str]) -> OneDomain:
        return {label: (prefix + label,) for label in labels}

    return other_classes(domain(source.split(" + ")), domain(target.split(" vs ")))
