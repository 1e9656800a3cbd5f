"""One task: which documents are drawn, how they become matrices, and how predicted labels are scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.cluster import contingency_matrix
from sklearn.preprocessing import normalize

from ..datasets.cache import CorpusNotFound, Source, find
from .pools import Array, Pool
from .splits import Split

# The idf that Salton and Buckley (1988) print, and that of scikit-learn and of labelferry's own vectors
IDF = {"plain": "log(N / df)", "smooth": "log((1 + N) / (1 + df)) + 1"}
WEIGHTINGS = {
    "tfidf": "1 + log tf times {idf}, rows of unit length",
    "plain tfidf": "tf times {idf}, rows of unit length",
    "counts": "counts",
    "root": "square roots, rows of unit length",
}


class Loaded(NamedTuple):
    """The documents of a task."""

    Xs: Any  # documents x words, CSR
    ys: Array
    Xt: Any
    yt: Array
    words: Array | None  # the columns, None if they are not known
    protocol: dict[str, Any]  # corpus, preprocessing and sizes, as plain values
    ids: tuple[Array, Array] | None  # names of the documents of source and target in the corpus
    sources: Array | None = None  # the source of each source document, if there are several

    def by_source(self) -> tuple[Any, Any]:
        """Xs and ys, or a list of them per source."""
        if self.sources is None:
            return self.Xs, self.ys
        rows = [np.flatnonzero(self.sources == name) for name in np.unique(self.sources)]
        return [self.Xs[part] for part in rows], [self.ys[part] for part in rows]


class Repeated(NamedTuple):
    """Per target row: whether the source has the same row, and whether one of these has another label."""

    in_source: Array
    other_label: Array


class Recipe(NamedTuple):
    """How the counts of the selected documents become a matrix."""

    min_df: int = 3
    over: Literal["task", "target", "corpus"] = "task"  # which documents min_df counts; "target": idf too
    weighting: Literal["tfidf", "plain tfidf", "counts", "root"] = "tfidf"
    idf: Literal["plain", "smooth"] = "smooth"
    min_words: int = 0  # documents with fewer words are dropped

    def describe(self) -> str:
        """Write the steps as one line."""
        steps = [f"words in {self.min_df} documents of the {self.over} or more"] * (self.min_df > 1)
        steps += [WEIGHTINGS[self.weighting].format(idf=IDF[self.idf])]
        steps += [f"documents with fewer than {self.min_words} words dropped"] * (self.min_words > 0)
        return ", ".join(steps)


@dataclass(frozen=True)
class Task:
    """Labelled source documents and target documents whose labels are used for the score only."""

    name: str  # name with its table: "gcmf/rec vs sci"
    corpora: tuple[Source, ...]  # the corpora it needs
    pool: Callable[..., Pool]  # reads the documents from the paths of the corpora
    split: Callable[[Pool, int], Split]  # selects the documents of source and target from the pool, by seed
    recipe: Recipe  # how their counts become a matrix
    sampled: bool = False  # whether documents are drawn by seed
    same_classes: bool = True  # whether source and target have the same classes
    scored: Literal["accuracy", "purity"] = "accuracy"  # the score; "purity" if a method finds clusters without names
    separate: bool = False  # whether the source documents of each domain, the group up to ": ", are a source
    drop_repeated: bool = False  # whether target rows that also occur in the source are dropped

    @property
    def table(self) -> str:
        """Name of the table."""
        return self.name.partition("/")[0]

    @property
    def corpus(self) -> str:
        """Titles of the corpora."""
        return " and ".join(source.title for source in self.corpora)

    @property
    def needs(self) -> tuple[str, ...]:
        """The files of the corpora, relative to a folder of data."""
        return tuple(source.layouts()[0] for source in self.corpora)

    def missing(self) -> str | None:
        """List the files of the corpora that are not on this machine; None if all are."""
        absent = [file for source, file in zip(self.corpora, self.needs, strict=True) if not _is_available(source)]
        return ", ".join(absent) or None

    def on_counts(self) -> Task:
        """The same documents and words as counts."""
        return replace(self, recipe=self.recipe._replace(weighting="counts"))

    def load(self, seed: int = 0, path: str | PathLike[str] | None = None) -> Loaded:
        """Load the documents."""
        paths = tuple(find(source, path) for source in self.corpora)
        return _load(self, seed if self.sampled else 0, paths)

    def score(self, labels: Array, yt: Array) -> float:
        """Return the accuracy, or the purity of clusters, which RSP's paper calls accuracy."""
        return purity(labels, yt) if self.scored == "purity" else float(np.mean(labels == yt))


