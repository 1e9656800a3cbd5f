"""One task: which documents are drawn, how they become matrices, and how labels of the target are scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
from .pools import Pool
from .splits import Split

WEIGHTINGS = {
    "tfidf": "sublinear tf-idf, rows of unit length",
    "counts": "counts",
    "root": "square roots, rows of unit length",
}


class Loaded(NamedTuple):
    Xs: Any  # documents x words, CSR
    ys: np.ndarray
    Xt: Any
    yt: np.ndarray
    words: np.ndarray | None  # the columns, None where they are not known
    protocol: dict[str, Any]  # what was done, as one plain record
    ids: tuple[np.ndarray, np.ndarray] | None  # the corpus's own names of the documents of source and target


class Recipe(NamedTuple):
    """From the counts of the chosen documents to a matrix."""

    min_df: int = 3
    over: Literal["task", "corpus"] = "task"  # where the documents of min_df are counted
    weighting: Literal["tfidf", "counts", "root"] = "tfidf"
    min_words: int = 0  # documents with fewer words are dropped

    def said(self) -> str:
        steps = [f"words in {self.min_df} documents of the {self.over} or more"] * (self.min_df > 1)
        steps += [WEIGHTINGS[self.weighting]]
        steps += [f"documents with fewer than {self.min_words} words dropped"] * (self.min_words > 0)
        return ", ".join(steps)


@dataclass(frozen=True)
class Task:
    name: str  # with its table: "gcmf/rec vs sci"
    corpora: tuple[Source, ...]
    pool: Callable[..., Pool]  # of the paths of the corpora
    split: Callable[[Pool, int], Split]
    recipe: Recipe
    sampled: bool = False  # does the seed matter?
    same_classes: bool = True  # are the classes of the target those of the source?
    scored: Literal["accuracy", "purity"] = "accuracy"  # "purity": what is found are clusters without names

    @property
    def table(self) -> str:
        return self.name.partition("/")[0]

    @property
    def corpus(self) -> str:
        return " and ".join(source.title for source in self.corpora)

    @property
    def needs(self) -> tuple[str, ...]:
        """The files, in a folder of data."""
        return tuple(source.layouts()[0] for source in self.corpora)

    def missing(self) -> str | None:
        """The files of the corpora that are not on this machine; None where all are."""
        absent = [file for source, file in zip(self.corpora, self.needs, strict=True) if not _found(source)]
        return ", ".join(absent) or None

    def load(self, seed: int = 0, path: str | PathLike[str] | None = None) -> Loaded:
        """The task, with documents drawn by `seed`. `path`: a corpus elsewhere than where loaders look for it.

        Raises CorpusNotFound, with what to put where. What was loaded last is kept in memory: do not write to it.
        """
        return _load(self, seed if self.sampled else 0, self._places(path))

    def score(self, labels: np.ndarray, yt: np.ndarray) -> float:
        """The share of documents labelled right, or the purity of clusters, which RSP's paper calls accuracy."""
        return purity(labels, yt) if self.scored == "purity" else float(np.mean(labels == yt))

    def _places(self, path: str | PathLike[str] | None) -> tuple[Path, ...]:
        return tuple(find(source, path) for source in self.corpora)


def purity(clusters: np.ndarray, y: np.ndarray) -> float:
    """The share of documents that are of the largest class in their cluster (RSP, section 4.1). Two clusters may have
    the same."""
    return float(contingency_matrix(y, clusters).max(axis=0).sum() / len(y))


def _found(source: Source) -> bool:
    try:
        find(source)
    except CorpusNotFound:
        return False
    return True


@lru_cache(maxsize=64)
def _load(task: Task, seed: int, places: tuple[Path, ...]) -> Loaded:
    pool, recipe = task.pool(*places), task.recipe
    source, ys, target, yt = task.split(pool, seed)
    rows = np.concatenate([source, target])
    counts = pool.counts[rows]
    known = _document_frequency(counts if recipe.over == "task" else pool.counts) >= recipe.min_df
    counts = counts[:, known]
    X = _weighted(counts, recipe.weighting)
    s, t = np.split(np.diff(counts.indptr) >= recipe.min_words, [len(source)])
    ys, yt = ys[s], yt[t]
    protocol = {
        "task": task.name,
        "corpus": task.corpus,
        "preprocessing": f"{pool.preprocessing}, {recipe.said()}",
        "source": _class_counts(ys),
        "target": _class_counts(yt),
        "n_words": int(known.sum()),
        "seed": seed if task.sampled else None,
    }
    words = None if pool.words is None else pool.words[known]
    ids = None if pool.ids is None else (pool.ids[source[s]], pool.ids[target[t]])
    return Loaded(X[: len(source)][s], ys, X[len(source) :][t], yt, words, protocol, ids)


def _document_frequency(counts: Any) -> np.ndarray:
    return np.bincount(counts.indices, minlength=counts.shape[1])


def _weighted(counts: Any, weighting: str) -> Any:
    if weighting == "tfidf":
        return sp.csr_array(TfidfTransformer(sublinear_tf=True).fit_transform(counts))
    return sp.csr_array(normalize(np.sqrt(counts))) if weighting == "root" else counts


def _class_counts(y: np.ndarray) -> dict[str, int]:
    return {str(label): int(n) for label, n in zip(*np.unique(y, return_counts=True), strict=True)}
