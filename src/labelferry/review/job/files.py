"""A job without a browser: open questions as a sample in a file, and the answers back into the job."""

from __future__ import annotations

import os
from typing import Any

from ...labelling.answers import class_named, position_of
from ...tables.cells import as_text
from ..sample.audit import N_AUDIT, Sample, as_sample
from ..sample.filled import Filled, as_table, read_sample
from ..sample.population import Population, population_of_job
from .job import Job

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
    """The next open questions of a job.

    Parameters
    ----------
    job : Job
        The job. Its seed fixes the order of the sample.
    n : int, default=40
        Number of documents of the random sample.
    n_duel : int, default=0
        Number of further documents on which label and source-only classifier differ.
    blind : bool, default=False
        Whether to omit the labels.

    Returns
    -------
    sample : Sample
        As `labelferry.review.sample.audit.draw`.
    """
    audit = job.open_documents("audit", n)
    duel = [row for row in job.open_documents("duel", n + n_duel) if row not in set(audit)][:n_duel]
    if not audit and not duel:
        raise ValueError(f"{job.store.name} has no open question of this kind. Every document has an answer.")
    rows = [*(("audit", row) for row in audit), *(("duel", row) for row in duel)]
    return as_sample(population_of_job(job), rows, job.seed, blind)


def import_answers(job: Job, given: Any, reviewer: str = "") -> dict[str, int]:
    """Write the answers of a filled sample to the log of a job.

    Parameters
    ----------
    job : Job
        The job.
    given : path, data frame or mapping of str to list
        The sample with answers.
    reviewer : str, default=""
        Name of the person, if the sample has no column `reviewer`.

    Returns
    -------
    counts : dict
        Numbers of `new` answers, of those that are in the job already (`known`), and of `empty` rows.
    """
    population = population_of_job(job)
    filled: Filled = read_sample(given, population)
    if filled.seed != job.seed:
        raise ValueError(
            f"{filled.name} was drawn with the seed {filled.seed}, and the job has {job.seed}. Pass a sample of this "
            "job: labelferry audit."
        )
    from ..store import NewAnswer

    labels = shown_labels(given, population)
    known = {(row.document, row.reviewer): (row.kind, row.answer) for row in job.answers()}
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
        job.add_answers(new)
    return {**counts, "new": len(new)}


def shown_labels(given: Any, population: Population) -> dict[int, str]:
    """Per document of a filled sample, the label that it shows; none if the labels are hidden."""
    table = as_table(given, population.encoding)
    labels = table.columns.get("label", [])
    positions = {number: position for position, number in enumerate(population.numbers)}
    rows = (position_of(row, positions, table.name) for row in table.columns["row"])
    names = (class_named(as_text(label), population.classes) for label in labels)
    return {row: name for row, name in zip(rows, names, strict=False) if name is not None}
