"""How many documents people will have to read until a recall is certified: an expectation, no promise.

Worlds are drawn in which each unread document belongs to the class with its estimated probability, and the search goes
on in each of them as `search.py` decides, by rank of these probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .search import Read, Search

N_WORLDS = 9
MOST_READS = 60_000  # in all worlds together: fewer worlds for large files
RECALLS = (0.8, 0.9, 0.95)


class SearchPlan(NamedTuple):
    """Documents to read until a recall is certified."""

    recall: float  # the goal
    n_read: int  # median over the worlds, with the documents that were read so far
    low: int  # the fewest and the most
    high: int


def plan_search(search: Search, p: Array, recalls: Sequence[float] = RECALLS, *, seed: int = 0) -> list[SearchPlan]:
    """What to expect of a search."""
    rng, goals, n = np.random.default_rng(seed), sorted(recalls), len(search.order)
    ranking = np.argsort(-p, kind="stable").tolist()
    n_worlds = int(np.clip(MOST_READS // max(n, 1), 1, N_WORLDS))
    needs = [
        _needs(search.with_other_draws(rng), ranking, (rng.random(n) < p).tolist(), goals) for _ in range(n_worlds)
    ]
    return [
        SearchPlan(recall, int(np.median(column)), min(column), max(column))
        for recall, column in zip(goals, zip(*needs, strict=True), strict=True)
    ]


def _needs(search: Search, ranking: list[int], truth: list[bool], recalls: Sequence[float]) -> list[int]:
    """Reads until each recall is certified, in one world."""
    needs, by_rank = list[int](), iter(ranking)
    while True:
        while len(needs) < len(recalls) and search.found().recall_at_least >= recalls[len(needs)]:
            needs.append(search.n_read)
        if len(needs) == len(recalls) or search.n_read == len(ranking):
            return needs + [len(ranking)] * (len(recalls) - len(needs))
        waiting = next(iter(search.waiting), None)
        row = next(row for row in by_rank if not search.is_read(row)) if waiting is None else waiting
        search.add(Read(row, truth[row], truth[row]))
