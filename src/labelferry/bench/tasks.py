"""The tasks of the five papers, and ours, by name: `TASKS["gcmf/rec vs sci"].load(seed=0)`.

| table | tasks | documents | words |
|---|---|---|---|
| cdsc | CDSC's Table 1 | 250 a class and domain, by seed; Reuters as matrices | min_df 3, tf-idf |
| cdsc-sgml | its Reuters tasks, from the texts | likewise | likewise |
| cdsc-500 | its newsgroup tasks | at most 500 a class and domain, by seed | min_df 3, counts |
| cdsc-size | comp vs sci, as in its Figure 5 | the first 100, ..., 500 of the source | min_df 3, tf-idf |
| hybrid | Table 3 of the hybrid graph's paper | at most 500 a class and domain, by seed | min_df 3, tf-idf |
| hybrid-counts | the same, for methods that weigh counts themselves | likewise | min_df 3, counts |
| rsp | RSP's Tables 1 and 2 | at most 1,500 a class and domain, by seed; images: all | min_df 3, tf-idf |
| rsp-office | like its Table 2, on Office-Caltech10 | all | visual: square roots, unit length |
| gcmf | GCMF's Table 2, and Reuters as matrices | all | min_df 3, tf-idf |
| tcl | TCL's Table 1, Reuters as matrices | all; of SRAA at most 3,000 a group, by seed | min_df 15, tf-idf |
| shift | the six newsgroup tasks of gcmf, uneven | the target 9:1 or 1:9, by seed | min_df 3, tf-idf |
| amazon | the twelve ordered pairs of goods | all | with pairs of words, min_df 3, tf-idf |
| amazon-uneven | the same, uneven | the target 4:1 or 1:4, by seed | likewise |
| reuters | the matrices in both directions | all | tf-idf |
| four | four classes of gcmf at once | all | min_df 3, tf-idf |

"9:1" is first class to second, as the task names them, "4:1" positive to negative: the one is cut to that share of the
other. tf-idf is (1 + log tf) idf with rows of unit length. min_df counts the documents of the task, for tcl those of
the corpus (SRAA: 10, and only articles of 20 words or more are drawn). In the tables of CDSC, the hybrid graph and RSP
documents with fewer than three words are dropped.

Departures
----------
- Headers of articles are stripped, words are of letters only and not stemmed (CDSC stems), the stop words are those of
  scikit-learn. No paper publishes its vocabulary. TCL's has 13,781 words; ours has 13,541, with headers it had 14,354.
- The hybrid graph's paper does not say how many documents it draws.
- TCL's SRAA has "around 3,000" documents a group, and 13,472 in all.
- RSP draws "around 1,500" documents a class; many newsgroups, and all of Reuters' classes, have fewer.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import permutations
from typing import Any

from ..datasets import amazon, caltech256, newsgroups, office_caltech, reuters, reuters_crossdomain, sraa
from . import groups, pools, splits
from .groups import OneDomain, TwoDomains
from .splits import at_most, by_groups, exactly, other_classes, same_classes
from .task import Loaded, Recipe, Task

__all__ = ["TABLES", "TASKS", "Loaded", "Task", "missing", "tasks_here", "tasks_of"]


def tasks_of(table: str) -> list[str]:
    """The names of a table's tasks, in its order."""
    if table not in TABLES:
        raise ValueError(f"table must be one of {', '.join(TABLES)}; got {table!r}.")
    return [name for name, task in TASKS.items() if task.table == table]


def tasks_here(table: str) -> list[str]:
    """Those whose corpora are on this machine."""
    return [name for name in tasks_of(table) if missing(name) is None]


def missing(name: str) -> str | None:
    """The files of a task's corpora that are not on this machine; None where all are."""
    return TASKS[name].missing()


TFIDF = Recipe()
SHORT_DROPPED = Recipe(min_words=3)
COUNTS = Recipe(weighting="counts", min_words=3)
MATRICES = Recipe(min_df=0)
REUTERS = ("orgs vs people", "orgs vs places", "people vs places")
GOODS = ("books", "dvd", "electronics", "kitchen")

