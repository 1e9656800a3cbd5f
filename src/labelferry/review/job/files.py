"""A job without a browser: open questions as a sample in a file, and the answers back into the job."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...certificate.sampling import N_AUDIT
from ...labelling.answers import class_named
from ...linalg.matrix import Array
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.audit import Sample, as_sample
from ..sample.filled import Filled, read_sample
from ..sample.population import Population
from ..store.records import NewAnswer
from .job import Job
from .other_rows import document_rows
from .state import among

SQLITE = b"SQLite format 3\x00"


def is_job(place: str | os.PathLike[str]) -> bool:
    """Whether this is a database URL or a SQLite file, and not a table."""
    name = os.fspath(place)
    if "://" in name:
        return True
    try:
        with open(name, "rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:
        return False


def draw_open(job: Job, n: int = N_AUDIT, *, n_duel: int = 0, blind: bool = False) -> Sample:
    """The next open questions of a job: n of the random sample, and further ones on which label and source-only
    classifier differ. The seed of the job fixes their order; `blind` omits the labels.
    """
    audit = job.questions.open_documents("audit", n)
    duel = [row for row in job.questions.open_documents("duel", n + n_duel) if row not in set(audit)][:n_duel]
    if not audit and not duel:
        raise ValueError(f"{job.store.name} has no open question of this kind. Every document has an answer.")
    position = job.questions.labelled.positions
    rows = [*(("audit", int(position(row))) for row in audit), *(("duel", int(position(row))) for row in duel)]
    return as_sample(population_of_job(job), rows, job.questions.seed, blind)


def import_answers(job: Job, given: Any, reviewer: str = "") -> dict[str, int]:
    """Write the answers of a filled sample to the log of a job; `reviewer` if the sample has no column of this name.

    Returns numbers of `new` answers, of those that are in the job already (`known`), and of `empty` rows.
    """
    population = population_of_job(job)
    filled: Filled = read_sample(given, population)
    if filled.seed != job.questions.seed:
        raise ValueError(
            f"{filled.name} was drawn with the seed {filled.seed}, and the job has {job.questions.seed}. Pass a sample "
            "of this job: labelferry audit."
        )
    labelled = job.questions.labelled.rows
    known = {(row.document, row.reviewer): (row.kind, row.answer) for row in job.log.answers()}
    counts = {"new": 0, "known": 0, "empty": filled.n_empty}
    new = []
    for (position, name), answer in filled.by_reviewer.items():
        document, person = int(labelled[position]), name or reviewer
        if known.get((document, person)) == (answer.kind, answer.answer):
            counts["known"] += 1
            continue
        purpose, shown = filled.purposes[position], class_named(filled.labels.get(position, ""), population.classes)
        new.append(NewAnswer(document, answer.answer, answer.kind, purpose, person, shown))
    if new:
        job.log.add(new)
    return {**counts, "new": len(new)}


def population_of_job(job: Job) -> Population:
    """The population of a job: its documents with a predicted label. Texts and columns are read one by one."""
    state, store, labelled = job.log.state(), job.store, job.questions.labelled
    arrays, known = state.fit.arrays, among(labelled, state.seen)
    return Population(
        store.name,
        DocumentColumn(store, labelled.rows),
        document_rows(store.n_documents, store.settings.get("other_rows", {})).then(labelled.rows),
        arrays["labels"][labelled.rows],
        store.fits.source_only[labelled.rows],
        arrays["needs_review"][labelled.rows],
        None if len(known.rows) else np.clip(arrays["confidence"][labelled.rows], 0, 1),
        store.classes,
        known,
        store.settings["text"],
        {name: DocumentColumn(store, labelled.rows, name) for name in job.columns},
    )


class DocumentColumn(Sequence[Any]):
    """The texts of a job or one of its columns, read when they are needed."""

    def __init__(self, store: storage.Store, numbers: Array, name: str | None = None) -> None:
        self._store, self._numbers, self._name = store, numbers, name

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, position: Any) -> Any:
        document = self._store.documents.one(int(self._numbers[position]))
        return document.text if self._name is None else document.own[self._name]
