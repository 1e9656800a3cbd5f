"""Corpora with their words counted, once per process. A task then selects rows, which takes milliseconds.

The words of a pool are those in three documents or more. No task uses rarer words, so counting only the documents of a
task would give the same matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from labelferry.text import strip_headers, tfidf_vectorizer

from ..datasets.amazon import load_amazon
from ..datasets.caltech256 import load_caltech256
from ..datasets.corpus import Corpus
from ..datasets.domains import load_domains
from ..datasets.newsgroups import load_newsgroups
from ..datasets.office_caltech import FILES, load_office_caltech
from ..datasets.reuters import load_reuters
from ..datasets.reuters_crossdomain import load_reuters_crossdomain
from ..datasets.sraa import load_sraa
from ..datasets.visual_words import visual_words

Array: TypeAlias = np.ndarray[Any, Any]

MIN_DF = 3
MAX_ROWS = 500  # of a domain and class of a corpus with domains
WORD = r"(?u)\b[a-zA-Z]{2,}\b"
WORDS = "words of two letters or more, no English stop words"
# Folders of Caltech-256 whose names differ from those in RSP's paper.
FOLDERS = {
    "bonsai": "bonsai-101",
    "keyboard": "computer-keyboard",
    "laptop": "laptop-101",
    "soccer": "soccer-ball",
    "umbrella": "umbrella-101",
}
REUTERS_SOURCES = ("sci.crypt", "sci.med", "talk.politics.guns")  # newsgroups that are a source for Reuters


class Pool(NamedTuple):
    """The documents that a task selects from."""

    counts: Any  # documents x words, CSR
    groups: Array  # the group of each document, by which a task selects
    ids: Array | None
    words: Array | None
    preprocessing: str
    corpus: Any = None  # if the selection needs more than the group


@cache
def newsgroups(path: Path, headers: bool = False, stems: bool = False) -> Pool:
    """Read 20 Newsgroups, without headers and as words, or as Porter stems. Groups: the newsgroups."""
    corpus = load_newsgroups(path)
    bodies = corpus.texts if headers else [strip_headers(text) for text in corpus.texts]
    how = {"tokenizer": _PorterStems(), "token_pattern": None, "stop_words": None} if stems else {}
    steps = f"headers {'kept' if headers else 'stripped'}, {'Porter stems of ' * stems}{WORDS}"
    return _count_words(bodies, corpus.fields["group"], _article_ids(corpus), steps, **how)


@cache
def sraa(path: Path) -> Pool:
    """Read SRAA. Groups: its four newsgroups."""
    corpus = load_sraa(path)
    bodies = [strip_headers(text) for text in corpus.texts]
    return _count_words(bodies, corpus.fields["group"], _article_ids(corpus), f"headers stripped, {WORDS}")


@cache
def amazon(path: Path) -> Pool:
    """Read the Amazon reviews. Groups: "books positive" and so on."""
    corpus = load_amazon(path)
    groups = np.char.add(np.char.add(corpus.fields["domain"], " "), corpus.fields["label"])
    preprocessing = "title and text, words of two letters or more and pairs of them, stop words kept"
    return _count_words(corpus.texts, groups, corpus.fields["id"], preprocessing, ngram_range=(1, 2), stop_words=None)


@cache
def reuters(path: Path) -> Pool:
    """Read the stories of Reuters. All are in one group; `corpus` has the categories."""
    corpus = load_reuters(path)
    no_group = np.full(len(corpus.texts), "")
    return _count_words(corpus.texts, no_group, corpus.fields["id"], f"title and body, {WORDS}")._replace(corpus=corpus)


@cache
def reuters_and_newsgroups(reuters: Path, newsgroups: Path) -> Pool:
    """Read the stories of Reuters, then the articles of three newsgroups."""
    stories, articles = load_reuters(reuters), load_newsgroups(newsgroups)
    articles = articles.select(np.isin(articles.fields["group"], REUTERS_SOURCES))
    return _count_words(
        stories.texts + [strip_headers(text) for text in articles.texts],
        np.concatenate([np.full(len(stories.texts), ""), articles.fields["group"]]),
        np.concatenate([stories.fields["id"], _article_ids(articles)]),
        f"title and body of stories, headers of articles stripped, {WORDS}",
    )._replace(corpus=stories)


@cache
def domains(path: Path) -> Pool:
    """Read a corpus with domains. Groups: "bbc: sport" and so on."""
    corpus = load_domains(path)
    groups = np.char.add(np.char.add(corpus.fields["domain"], ": "), corpus.fields["label"])
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.permutation(np.flatnonzero(groups == group))[:MAX_ROWS] for group in np.unique(groups)])
    analyzer = tfidf_vectorizer(language=None, analyzer="mixed").build_analyzer()
    return _count_words(
        [corpus.texts[row] for row in rows],
        groups[rows],
        rows,
        f"drawn from at most {MAX_ROWS} documents per domain and class, words of two letters or more, "
        "n-grams of Chinese text",
        analyzer=analyzer,
        stop_words=None,
        token_pattern=None,
    )


@cache
def reuters_matrices(path: Path, pair: str) -> Pool:
    """Read ready-made matrices of a Reuters pair. Groups: "source orgs" and so on."""
    Xs, ys, Xt, yt = load_reuters_crossdomain(pair, path)
    groups = np.concatenate([np.char.add("source ", ys), np.char.add("target ", yt)])
    counts = sp.csr_array(sp.vstack([Xs, Xt]), dtype=np.float64)
    return Pool(counts, groups, None, None, "ready-made counts, words not known")


@cache
def office_caltech(path: Path) -> Pool:
    """Read the images of Office-Caltech10. Groups: "caltech bike" and so on."""
    domains = [load_office_caltech(domain, path) for domain in FILES]
    groups = np.concatenate([np.char.add(f"{images.domain} ", images.labels) for images in domains])
    counts = sp.csr_array(sp.vstack([images.X for images in domains]))
    return Pool(counts, groups, None, None, "ready-made counts of 800 visual words (SURF)")


@cache
def caltech256(path: Path, classes: tuple[str, ...]) -> Pool:
    """Read images of Caltech-256. Groups: the classes."""
    names = {FOLDERS.get(label, label): label for label in classes}
    files = load_caltech256(path, categories=names)
    counts = visual_words(files.paths, random_state=0)
    groups = np.array([names[label] for label in files.labels])
    return Pool(counts, groups, np.array([file.name for file in files.paths]), None, "800 visual words (SIFT, k-means)")


class _PorterStems:
    """A tokenizer: the Porter stems of the words that are not stop words."""

    def __init__(self) -> None:
        from Stemmer import Stemmer

        self.stemmer = Stemmer("porter")
        self.words = CountVectorizer(token_pattern=WORD).build_tokenizer()

    def __call__(self, text: str) -> list[str]:
        stems: list[str] = self.stemmer.stemWords([w for w in self.words(text) if w not in ENGLISH_STOP_WORDS])
        return stems


def _article_ids(corpus: Corpus) -> Array:
    """Name articles by group and number: "sci.med/58774". The same number occurs in several groups."""
    return np.array(
        [f"{group}/{number}" for group, number in zip(corpus.fields["group"], corpus.fields["id"], strict=True)]
    )


def _count_words(texts: Sequence[str], groups: Array, ids: Array, preprocessing: str, **settings: Any) -> Pool:
    defaults = {"token_pattern": WORD, "stop_words": "english", "min_df": MIN_DF, "dtype": np.float64}
    vectorizer = CountVectorizer(**{**defaults, **settings})
    counts = sp.csr_array(vectorizer.fit_transform(texts))
    counts.sort_indices()
    return Pool(counts, groups, ids, vectorizer.get_feature_names_out(), preprocessing)
