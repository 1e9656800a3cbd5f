"""Run the review bench on a folder of records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labelferry.certificate.interval import LEVEL

from .coverage import N_DRAWS, measure, summarize
from .duels import fight, summarize_duels
from .tasks import read_tasks

PER_CORPUS = 5


def run_coverage(
    folder: Path, *, per_corpus: int = PER_CORPUS, n_draws: int = N_DRAWS, level: float = LEVEL
) -> dict[str, Any]:
    """Coverage and width of all intervals of a certificate, and the duels.

    `per_corpus`: at most this many tasks of a corpus for the intervals. The duels use all tasks.
    """
    tasks = read_tasks(folder)
    seen: dict[str, int] = {}
    measured = []
    for task in tasks:
        seen[task.corpus] = seen.get(task.corpus, 0) + 1
        if seen[task.corpus] <= per_corpus:
            measured += list(measure(task, n_draws, level))
    duels = [result for task in tasks for result in fight(task, n_draws, level)]
    return {"level": level, "draws": n_draws, "intervals": summarize(measured), "duels": summarize_duels(duels)}
