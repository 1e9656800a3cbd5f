"""Cross-validation of an SVM within one domain, as in CDSC's section 4.1.4: the classes are easy without a shift.

Labels of the domain are used for training, so these numbers are not transfer results. Folds are stratified and drawn by
seed; C is 1, and the error is the mean over ten folds. (The paper has "the best results obtained during 10-fold cross
validation" of SVM-light.)
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from hashlib import sha256

from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import LinearSVC

from .run import Cell, Record
from .table import PrintedTable
from .tasks import TASKS

N_FOLDS = 10
METHODS = {"Dout-CV": "LinearSVC within the target", "Din-CV": "LinearSVC within the source"}  # per column of CDSC


def within_cells(printed: Sequence[PrintedTable], tasks: Sequence[str], n_seeds: int) -> list[Cell]:
    """List the cells of the printed columns that are a cross-validation within one domain."""
    columns = [column for table in printed for column in table.no_transfer if column in METHODS]
    code = sha256(inspect.getsource(measure_within).encode()).hexdigest()[:12]
    return [
        Cell(task, METHODS[column], seed, f"{N_FOLDS} folds, C=1", code)
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
