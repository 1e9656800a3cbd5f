"""Run the cells of a table and record them, one JSON line per cell, so that an interrupted run can be continued.

To run a cell is to load the task, fit the method and score it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from sklearn.metrics import balanced_accuracy_score

from labelferry.core.classifier import TransductiveClassifier
from labelferry.core.method_spec import SEED_PARAMETER, make_method
from labelferry.files import locked
from labelferry.processes import parallel

from .code_hash import code_hash, commit
from .tasks import TABLES, TASKS, Task

Record = dict[str, Any]
DIVERGENCES = {"KLt": "word_divergence_", "KLc": "divergence_"}  # columns of RSP's Tables 3 and 4
Begin = Callable[[int], None]  # called with the number of cells
Done = Callable[[Record], None]  # called with each record


class Cell(NamedTuple):
    """One number of a table, before the mean over the seeds."""

    task: str
    method: str
    seed: int
    settings: str  # all parameters of the method, and how the counts of the task become a matrix
    code: str  # hash of the modules of the method


class Failure(NamedTuple):
    """A cell that could not be run, and why."""

    cell: Cell
    error: str


def ignore(_: Any) -> None:
    """Do nothing: the default of `begin` and `done`."""


def all_settings(estimator: TransductiveClassifier, task: Task) -> str:
    """Write all parameters and the recipe as one line of JSON. A run with other ones, or other defaults, is another."""
    settings = {"name": type(estimator).__name__, **estimator.get_params(), "recipe": task.recipe.describe()}
    return json.dumps(settings, sort_keys=True, default=str)


def cells(tasks: Sequence[str], methods: Sequence[str], n_seeds: int) -> list[Cell]:
    """List one cell per task, method and seed, the cells of one task together.

    If neither the task nor the method is random, all seeds give the same result: only the first is listed.
    """
    return [
        Cell(task, method, seed, all_settings(estimator, task_for(task, method)), code_hash(type(estimator).__module__))
        for task in tasks
        for method in methods
        for seed in range(n_seeds)
        for estimator in [make_method(method, seed)]
        if seed == 0 or TASKS[task].sampled or SEED_PARAMETER in estimator.get_params()
    ]


def task_for(task: str, method: str) -> Task:
    """The task with the matrix that the method gets."""
    return TASKS[task].on_counts() if TABLES[TASKS[task].table].gets_counts(method) else TASKS[task]


def measure(cell: Cell) -> Record:
    """Run one cell. The labels of the target are used for the score only."""
    task = task_for(cell.task, cell.method)
    data = task.load(cell.seed)
    estimator = make_method(cell.method, cell.seed)
    began = time.process_time()
    labels = estimator.transfer(*data.by_source(), data.Xt)
    seconds = time.process_time() - began
    return {
        **cell._asdict(),
        "score": float(task.score(labels, data.yt)),
        "balanced": float(balanced_accuracy_score(data.yt, labels)) if task.same_classes else None,
        "seconds": round(seconds, 3),
        "divergences": {column: getattr(estimator, name, None) for column, name in DIVERGENCES.items()},
        "n_iter": int(estimator.n_iter_),
        "converged": bool(np.all(estimator.converged_)),
        "protocol": data.protocol,
    }


def attempt(how: Callable[[Cell], Record], cell: Cell) -> Record | Failure:
    """Run one cell. An error of one cell must not cost the table the others."""
    try:
        return {**how(cell), "commit": commit()}
    except Exception as error:  # whatever a method raises: it is named below the table
        return Failure(cell, f"{type(error).__name__}: {' '.join(str(error).split())}")


def run(
    wanted: Sequence[Cell],
    path: Path,
    *,
    jobs: int = 1,
    done: Done = ignore,
    how: Callable[[Cell], Record] | None = None,
) -> tuple[list[Record], list[Failure]]:
    """Return the records of cells, and the cells that failed.

    Records in the file are used; the other cells are run and appended to it. A cell that failed has no record.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path) as is_locked:
        if not is_locked:
            raise ValueError(f"another run writes to {path}. Wait until it ends, or pass another folder with --out.")
        return run_alone(wanted, path, jobs=jobs, done=done, how=how)


def run_alone(
    wanted: Sequence[Cell], path: Path, *, jobs: int, done: Done, how: Callable[[Cell], Record] | None
) -> tuple[list[Record], list[Failure]]:
    """As `run`, in the only process that writes to the file."""
    drop_partial_line(path)
    records = {cell_of(record): record for record in read_records(path)}
    for cell in wanted:
        if cell in records:
            done(records[cell])
    left = [cell for cell in wanted if cell not in records]
    workers = parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch="n_jobs")
    failures = []
    for record in workers(delayed(attempt)(how or measure, cell) for cell in left):
        if isinstance(record, Failure):
            failures.append(record)
            continue
        append_record(path, record)
        records[cell_of(record)] = record
        done(record)
    return [records[cell] for cell in wanted if cell in records], failures


def cell_of(record: Record) -> Cell:
    """Return the cell of a record. Records of other versions of the bench may have no hash: theirs are stale."""
    return Cell(*({"code": "", **record}[field] for field in Cell._fields))


def read_records(path: Path) -> Iterator[Record]:
    """Read the records of a file in the order they were written; none if there is no file.

    A last line without its end is part of a record that an interrupted run left. It is skipped, and its cell is run
    again.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                record = json.loads(line)
                cell_of(record)
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(
                    f"{path}, line {number}, is not a record of the bench ({error!r}). Remove the line, or write to "
                    "another folder with --out."
                ) from error
            yield record


def drop_partial_line(path: Path) -> None:
    """Remove a last line without its end, so that the next record starts on its own line."""
    if path.exists():
        with path.open("rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)


def append_record(path: Path, record: Record) -> None:
    """Add one record with one write of one line. The line is on the disk when this returns."""
    with path.open("ab") as file:
        file.write(json.dumps(record, sort_keys=True).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
