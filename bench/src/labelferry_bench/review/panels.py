"""Tasks of the acceptance bench: panels that are fitted once and kept in a folder, with the true labels.

Of each corpus `PER_CORPUS` ordinary tasks of the trust bench, chosen by a checksum, with at most `MAX_SIDE` documents
per side. A run that was stopped continues with the missing tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from labelferry.assessment.assessment import assess
from labelferry.assessment.calibration import load_calibration
from labelferry.assessment.coordinates import coordinates
from labelferry.assessment.facts import target_facts
from labelferry.ensemble.labelled_pool import PoolInputs
from labelferry.ensemble.panel import fit_panel
from labelferry.ensemble.pool import combine, load_coefficients
from labelferry.ensemble.queries import query_coordinates
from labelferry.files import atomic_write

from ..papers.pools import Array
from ..trust.records import Record, as_domains, path_of, read_record, write_record
from ..trust.tasks import PLAIN, TrustTask, all_tasks, mixed

PER_CORPUS = 5
MAX_SIDE = 2000
TARGET_ERROR = 0.05
COORDINATES = "coordinates"


class PanelTask(NamedTuple):
    """A fitted task: what labels and answers need, and the truth."""

    name: str
    corpus: str
    inputs: PoolInputs
    p_correct: Array  # of the labels without answers
    interval: tuple[float, float, float]  # estimated accuracy without answers: mean, low, high (90%)
    truth: Array  # the number of classes for a class that the source lacks

    @property
    def n(self) -> int:
        """Number of documents."""
        return len(self.truth)


def chosen_tasks(corpora: Sequence[str] | None = None, per_corpus: int | None = PER_CORPUS) -> list[TrustTask]:
    """The tasks, in an order that mixes the corpora; `per_corpus` None: all ordinary tasks."""
    by_corpus: dict[str, list[TrustTask]] = defaultdict(list)
    plain = [task for task in all_tasks(corpora) if task.kind == PLAIN]
    for task in sorted(plain, key=lambda task: crc32(task.name.encode())):  # the same tasks for every panel
        by_corpus[task.corpus].append(task)
    some = [task for tasks in by_corpus.values() for task in tasks[:per_corpus]]
    return mixed([replace(t, n_source=min(t.n_source, MAX_SIDE), n_target=min(t.n_target, MAX_SIDE)) for t in some])


def fit_tasks(
    tasks: Sequence[TrustTask], folder: Path, show: Callable[[str], None] = lambda _: None
) -> dict[TrustTask, Path]:
    """Fit the panels that the folder lacks."""
    (folder / COORDINATES).mkdir(parents=True, exist_ok=True)
    paths = {task: path_of(task, folder) for task in tasks}
    for task, path in paths.items():
        if not path.is_file():
            data = task.load()
            domains = as_domains(data)
            Z = coordinates(domains.target_documents())
            with atomic_write(folder / COORDINATES / path.name) as draft, draft.open("wb") as file:
                np.savez_compressed(file, coordinates=query_coordinates(Z).astype(np.float32))
            predictions, facts = fit_panel(domains, seed=0), target_facts(domains, Z)
            write_record(Record(task.name, task.corpus, task.kind, task.group, predictions, facts, data.yt), path)
            show(task.name)
    return paths


def read_task(path: Path) -> PanelTask:
    """A fitted task with the labels of AutoTransfer."""
    record = read_record(path)
    with np.load(path.parent / COORDINATES / path.name, allow_pickle=False) as file:
        Z = file["coordinates"]
    answer = combine(record.predictions, load_coefficients())
    assessment = assess(
        answer.proba,
        record.predictions,
        record.facts,
        classes=[str(c) for c in range(record.n_classes)],
        weights=answer.weights,
        target_error=TARGET_ERROR,
        calibration=load_calibration(),
    )
    accuracy = assessment.estimated("accuracy")
    mean, low, high = (accuracy[name] for name in ("mean", "low", "high"))
    interval = (0.5, 0.0, 1.0) if mean is None or low is None or high is None else (mean, low, high)
    inputs = PoolInputs(answer.proba, record.predictions.proba, Z, unlimited=answer.before_budget)
    return PanelTask(record.name, record.corpus, inputs, assessment.p_correct, interval, record.yt)
