"""Real corpora as tasks: a door onto `labelferry_bench.papers.tasks`, which states the protocols."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from labelferry_bench.papers.splits import at_most, by_groups, pairs, same_classes
from labelferry_bench.papers.tables.cdsc import CDSC_TABLE_1
from labelferry_bench.papers.tables.gcmf import GCMF_TABLE_2
from labelferry_bench.papers.tables.hybrid import HYBRID_TABLE_3 as HYBRID_CLASSES
from labelferry_bench.papers.task import Task as PaperTask
from labelferry_bench.papers.tasks import TASKS

from .planted import Task

__all__ = [
    "AMAZON",
    "CDSC_TABLE_1",
    "GROUPS_A",
    "HYBRID_TABLE_3",
    "SIX",
    "amazon",
    "cdsc_sample",
    "hybrid_sample",
    "newsgroups",
]

GROUPS_A = {name: source for name, (source, _) in GCMF_TABLE_2.items()}
HYBRID_TABLE_3 = pairs(HYBRID_CLASSES)
SIX = list(itertools.combinations(GCMF_TABLE_2, 2))
AMAZON = list(itertools.permutations(("books", "dvd", "electronics", "kitchen"), 2))


def newsgroups(path: Path, classes: tuple[str, ...]) -> Task:
    """Two classes of GCMF's Table 2, or all four, at full size."""
    name = f"gcmf/{' vs '.join(classes)}" if len(classes) == 2 else f"four/{' + '.join(classes)}"
    return _load(name, 0, path)


def cdsc_sample(path: Path, name: str, seed: int) -> Task:
    """A task of CDSC's Table 1: 250 documents a class and domain, tf-idf."""
    return _load(f"cdsc/{name}", seed, path)


def hybrid_sample(path: Path, name: str, seed: int, *, cdsc: bool = False) -> Task:
    """A task of the hybrid graph's Table 3, or of CDSC's Table 1: 500 documents a class and domain, counts."""
    groups = CDSC_TABLE_1[name] if cdsc else HYBRID_TABLE_3[name]
    split = partial(by_groups, parts=same_classes(groups), draw=partial(at_most, n=500))
    return _read(replace(TASKS[f"hybrid/{name}"], split=split).on_counts(), seed, path)


def amazon(path: Path, source: str, target: str) -> Task:
    """Reviews of all of two kinds of goods."""
    return _load(f"amazon/{source} to {target}", 0, path)


def _load(name: str, seed: int, path: Path) -> Task:
    return _read(TASKS[name], seed, path)


def _read(task: PaperTask, seed: int, path: Path) -> Task:
    """Classes are numbers here, in the order of their names."""
    Xs, ys, Xt, yt = task.load(seed, path)[:4]
    classes = np.unique(ys)
    return Task(Xs, np.searchsorted(classes, ys), Xt, np.searchsorted(classes, yt))
