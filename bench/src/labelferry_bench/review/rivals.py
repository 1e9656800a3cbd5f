"""What learns from answers with the documents themselves, fitted once per task and kept beside the records.

    second source     logistic regression on the labelled documents and the answered ones, each with SECOND_WEIGHT
    answers alone     logistic regression on the answered documents

Both are fitted for N_DRAWS random choices of N_ANSWERS documents. C of the second source is that of SourceLR in the
record: the value of the grid whose probabilities are nearest.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from labelferry.assessment.coordinates import coordinates
from labelferry.ensemble.fitted_panel import pool_coordinates
from labelferry.files import atomic_write

from ..papers.pools import Array
from ..trust.records import Record, as_domains, path_of, view_of
from ..trust.tasks import TaskData, TrustTask

N_ANSWERS, N_DRAWS = 40, 2
SECOND_WEIGHT = 10.0  # of an answered document; 1 is worse: +.044 / +.040 instead of +.076 / +.061 (68 tasks)
GRID, START_C = (0.1, 1.0, 10.0, 100.0), 10.0  # of logistic regression, as in SourceLR
FOLDER = "learning"


class Rivals(NamedTuple):
    """Probabilities of the target rows, draws x rows x classes, and the coordinates of the documents."""

    coordinates: Array
    second_source: Array
    alone: Array


class Draw(NamedTuple):
    """One choice of documents. All choices of one draw are scored on the same documents."""

    answered: Array  # at random
    candidates: Array  # to choose from
    scored: Array


def draw(name: str, n: int, number: int, n_answers: int = N_ANSWERS) -> Draw:
    """Half of the documents can be answered; the others are scored."""
    order = np.random.default_rng([crc32(name.encode()), number]).permutation(n)
    return Draw(order[: min(n_answers, n // 2)], order[: n // 2], order[n // 2 :])


def rivals_of(task: TrustTask, record: Record, folder: Path) -> Rivals:
    """Read the rivals of a task, or fit them and write them to the folder of the records."""
    path = folder / FOLDER / path_of(task, folder).name
    if path.is_file():
        with np.load(path, allow_pickle=False) as file:
            return Rivals(*(file[name].astype(np.float64) for name in Rivals._fields))
    rivals = fit_rivals(task.load(), record)
    path.parent.mkdir(exist_ok=True)
    with atomic_write(path) as draft, draft.open("wb") as file:
        np.savez_compressed(file, **{name: P.astype(np.float32) for name, P in rivals._asdict().items()})
    return rivals


def fit_rivals(data: TaskData, record: Record) -> Rivals:
    """Fit both for all draws."""
    Xs, Xt = data.Xs, data.Xt
    fits = [_logistic(C).fit(Xs, data.ys) for C in GRID]
    source_only = record.predictions.source_only
    C = GRID[int(np.argmin([np.abs(fit.predict_proba(Xt) - source_only).mean() for fit in fits]))]
    second, alone = [], []
    for number in range(N_DRAWS):
        rows = draw(record.name, len(record.yt), number).answered
        X, y = sp.csr_array(sp.vstack([Xs, Xt[rows]])), np.concatenate([data.ys, record.yt[rows]])
        weights = np.append(np.ones(len(data.ys)), np.full(len(rows), SECOND_WEIGHT))
        second.append(_logistic(C).fit(X, y, sample_weight=weights).predict_proba(Xt))
        alone.append(_answers_alone(Xt, rows, record.yt[rows], record.n_classes))
    view = view_of(data) if record.predictions.view_weight else None
    return Rivals(pool_coordinates(coordinates(Xt), as_domains(data), view), np.array(second), np.array(alone))


def _answers_alone(Xt: sp.csr_array, rows: Array, y: Array, n_classes: int) -> Array:
    present, P = np.unique(y), np.zeros((Xt.shape[0], n_classes))
    P[:, present] = _logistic(START_C).fit(Xt[rows], y).predict_proba(Xt) if len(present) > 1 else 1.0
    return P


def _logistic(C: float) -> LogisticRegression:
    return LogisticRegression(C=C, max_iter=300, tol=1e-3)
