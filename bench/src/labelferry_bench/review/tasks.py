"""Tasks of the review bench: the labels of AutoTransfer and the true ones, from the records of the trust bench."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from labelferry.assessment.assessment import assess
from labelferry.assessment.calibration import load_calibration
from labelferry.ensemble.pool import combine, load_coefficients

from ..papers.pools import Array
from ..trust.records import Record, read_record
from ..trust.tasks import PLAIN

TARGET_ERROR = 0.05


class ReviewTask(NamedTuple):
    """One task with everything that a certificate needs, and the truth."""

    name: str
    corpus: str
    n_classes: int
    labels: Array
    source_only: Array
    truth: Array  # n_classes for a class that the source lacks
    confidence: Array
    marked: Array  # the less confident half of the labels

    @property
    def accuracy(self) -> float:
        """Share of correct labels."""
        return float((self.labels == self.truth).mean())

    @property
    def gain(self) -> float:
        """Accuracy of the labels minus that of the source-only classifier."""
        return self.accuracy - float((self.source_only == self.truth).mean())


def read_tasks(folder: Path, per_corpus: int | None = None) -> list[ReviewTask]:
    """The tasks of the records in a folder, without the traps."""
    paths = sorted(folder.glob("*.npz"))
    by_corpus: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(paths, key=lambda path: crc32(path.name.encode())):
        with np.load(path, allow_pickle=False) as file:
            meta = json.loads(str(file["meta"]))
        if meta["kind"] == PLAIN:
            by_corpus[meta["corpus"]].append(path)
    chosen = {path for corpus in by_corpus.values() for path in corpus[:per_corpus]}
    return [as_task(read_record(path)) for path in paths if path in chosen]


def as_task(record: Record) -> ReviewTask:
    """The labels of AutoTransfer with their confidences."""
    pooled = combine(record.predictions, load_coefficients())
    assessment = assess(
        pooled.proba,
        record.predictions,
        record.facts,
        classes=[str(c) for c in range(record.n_classes)],
        weights=pooled.weights,
        target_error=TARGET_ERROR,
        calibration=load_calibration(),
    )
    confidence = assessment.p_correct
    return ReviewTask(
        record.name,
        record.corpus,
        record.n_classes,
        pooled.proba.argmax(axis=1),
        record.predictions.source_only.argmax(axis=1),
        np.minimum(record.yt, record.n_classes),
        confidence,
        np.argsort(np.argsort(confidence, kind="stable")) < len(confidence) // 2,
    )