_news = partial(Task, corpora=(newsgroups.SOURCE,), pool=pools.newsgroups)
_sraa = partial(Task, corpora=(sraa.SOURCE,), pool=pools.sraa)
_goods = partial(Task, corpora=(amazon.SOURCE,), pool=pools.amazon, recipe=TFIDF)
_stories = partial(Task, corpora=(reuters.SOURCE,), pool=pools.reuters)
_clusters = partial(Task, sampled=True, recipe=SHORT_DROPPED, scored="purity")


def _reuters(name: str, pair: str, *, turned: bool = False, **settings: Any) -> Task:
    """A pair from the ready-made matrices."""
    first, second = ("target", "source") if turned else ("source", "target")
    classes: TwoDomains = {label: ((f"{first} {label}",), (f"{second} {label}",)) for label in pair.split(" vs ")}
    split = partial(by_groups, parts=same_classes(classes), **settings)
    return Task(
        name,
        corpora=(reuters_crossdomain.SOURCE,),
        pool=partial(pools.reuters_matrices, pair=pair),
        split=split,
        recipe=SHORT_DROPPED if settings else MATRICES,
        sampled=bool(settings),
    )


def _cdsc() -> Iterable[Task]:
    draw = partial(exactly, n=250)
    sample: dict[str, Any] = {"recipe": SHORT_DROPPED, "sampled": True}
    for name, classes in groups.CDSC_SRAA.items():
        yield _sraa(f"cdsc/{name}", split=partial(by_groups, parts=same_classes(classes), draw=draw), **sample)
    for name, classes in groups.CDSC_TABLE_1.items():
        yield _news(f"cdsc/{name}", split=partial(by_groups, parts=same_classes(classes), draw=draw), **sample)
    for pair in REUTERS:
        yield _reuters(f"cdsc/{pair}", pair, draw=draw)
    for pair in REUTERS:
        yield _stories(f"cdsc-sgml/{pair}", split=partial(splits.reuters_pair, pair=pair, n=250), **sample)
    for name, classes in groups.CDSC_TABLE_1.items():
        split = partial(by_groups, parts=same_classes(classes), draw=partial(at_most, n=500))
        yield _news(f"cdsc-500/{name}", split=split, recipe=COUNTS, sampled=True)
    for n in (100, 200, 300, 400, 500):
        parts = same_classes(groups.CDSC_TABLE_1["comp vs sci"])
        split = partial(splits.fewer_sources, parts=parts, draw=draw, n=n // 2)
        yield _news(f"cdsc-size/comp vs sci {n}", split=split, **sample)


def _hybrid() -> Iterable[Task]:
    for name, classes in groups.pairs(groups.HYBRID_TABLE_3).items():
        split = partial(by_groups, parts=same_classes(classes), draw=partial(at_most, n=500))
        yield _news(f"hybrid/{name}", split=split, recipe=COUNTS._replace(weighting="tfidf"), sampled=True)
        yield _news(f"hybrid-counts/{name}", split=split, recipe=COUNTS, sampled=True)


def _rsp() -> Iterable[Task]:
    draw = partial(at_most, n=1500)
    for name, source in groups.RSP_TABLE_1.items():
        yield _clusters(
            f"rsp/comp vs rec from {name}",
            corpora=(newsgroups.SOURCE,),
            pool=pools.newsgroups,
            split=partial(by_groups, parts=other_classes(source, groups.RSP_COMP_REC), draw=draw),
            same_classes=set(source) == set(groups.RSP_COMP_REC),
        )
    pair = partial(_clusters, corpora=(reuters.SOURCE,), pool=pools.reuters)
    yield pair("rsp/orgs vs people from orgs + people", split=partial(splits.reuters_pair, pair="orgs vs people"))
    yield pair(
        "rsp/orgs vs people from places + people + orgs", split=splits.orgs_people_from_three, same_classes=False
    )
    yield _clusters(
        "rsp/orgs vs people from crypt + med + guns",
        corpora=(reuters.SOURCE, newsgroups.SOURCE),
        pool=pools.reuters_and_newsgroups,
        split=partial(splits.orgs_people_from, source=groups.RSP_TABLE_1["crypt + med + guns"], n=1500),
        same_classes=False,
    )
    images: dict[str, Any] = {"recipe": Recipe(min_df=0, weighting="root"), "same_classes": False, "sampled": False}
    for target, choices in groups.RSP_TABLE_2.items():
        for classes in choices:
            yield _clusters(
                f"rsp/{target} from {classes}",
                corpora=(caltech256.SOURCE,),
                pool=partial(pools.caltech256, classes=(*classes.split(" + "), *target.split(" vs "))),
                split=partial(by_groups, parts=_named_alike(classes, target)),
                **images,
            )
    for target, choices in groups.OFFICE.items():
        for classes in choices:
            yield _clusters(
                f"rsp-office/{target} from {classes}",
                corpora=(office_caltech.SOURCE,),
                pool=pools.office_caltech,
                split=partial(by_groups, parts=_named_alike(classes, target, "caltech ")),
                **images,
            )


def _named_alike(source: str, target: str, prefix: str = "") -> list[splits.Part]:
    """Classes that are one group each, of the class's own name."""

    def domain(labels: list[str]) -> OneDomain:
        return {label: (prefix + label,) for label in labels}

    return other_classes(domain(source.split(" + ")), domain(target.split(" vs ")))


def _factorizations() -> Iterable[Task]:
    pairs = groups.pairs(groups.GCMF_TABLE_2)
    for name, classes in pairs.items():
        yield _news(f"gcmf/{name}", split=partial(by_groups, parts=same_classes(classes)), recipe=TFIDF)
    for pair in REUTERS:
        yield _reuters(f"gcmf/{pair}", pair)
    for name, classes in groups.TCL_SRAA.items():
        split = partial(by_groups, parts=same_classes(classes), draw=partial(at_most, n=3000), min_length=20)
        yield _sraa(f"tcl/{name}", split=split, recipe=Recipe(min_df=10, over="corpus"), sampled=True)
    for name, classes in pairs.items():
        split = partial(by_groups, parts=same_classes(classes))
        yield _news(f"tcl/{name}", split=split, recipe=Recipe(min_df=15, over="corpus"))
    for pair in REUTERS:
        yield _reuters(f"tcl/{pair}", pair)


def _ours() -> Iterable[Task]:
    for name, classes in groups.pairs(groups.GCMF_TABLE_2).items():
        first, second = classes
        for ratio, cut in (("9:1", second), ("1:9", first)):
            split = partial(splits.uneven, parts=same_classes(classes), cut=cut, share=1 / 9)
            yield _news(f"shift/{name} {ratio}", split=split, recipe=TFIDF, sampled=True)
    for goods in permutations(GOODS, 2):
        yield _goods(f"amazon/{' to '.join(goods)}", split=partial(by_groups, parts=_reviews(*goods)))
    for goods in permutations(GOODS, 2):
        for ratio, cut in (("4:1", "negative"), ("1:4", "positive")):
            split = partial(splits.uneven, parts=_reviews(*goods), cut=cut, share=1 / 4)
            yield _goods(f"amazon-uneven/{' to '.join(goods)} {ratio}", split=split, sampled=True)
    for pair in REUTERS:
        yield _reuters(f"reuters/{pair}", pair)
        yield _reuters(f"reuters/{pair} turned", pair, turned=True)
    split = partial(by_groups, parts=same_classes(groups.GCMF_TABLE_2))
    yield _news("four/comp + rec + sci + talk", split=split, recipe=TFIDF)


def _reviews(source: str, target: str) -> list[splits.Part]:
    return same_classes({label: ((f"{source} {label}",), (f"{target} {label}",)) for label in ("positive", "negative")})


TASKS: dict[str, Task] = {task.name: task for make in (_cdsc, _hybrid, _rsp, _factorizations, _ours) for task in make()}
TABLES = tuple(dict.fromkeys(task.table for task in TASKS.values()))
