"""The duel between labels and source-only classifier on tasks with known truth: how often is the better one named?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from labelferry.certificate.duel import difference_bounds, scores
from labelferry.certificate.interval import LEVEL

from .coverage import N_DRAWS, SIZES
from .tasks import ReviewTask

LARGE = 0.03  # difference in accuracy from which the better one should be named


class DuelResult(NamedTuple):
    """One task at one number of answers: shares of the draws."""

    corpus: str
    task: str
    gain: float  # true difference in accuracy
    m: int
    verdict_right: float
    verdict_wrong: float
    leader_right: float
    leader_wrong: float  # the rest are ties
    coverage: float  # of the interval of the difference, after every answer up to m
    width: float


def fight(task: ReviewTask, n_draws: int = N_DRAWS, level: float = LEVEL) -> list[DuelResult]:
    """Duels of one task; empty if the two never differ."""
    different = np.flatnonzero(task.labels != task.source_only)
    if not len(different):
        return []
    rng = np.random.default_rng([crc32(task.name.encode()), 1])
    rows = np.array([rng.permutation(different)[: max(SIZES)] for _ in range(n_draws)])
    d = scores(task.labels[rows], task.source_only[rows], task.truth[rows])
    n, unclear = len(different), np.zeros(d.shape, dtype=bool)
    low, high = difference_bounds(d, n, task.n_classes, level, unclear)
    total = int(scores(task.labels, task.source_only, task.truth).sum())
    sign, lead = np.sign(total), np.sign(d.cumsum(axis=1))
    results = []
    for m in SIZES:
        at = min(m, d.shape[1]) - 1
        verdict = np.where(low[:, at] > 0, 1, np.where(high[:, at] < 0, -1, 0))
        results.append(
            DuelResult(
                task.corpus,
                task.name,
                total / len(task.labels),
                m,
                float((verdict == sign).mean()),
                float((verdict == -sign).mean()),
                float((lead[:, at] == sign).mean()),
                float((lead[:, at] == -sign).mean()),
                float(((low[:, at] <= total) & (total <= high[:, at])).mean()),
                float((high - low)[:, at].mean() / len(task.labels)),
            )
        )
    return results


def summarize_duels(results: Sequence[DuelResult]) -> list[dict[str, Any]]:
    """One row per number of answers: tasks that differ by three points or more, every task with the same weight.

    Returns shares of the draws. "named": the leader, a tie counts half; "verdict": with the confidence level.
    """
    rows = []
    for m in sorted({one.m for one in results}):
        group = [one for one in results if one.m == m]
        large = [one for one in group if abs(one.gain) >= LARGE]

        def mean(name: str, group: Sequence[DuelResult]) -> float:
            return float(np.mean([getattr(one, name) for one in group])) if group else float("nan")

        right, wrong = mean("verdict_right", large), mean("verdict_wrong", large)
        ahead, behind = mean("leader_right", large), mean("leader_wrong", large)
        corpora = sorted({one.corpus for one in group})
        coverage = {c: mean("coverage", [one for one in group if one.corpus == c]) for c in corpora}
        rows.append(
            {
                "answers": m,
                "tasks": len(large),
                "corpora": len({one.corpus for one in large}),
                "labels_better": sum(one.gain > 0 for one in large),
                "named_correctly": ahead,
                "named_wrongly": behind,
                "tie": 1 - ahead - behind,
                "verdict_correct": right,
                "verdict_wrong": wrong,
                "not_yet_known": 1 - right - wrong,
                "coverage": float(np.mean(list(coverage.values()))),
                "worst_coverage": min(coverage.values()),
            }
        )
    return rows
