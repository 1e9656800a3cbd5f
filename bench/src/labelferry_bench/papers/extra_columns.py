"""Columns of the papers that are no accuracies of a transfer: divergences, and errors within one domain.

Errors within one domain are those of a cross-validated SVM, as in CDSC's section 4.1.4: the classes are easy without a
shift. Labels of the domain are used for training, so these numbers are not transfer results. Folds are stratified and
drawn by seed; C is 1, and the error is the mean over ten folds. (The paper has "the best results obtained during
10-fold cross validation" of SVM-light.)
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import LinearSVC

from .run import Cell, Record
from .table import PRINTED_RSP, PrintedTable, Table
from .tasks import TASKS

ByCell = dict[tuple[str, str], list[Record]]  # records per task and method
N_FOLDS = 10
METHODS = {"Dout-CV": "LinearSVC within the target", "Din-CV": "LinearSVC within the source"}  # per column of CDSC
SIDES = {"Din-Dout": "SourceSVM", **METHODS}  # columns of CDSC's "verification of the data sets"


def divergences(table: Table, tasks: Sequence[str], by_cell: ByCell) -> list[dict[str, Any]]:
    """List, per task, the divergences of RSP's tables: measured by its printed form, and as printed."""
    rows = []
    for task in tasks:
        name = task.partition("/")[2]
        printed = next((p for p in table.printed if p.measure == "divergence" and name in p.rows), None)
        records = by_cell.get((task, PRINTED_RSP), [])
        if printed and records:
            for column in printed.columns:
                mean = float(np.mean([record["divergences"][column] for record in records]))
                rows.append({"task": name, "column": column, "mean": mean, "paper": printed.value(name, column)})
    return rows


def errors_within(table: Table, tasks: Sequence[str], by_cell: ByCell) -> list[dict[str, Any]]:
    """List, per task, the error rates of CDSC's SVM: from source to target, and cross-validated within each domain."""
    rows = []
    for task in tasks:
        name = task.partition("/")[2]
        printed = next((p for p in table.accuracies if name in p.rows and set(SIDES) <= set(p.columns)), None)
        for column, method in SIDES.items():
            records = by_cell.get((task, method), [])
            if printed and records:
                error = 1 - float(np.mean([record["score"] for record in records]))
                rows.append({"task": name, "column": column, "mean": error, "paper": printed.value(name, column)})
    return rows


def within_cells(printed: Sequence[PrintedTable], tasks: Sequence[str], n_seeds: int) -> list[Cell]:
    """List the cells of the printed columns that are a cross-validation within one domain."""
    columns = [column for table in printed for column in table.no_transfer if column in METHODS]
    code = sha256(inspect.getsource(measure_within).encode()).hexdigest()[:12]
    return [
        Cell(task, METHODS[column], seed, f"{N_FOLDS} folds, C=1, {TASKS[task].recipe.describe()}", code)
        for task in tasks
        for column in columns
        for seed in range(n_seeds)
    ]


def measure_within(cell: Cell) -> Record:
    """Run one cell: the mean accuracy over the folds."""
    data = TASKS[cell.task].load(cell.seed)
    X, y = (data.Xt, data.yt) if cell.method == METHODS["Dout-CV"] else (data.Xs, data.ys)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=cell.seed)
    return {**cell._asdict(), "score": float(cross_val_score(LinearSVC(C=1.0), X, y, cv=folds).mean())}
