"""What the log says about the people who answer: how fast they are, and how far they agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from itertools import combinations, pairwise
from statistics import median
from typing import NamedTuple

import numpy as np

from ...assessment.agreement import kappa
from ..store.records import AnswerRow

LAST = 50  # answers that show the speed
PAUSE = 180.0  # seconds: a longer time between two answers is a pause
COMMON = 10  # documents from which kappa is told
FEWEST = 5  # times between answers from which the speed is told


class Agreement(NamedTuple):
    """How far two people agree on the documents that both answered."""

    first: str
    second: str
    n: int
    same: int
    kappa: float | None  # 1 if all answers are the same, 0 if as many as by chance; None for few documents


def seconds_per_answer(log: Sequence[AnswerRow], reviewer: str) -> float | None:
    """The median time of a person from one answer to the next, without pauses and answers to many at once."""
    times = [datetime.fromisoformat(row.time) for row in log if row.reviewer == reviewer][-LAST:]
    gaps = [(after - before).total_seconds() for before, after in pairwise(times)]
    gaps = [gap for gap in gaps if 0 < gap <= PAUSE]
    return median(gaps) if len(gaps) >= FEWEST else None


def agreements(current: Sequence[AnswerRow]) -> list[Agreement]:
    """One entry per two people with common documents, those who agree least first; `current`: answers that count."""
    given: dict[str, dict[int, str]] = defaultdict(dict)
    for row in current:
        given[row.reviewer][row.document] = row.value
    found = []
    for first, second in combinations(sorted(given), 2):
        common = sorted(given[first].keys() & given[second].keys())
        if not common:
            continue
        pairs = [(given[first][document], given[second][document]) for document in common]
        _, codes = np.unique(np.array(pairs), return_inverse=True)
        a, b = codes.reshape(-1, 2).T
        found.append(
            Agreement(first, second, len(pairs), int((a == b).sum()), kappa(a, b) if len(pairs) >= COMMON else None)
        )
    return sorted(found, key=lambda one: (one.same / one.n, one.first, one.second))