def purity(clusters: Array, y: Array) -> float:
    """Return the proportion of documents that belong to the largest class of their cluster (RSP, section 4.1).

    Two clusters may have the same largest class.
    """
    return float(contingency_matrix(y, clusters).max(axis=0).sum() / len(y))


def _is_available(source: Source) -> bool:
    try:
        find(source)
    except CorpusNotFound:
        return False
    return True


@lru_cache(maxsize=64)
def _load(task: Task, seed: int, paths: tuple[Path, ...]) -> Loaded:
    pool, recipe = task.pool(*paths), task.recipe
    split = task.split(pool, seed)
    repeated: dict[str, int] = {}
    if task.drop_repeated:
        split, repeated = _drop_repeated(pool, split)
    source, ys, target, yt = split
    rows = np.concatenate([source, target])
    counts = pool.counts[rows]
    counted = {"task": counts, "target": counts[len(source) :], "corpus": pool.counts}[recipe.over]
    known = _document_frequency(counted) >= recipe.min_df
    counts = counts[:, known]
    X = _weighted(counts, recipe, counts[len(source) :] if recipe.over == "target" else counts)
    kept_s, kept_t = np.split(np.diff(counts.indptr) >= recipe.min_words, [len(source)])
    ys, yt = ys[kept_s], yt[kept_t]
    protocol = {
        "task": task.name,
        "corpus": task.corpus,
        "preprocessing": f"{pool.preprocessing}, {recipe.describe()}",
        "source": _class_counts(ys),
        "target": _class_counts(yt),
        "n_words": int(known.sum()),
        "seed": seed if task.sampled else None,
        **repeated,
    }
    words = None if pool.words is None else pool.words[known]
    ids = None if pool.ids is None else (pool.ids[source[kept_s]], pool.ids[target[kept_t]])
    names = [group.partition(": ")[0] for group in pool.groups[source][kept_s]] if task.separate else None
    Xs, Xt = X[: len(source)][kept_s], X[len(source) :][kept_t]
    return Loaded(Xs, ys, Xt, yt, words, protocol, ids, None if names is None else np.array(names))


def _drop_repeated(pool: Pool, split: Split) -> tuple[Split, dict[str, int]]:
    """Drop target rows that also occur in the source; return their numbers for the protocol too."""
    in_source, other_label = find_repeated(pool.counts, split)
    numbers = {
        "n_target": len(in_source),
        "n_also_in_source": int(in_source.sum()),
        "n_with_other_label": int(other_label.sum()),
    }
    return split._replace(target=split.target[~in_source], yt=split.yt[~in_source]), numbers


def find_repeated(counts: Any, split: Split) -> Repeated:
    """Compare the target rows with the source rows, word by word; `counts` has the documents of the pool.

    The ready-made Reuters matrices have many repeated rows, with other labels too.
    """
    labels: dict[bytes, set[Any]] = {}
    for row, label in zip(split.source, split.ys, strict=True):
        labels.setdefault(_key(counts, row), set()).add(label)
    same = [labels.get(_key(counts, row), set()) for row in split.target]
    in_source = np.array([bool(found) for found in same])
    other = np.array([bool(found - {y}) for found, y in zip(same, split.yt, strict=True)])
    return Repeated(in_source, other)


def _key(counts: Any, row: int) -> bytes:
    """Words and counts of a row as bytes."""
    entries = slice(counts.indptr[row], counts.indptr[row + 1])
    order = np.argsort(counts.indices[entries])
    words, values = counts.indices[entries][order], counts.data[entries][order]
    return bytes(words[values != 0].tobytes() + values[values != 0].tobytes())


def _document_frequency(counts: Any) -> Array:
    return np.bincount(counts.indices, minlength=counts.shape[1])


def _weighted(counts: Any, recipe: Recipe, counted: Any) -> Any:
    if recipe.weighting in ("tfidf", "plain tfidf"):
        weights = TfidfTransformer(sublinear_tf=recipe.weighting == "tfidf").fit(counted)
        if recipe.idf == "plain":
            weights.idf_ = np.log(counted.shape[0] / np.maximum(_document_frequency(counted), 1))
        X = sp.csr_array(weights.transform(counts))
        X.eliminate_zeros()  # words of every document
        return X
    return sp.csr_array(normalize(np.sqrt(counts))) if recipe.weighting == "root" else counts


def _class_counts(y: Array) -> dict[str, int]:
    return {str(label): int(n) for label, n in zip(*np.unique(y, return_counts=True), strict=True)}
