"""Running the cells of a table: load the task, fit the method, score it, write it down."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import balanced_accuracy_score

from .. import __version__
from . import records
from .contenders import make, settings
from .records import Cell, Record
from .tasks import TASKS

DRAWN = "random_state"


def cells(tasks: Sequence[str], methods: Sequence[str], n_seeds: int) -> list[Cell]:
    """One cell a task, method and seed, those of one task together.

    Where neither the task nor the method draws anything, all seeds would give the same: only the first is run.
    """
    return [
        Cell(task, method, seed, settings(estimator), __version__)
        for task in tasks
        for method in methods
        for seed in range(n_seeds)
        if seed == 0 or TASKS[task].sampled or DRAWN in make(method, seed).get_params()
        for estimator in [make(method, seed)]
    ]


def measure(cell: Cell) -> Record:
    """The record of one cell. The labels of the target are looked at for the score only."""
    task = TASKS[cell.task]
    data = task.load(cell.seed)
    estimator = make(cell.method, cell.seed)
    began = time.perf_counter()
    labels = estimator.transfer(data.Xs, data.ys, data.Xt)
    seconds = time.perf_counter() - began
    same = task.same_classes
    return {
        **cell._asdict(),
        "score": float(task.score(labels, data.yt)),
        "balanced": float(balanced_accuracy_score(data.yt, labels)) if same else None,
        "seconds": round(seconds, 3),
        "n_iter": int(estimator.n_iter_),
        "converged": bool(np.all(estimator.converged_)),
        "protocol": data.protocol,
    }


def run(
    wanted: Sequence[Cell], path: Path, *, jobs: int = 1, done: Callable[[Record], None] = lambda _: None
) -> list[Record]:
    """The records of the wanted cells, in their order. Those that `path` has are taken from there, the others are run
    and appended to it one by one; `done` is called with each as it comes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    records.mend(path)
    found = {records.cell_of(record): record for record in records.read(path)}
    for cell in wanted:
        if cell in found:
            done(found[cell])
    left = [cell for cell in wanted if cell not in found]
    workers = Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch="n_jobs")
    for record in workers(delayed(measure)(cell) for cell in left):
        records.append(path, record)
        found[records.cell_of(record)] = record
        done(record)
    return [found[cell] for cell in wanted]
