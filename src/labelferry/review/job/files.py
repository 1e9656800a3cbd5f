"""A job without a browser: open questions as a sample in a file, and the answers back into the job."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ...certificate.sampling import N_AUDIT
from ...labelling.answers import class_named
from ...tables.cells import as_text
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.audit import Sample, as_sample
from ..sample.filled import Filled, as_table, read_sample
from ..sample.population import Population
from ..store.records import NewAnswer
from .job import Job
from .other_rows import document_rows

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
    rows = [*(("audit", row) for row in audit), *(("duel", row) for row in duel)]
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
    labels = shown_labels(given, population)
    known = {(row.document, row.reviewer): (row.kind, row.answer) for row in job.log.answers()}
    counts = {"new": 0, "known": 0, "empty": filled.n_empty}
    new = []
    for (document, name), answer in filled.by_reviewer.items():
        person = name or reviewer
        if known.get((document, person)) == (answer.kind, answer.answer):
            counts["known"] += 1
            continue
        purpose, shown = filled.purposes[document], labels.get(document)
        new.append(NewAnswer(document, answer.answer, answer.kind, purpose, person, shown))
    if new:
        job.log.add(new)
    return {**counts, "new": len(new)}


def shown_labels(given: Any, population: Population) -> dict[int, str]:
    """Per document of a filled sample, the label that it shows; none if the labels are hidden."""
    table = as_table(given, population.encoding)
    labels = table.columns.get("label", [])
    rows = (population.rows.position_of(row, table.name) for row in table.columns["row"])
    names = (class_named(as_text(label), population.classes) for label in labels)
    return {row: name for row, name in zip(rows, names, strict=False) if name is not None}


def population_of_job(job: Job) -> Population:
    """The population of a job; texts and columns are read one by one."""
    state, store = job.log.state(), job.store
    arrays = state.fit.arrays
    return Population(
        store.name,
        DocumentColumn(store),
        document_rows(store.n_documents, store.settings.get("other_rows", {})),
        arrays["labels"],
        store.fits.source_only,
        arrays["needs_review"],
        None,
        store.classes,
        state.seen,
        store.settings["text"],
        {name: DocumentColumn(store, name) for name in job.columns},
    )


class DocumentColumn(Sequence[Any]):
    """The texts of a job or one of its columns, read when they are needed."""

    def __init__(self, store: storage.Store, name: str | None = None) -> None:
        self._store, self._name = store, name

    def __len__(self) -> int:
        return self._store.n_documents

    def __getitem__(self, number: Any) -> Any:
        document = self._store.documents.one(number)
        return document.text if self._name is None else document.own[self._name]
