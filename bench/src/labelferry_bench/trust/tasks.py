"""The tasks of the trust bench: a fixed, seeded list over all corpora, and traps that must never be called safe.

Ordinary tasks are pairs of domains, several sources, natural and artificial class proportions (one class against 4, 9
or 19 of each other class, in the source, in the target, in both, or opposite), 2 to 20 classes and 100 to 5,000
documents per side. Traps are sources with shuffled labels, targets in another language, target classes that the source
lacks, targets with copies, and Chinese split into words at spaces.

Every corpus with the columns text, label and domain gets the same plan (`plan_domains`), also a file of your own. One
text setting for all corpora: words of two characters or more, no stop words removed, words in two documents or more,
sublinear tf-idf; for Chinese, pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from labelferry.text import strip_headers

from ..datasets import load_amazon, load_newsgroups
from ..datasets.corpus import Corpus
from ..datasets.domains import domain_corpora, load_domains
from ..papers.pools import Array
from ..papers.tasks import TASKS

TOP_LEVELS = ("comp", "rec", "sci", "talk")
CHINESE = re.compile("[\u4e00-\u9fff]")
PLAIN = "plain"
MIN_PER_CLASS = 5  # a class with fewer documents in the source is dropped on both sides
DROPPED_WORDS = 0.08  # share of the words that a near-copy lacks


class Rare(NamedTuple):
    """One class against `ratio` documents of each other class."""

    position: int  # of the class, in alphabetical order
    ratio: int


class TaskData(NamedTuple):
    """A task as matrices. The code of a class that the source lacks is the number of classes."""

    Xs: sp.csr_array
    ys: Array
    source_of: Array  # number of the source of each row
    Xt: sp.csr_array
    yt: Array
    classes: Array
    texts: list[str] | None = None  # of the source, then of the target; None if the corpus has matrices only


class TaskTexts(NamedTuple):
    """A task as texts; codes as in TaskData."""

    source: list[str]
    ys: Array
    source_of: Array
    target: list[str]
    yt: Array
    classes: Array


@dataclass(frozen=True)
class TrustTask:
    """One transfer, drawn with its own seed."""

    name: str  # name with its corpus: "youtube_spam/Psy to Eminem"
    corpus: str  # the corpus that it counts for
    kind: str = PLAIN  # "plain", or the kind of trap
    group: str = ""  # a group of tasks that is reported on its own
    table_task: str = ""  # name of a task of `labelferry_bench.papers.tasks` to take the documents from
    data: str = ""  # corpus to read, if it is not a table task
    sources: tuple[str, ...] = ()  # domains
    target: str = ""  # domains
    n_source: int = 2000  # largest number of documents
    n_target: int = 2000  # largest number of documents
    rare_source: Rare | None = None  # a class that is made rare
    rare_target: Rare | None = None  # a class that is made rare
    shuffled: bool = False  # whether the labels of the source are shuffled
    foreign: str = ""  # corpus that the target domain is read from instead
    missing_class: str = ""  # class that the source lacks, a third of the target
    copies: int = 1  # how often each target document occurs
    near_copies: bool = False  # whether copies lack some words
    split_at_spaces: bool = False  # whether Chinese is split into words at spaces

    def load(self) -> TaskData:
        """Draw the documents and make the matrices."""
        rng = np.random.default_rng(crc32(self.name.encode()))
        data = self._from_table(rng) if self.table_task else self._from_corpus(rng)
        return data._replace(ys=rng.permutation(data.ys)) if self.shuffled else data

    def _from_table(self, rng: np.random.Generator) -> TaskData:
        table = TASKS[self.table_task].load(0)
        classes = np.unique(table.ys)
        ys, yt = (np.searchsorted(classes, y) for y in (table.ys, table.yt))
        codes = np.arange(len(classes))
        rows_s = np.sort(draw(rng, ys, codes, self.n_source, self.rare_source))
        rows_t = np.sort(draw(rng, yt, codes, self.n_target, self.rare_target))
        Xs, Xt = keep_used_words(sp.csr_array(table.Xs)[rows_s], sp.csr_array(table.Xt)[rows_t])
        texts = None
        if table.ids is not None:
            text_of = texts_by_id(self.corpus)
            texts = [text_of[str(i)] for ids, rows in zip(table.ids, (rows_s, rows_t), strict=True) for i in ids[rows]]
        return TaskData(Xs, ys[rows_s], np.zeros(len(rows_s), dtype=int), Xt, yt[rows_t], classes, texts)

    def texts(self) -> TaskTexts:
        """The same documents as texts; of a task of a table there are none."""
        return self._texts(np.random.default_rng(crc32(self.name.encode())))

    def _from_corpus(self, rng: np.random.Generator) -> TaskData:
        d = self._texts(rng)
        chinese = bool(CHINESE.search(d.source[0]))
        Xs, Xt = vectorize(d.source, d.target, pairs=chinese and not self.split_at_spaces)
        return TaskData(Xs, d.ys, d.source_of, Xt, d.yt, d.classes, d.source + d.target)

    def _texts(self, rng: np.random.Generator) -> TaskTexts:
        corpus = read_corpus(self.data)
        labels, domains = corpus.fields["label"], corpus.fields["domain"]
        in_source = np.isin(domains, self.sources) & (labels != self.missing_class)
        names, counts = np.unique(labels[in_source], return_counts=True)
        classes = names[counts >= MIN_PER_CLASS]
        pool = np.flatnonzero(in_source & np.isin(labels, classes))
        rows = pool[draw(rng, labels[pool], classes, self.n_source, self.rare_source)]
        texts, target_labels = self._target(rng, corpus, classes)
        known = np.isin(target_labels, classes)
        yt = np.where(known, np.searchsorted(classes, target_labels), len(classes))
        source_of = np.unique(domains[rows], return_inverse=True)[1]
        ys = np.searchsorted(classes, labels[rows])
        return TaskTexts([corpus.texts[i] for i in rows], ys, source_of, texts, yt, classes)

    def _target(self, rng: np.random.Generator, corpus: Corpus, classes: Array) -> tuple[list[str], Array]:
        if self.foreign:
            corpus = read_corpus(self.foreign)
        labels = corpus.fields["label"]
        pool = np.flatnonzero(corpus.fields["domain"] == self.target)
        old = pool[np.isin(labels[pool], classes)]
        if self.missing_class:
            new = pool[labels[pool] == self.missing_class]
            n_new = min(self.n_target // 3, len(new), len(old) // 2)
            rows = np.concatenate([rng.permutation(new)[:n_new], rng.permutation(old)[: 2 * n_new]])
        else:
            rows = old[draw(rng, labels[old], classes, self.n_target, self.rare_target)]
        texts = [copy for i in rows for copy in self._copies(rng, corpus.texts[i])]
        return texts, np.repeat(labels[rows], self.copies)

    def _copies(self, rng: np.random.Generator, text: str) -> Iterator[str]:
        yield text
        for _ in range(self.copies - 1):
            yield " ".join(w for w in text.split() if rng.random() > DROPPED_WORDS) if self.near_copies else text


def draw(rng: np.random.Generator, y: Array, classes: Array, n: int, rare: Rare | None) -> Array:
    """Positions of at most n rows with labels y: in natural proportions, or with one class made rare."""
    by_class = [rng.permutation(np.flatnonzero(y == c)) for c in classes]
    sizes = np.array([len(rows) for rows in by_class], dtype=float)
    if rare is None:
        wanted = np.maximum(2, np.round(sizes / sizes.sum() * min(n, sizes.sum())))
    else:
        weights = np.full(len(classes), float(rare.ratio))
        weights[rare.position % len(classes)] = 1.0
        weights = np.where(sizes > 0, weights, 0) / weights[sizes > 0].sum()
        total = min(n, int((sizes[weights > 0] / weights[weights > 0]).min()))
        wanted = np.maximum(1, np.round(weights * total))
    counts = np.minimum(wanted, sizes).astype(int)
    return rng.permutation(np.concatenate([rows[:k] for rows, k in zip(by_class, counts, strict=True)]))


def vectorize(source: Sequence[str], target: Sequence[str], *, pairs: bool) -> tuple[sp.csr_array, sp.csr_array]:
    """tf-idf with one vocabulary; `pairs`: of characters instead of words."""
    kind: dict[str, Any] = {"analyzer": "char", "ngram_range": (2, 2)} if pairs else {}
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, dtype=np.float32, **kind)
    X = sp.csr_array(vectorizer.fit_transform([*source, *target]))
    return X[: len(source)], X[len(source) :]


def keep_used_words(Xs: sp.csr_array, Xt: sp.csr_array) -> tuple[sp.csr_array, sp.csr_array]:
    """Drop the words that are in fewer than two of the documents."""
    used = sum(np.bincount(X.indices, minlength=X.shape[1]) for X in (Xs, Xt)) >= 2
    return Xs[:, used], Xt[:, used]


@lru_cache(maxsize=2)
def texts_by_id(corpus: str) -> dict[str, str]:
    """The texts of the documents of a table task, by the names that `Loaded.ids` has."""
    if corpus == "amazon":
        reviews = load_amazon()
        return dict(zip(reviews.fields["id"].tolist(), reviews.texts, strict=True))
    articles = load_newsgroups()
    names = zip(articles.fields["group"].tolist(), articles.fields["id"].tolist(), strict=True)
    return {f"{g}/{i}": strip_headers(text) for (g, i), text in zip(names, articles.texts, strict=True)}


@lru_cache(maxsize=3)
def read_corpus(name: str) -> Corpus:
    """A corpus with the fields label and domain. Newsgroups have several forms, see `plan_newsgroups`."""
    form, _, seed = name.partition(":")
    if form == "amazon":
        return load_amazon()
    if form != "newsgroups":
        return load_domains(name)
    articles = load_newsgroups()
    groups, split = articles.fields["group"], articles.fields["split"]
    texts = [strip_headers(text) for text in articles.texts]
    if seed == "bydate":
        return Corpus(name, texts, {"label": groups, "domain": split})
    top = np.array([group.partition(".")[0] for group in groups])
    rng = np.random.default_rng(int(seed))
    half: dict[str, str] = {}
    for level in TOP_LEVELS:
        members = rng.permutation(np.unique(groups[top == level])).tolist()
        half |= {group: "A" if i < len(members) // 2 else "B" for i, group in enumerate(members)}
    rows = np.flatnonzero(np.isin(top, TOP_LEVELS))
    domain = np.array([half[group] for group in groups[rows]])
    return Corpus(name, [texts[i] for i in rows], {"label": top[rows], "domain": domain})


# -- the plan ---------------------------------------------------------------------------------------------------------
def all_tasks(corpora: Sequence[str] | None = None) -> list[TrustTask]:
    """All ordinary tasks and traps in an order that mixes the corpora.

    Those of the given corpora, built-in names or files with domains; or of all on this machine.
    """
    built_in = {"newsgroups": plan_newsgroups, "reuters": plan_reuters, "amazon": plan_amazon}
    plain: list[TrustTask] = []
    for name in [*built_in, *domain_corpora()] if corpora is None else corpora:
        plain += built_in[name]() if name in built_in else plan_domains(name)
    names = {t.corpus for t in plain}
    return [*mixed(plain), *(t for t in plan_traps() if {t.corpus, t.foreign or t.corpus} <= names)]


def mixed(tasks: Sequence[TrustTask]) -> list[TrustTask]:
    """The tasks ordered so that every part of the list has tasks of all corpora."""
    total: dict[str, int] = {}
    for task in tasks:
        total[task.corpus] = total.get(task.corpus, 0) + 1
    seen: dict[str, int] = {}
    ranks = []
    for task in tasks:
        ranks.append(seen.setdefault(task.corpus, 0) / total[task.corpus])
        seen[task.corpus] += 1
    return [tasks[i] for i in np.argsort(ranks, kind="stable")]


def plan_newsgroups() -> Iterator[TrustTask]:
    """The six tasks of the papers, the same with the target shifted 9:1, and splits into 4 and 20 classes."""
    for a, b in combinations(TOP_LEVELS, 2):
        for group, task in (("six", f"gcmf/{a} vs {b}"), ("shifted 9:1", f"shift/{a} vs {b} 9:1")):
            yield TrustTask(
                f"newsgroups/{group} {a} {b}", "newsgroups", group=group, table_task=task, n_source=9999, n_target=9999
            )
    bydate = TrustTask("", "newsgroups", data="newsgroups:bydate", sources=("train",), target="test")
    yield replace(bydate, name="newsgroups/20 groups", n_source=3000, n_target=3000)
    yield replace(bydate, name="newsgroups/20 groups, few", n_source=600, n_target=1000)
    plans = (
        (2000, None, None),
        (2000, Rare(1, 9), None),
        (2000, Rare(2, 9), Rare(2, 9)),
        (1500, Rare(0, 19), Rare(3, 19)),
        (200, None, None),
        (4000, None, None),
    )
    for i, (n, source, target) in enumerate(plans):
        yield TrustTask(
            f"newsgroups/four classes {i}",
            "newsgroups",
            data=f"newsgroups:{i}",
            sources=("A",),
            target="B",
            n_source=n,
            n_target=max(n, 1000),
            rare_source=source,
            rare_target=target,
        )
    uneven = (
        ("comp", "sci", Rare(1, 9), Rare(0, 9)),
        ("rec", "talk", Rare(0, 19), Rare(0, 19)),
        ("sci", "talk", Rare(1, 4), Rare(1, 4)),
        ("comp", "rec", Rare(0, 9), None),
    )
    for i, (a, b, source, target) in enumerate(uneven):
        yield _uneven_table_task("newsgroups", f"gcmf/{a} vs {b}", i, source, target)


def plan_reuters() -> Iterator[TrustTask]:
    """Both directions of the three cross-domain tasks, and five with uneven classes."""
    pairs = ("orgs vs people", "orgs vs places", "people vs places")
    for pair in pairs:
        for turned in ("", " turned"):
            task = f"reuters/{pair}{turned}"
            yield TrustTask(task, "reuters", group="reuters", table_task=task, n_source=9999, n_target=9999)
    uneven = (
        (pairs[0], Rare(0, 4), None),
        (pairs[1], None, Rare(1, 9)),
        (pairs[2], Rare(0, 4), Rare(0, 4)),
        (f"{pairs[1]} turned", Rare(0, 4), Rare(1, 4)),
        (f"{pairs[0]} turned", Rare(1, 9), Rare(1, 9)),
    )
    for i, (pair, source, target) in enumerate(uneven):
        yield replace(_uneven_table_task("reuters", f"reuters/{pair}", i, source, target), n_source=900, n_target=900)


def _uneven_table_task(corpus: str, task: str, i: int, source: Rare | None, target: Rare | None) -> TrustTask:
    return TrustTask(
        f"{corpus}/{task.partition('/')[2]} uneven {i}",
        corpus,
        table_task=task,
        n_source=1500,
        n_target=1500,
        rare_source=source,
        rare_target=target,
    )


def plan_amazon() -> Iterator[TrustTask]:
    """All twelve pairs, and five with uneven classes or few documents."""
    for a, b in permutations(("books", "dvd", "electronics", "kitchen"), 2):
        task = f"amazon/{a} to {b}"
        yield TrustTask(task, "amazon", group="amazon", table_task=task, n_source=9999, n_target=9999)
    plans = (
        ("books", "kitchen", 1000, Rare(0, 9), None),
        ("dvd", "books", 1000, None, Rare(1, 9)),
        ("kitchen", "electronics", 1000, Rare(0, 4), Rare(0, 4)),
        ("electronics", "dvd", 1000, Rare(0, 4), Rare(1, 4)),
        ("kitchen", "books", 150, None, None),
    )
    for i, (a, b, n, source, target) in enumerate(plans):
        yield TrustTask(
            f"amazon/{a} to {b} uneven {i}",
            "amazon",
            data="amazon",
            sources=(a,),
            target=b,
            n_source=n,
            n_target=max(n, 500),
            rare_source=source,
            rare_target=target,
        )


def plan_domains(name: str) -> Iterator[TrustTask]:
    """Eleven tasks of a corpus with domains; those of crisis tweets include the six pairs that are reported.

    Only domains with at least two common classes are paired.
    """
    corpus, data = load_domains(name), name
    name = corpus.name
    domains, n_classes = np.unique(corpus.fields["domain"]).tolist(), len(np.unique(corpus.fields["label"]))
    rng = np.random.default_rng(crc32(name.encode()))
    pairs = [pair for pair in rng.permutation(list(permutations(domains, 2))).tolist() if n_common(corpus, *pair) > 1]
    if not pairs:
        raise ValueError(
            f"{name}: no two domains have two classes in common with at least {MIN_PER_CLASS} documents each. Give "
            "domains (column 'domain') that share their labels."
        )
    rare = int(rng.integers(n_classes))
    other = rare + 1
    plans: list[tuple[int, int, Rare | None, Rare | None, int]] = [
        (2000, 2000, None, None, 1),
        (2000, 2000, None, None, 1),
        (300, 1000, None, None, 1),
        (2000, 1500, None, None, 3),
        (1500, 1500, Rare(rare, 4), None, 1),
        (1500, 1500, None, Rare(other, 9), 1),
        (1500, 1500, Rare(rare, 4), Rare(rare, 4), 1),
        (1500, 1500, Rare(rare, 4), Rare(other, 4), 1),
        (2000, 2000, Rare(rare, 19), Rare(rare, 19), 1),
        (100, 400, None, None, 1),
        (5000, 5000, None, None, 1),
    ]
    if name == "crisislex_t6":
        for a, b in zip(domains, [*domains[1:], domains[0]], strict=True):
            yield TrustTask(f"{name}/{a} to {b}", name, group="crisis six", data=data, sources=(a,), target=b)
        plans = plans[3:]
    if max(np.bincount(np.searchsorted(domains, corpus.fields["domain"]))) < 5000:
        plans = plans[:-1]
    for i, (n_source, n_target, source, target, n_sources) in enumerate(plans):
        a, b = pairs[i % len(pairs)]
        others = [d for d in rng.permutation(domains).tolist() if d != b]
        yield TrustTask(
            f"{name}/{i} {'+'.join(others[:n_sources]) if n_sources > 1 else a} to {b}",
            name,
            data=data,
            sources=tuple(others[:n_sources]) if n_sources > 1 else (a,),
            target=b,
            n_source=n_source,
            n_target=n_target,
            rare_source=source,
            rare_target=target,
        )


def n_common(corpus: Corpus, source: str, target: str) -> int:
    """Number of classes with at least MIN_PER_CLASS documents in both domains."""
    labels, domains = corpus.fields["label"], corpus.fields["domain"]
    names, codes = np.unique(labels, return_inverse=True)
    counts = [np.bincount(codes[domains == d], minlength=len(names)) for d in (source, target)]
    return int((np.minimum(*counts) >= MIN_PER_CLASS).sum())


def plan_traps() -> Iterator[TrustTask]:
    """Tasks on which no answer can be trusted, or that are hard to judge."""
    shuffled = (
        ("crisislex_t6", "2012_Sandy_Hurricane", "2013_Alberta_Floods"),
        ("youtube_spam", "Psy", "Eminem"),
        ("shopping_zh", "hotel", "books"),
        ("fdu_mtl_reviews", "books", "dvd"),
        ("news_topics", "bbc", "agnews"),
        ("satd_1to3", "argouml", "jruby-1.4.0"),
    )
    for name, a, b in shuffled:
        task = _trap(f"shuffled/{name}", name, "shuffled labels", a, b)
        yield replace(task, shuffled=True)
    comp = TrustTask(
        "shuffled/newsgroups", "newsgroups", "shuffled labels", table_task="gcmf/comp vs rec", shuffled=True
    )
    yield replace(comp, n_source=1000, n_target=1000)
    reviews, shops = "fdu_mtl_reviews", "shopping_zh"
    for a, b in (("books", "books"), ("electronics", "computer"), ("imdb", "hotel")):
        yield replace(_trap(f"foreign/{a} {b}", reviews, "foreign", a, b), foreign=shops)
    yield replace(_trap("foreign/zh en", shops, "foreign", "hotel", "kitchen_housewares"), foreign=reviews)
    for a, b in (("hotel", "books"), ("tablet", "phone"), ("fruit", "shampoo")):
        yield replace(_trap(f"no spaces/{a} {b}", shops, "no spaces", a, b), split_at_spaces=True)
    yield from _missing_classes()
    repeated = (
        ("crisislex_t6", "2013_Boston_Bombings", "2013_Oklahoma_Tornado"),
        (reviews, "music", "baby"),
        ("github_issues", "facebook_react", "opencv_opencv"),
        ("stance_semeval16", "atheism", "donald_trump"),
    )
    for name, a, b in repeated:
        for copies, near in ((3, False), (12, False), (4, True)):
            kind = f"{copies} near copies" if near else f"{copies} copies"
            task = _trap(f"copies/{name} {kind}", name, "copies", a, b)
            yield replace(task, n_target=300, copies=copies, near_copies=near)


def _trap(name: str, corpus: str, kind: str, source: str, target: str) -> TrustTask:
    return TrustTask(name, corpus, kind, data=corpus, sources=(source,), target=target, n_source=1000, n_target=1000)


def _missing_classes() -> Iterator[TrustTask]:
    plans = [
        *(("news_topics", "agnews", "bbc", c) for c in ("business", "sport", "tech")),
        *(("news_topics", "web_snippets", "agnews", c) for c in ("business", "sport", "tech")),
        *(("newsgroups:0", "A", "B", c) for c in ("rec", "talk", "comp")),
        ("newsgroups:1", "A", "B", "sci"),
        ("newsgroups:2", "A", "B", "sci"),
        ("newsgroups:bydate", "train", "test", "talk.politics.mideast"),
        ("crisislex_t26_type", "2013_Alberta_floods", "2013_Colorado_floods", "Donations and volunteering"),
        ("crisislex_t26_type", "2013_Boston_bombings", "2013_LA_airport_shootings", "Sympathy and support"),
        ("crisislex_t26_type", "2012_Typhoon_Pablo", "2012_Philipinnes_floods", "Caution and advice"),
        ("github_issues", "microsoft_vscode", "opencv_opencv", "feature"),
        ("github_issues", "facebook_react", "bitcoin_bitcoin", "feature"),
    ]
    for data, a, b, missing in plans:
        yield TrustTask(
            f"missing class/{data} {a} to {b}: {missing}",
            data.partition(":")[0],
            "missing class",
            data=data,
            sources=(a,),
            target=b,
            n_source=1500,
            n_target=1500,
            missing_class=missing,
        )
