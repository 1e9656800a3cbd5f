"""A job without a browser: open questions as a sample in a file, and the answers back into the job."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from ...certificate.sampling import N_AUDIT
from ...labelling.answers import class_named
from ..sample.accept_files import answers_of, draw_accept, times_asked
from ..sample.audit import Sample, as_sample
from ..sample.filled import Filled, read_sample
from ..sample.frozen import USUAL, Limit
from ..sample.usable import N_LEARN
from ..store.decisions import by_document, current_answers, standing_answers
from ..store.records import AGAIN, LIST, UNDO, NewAnswer
from .job import Job
from .state import CHOSEN

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
    return as_sample(job.population(), rows, job.questions.seed, blind)


def draw_accept_open(
    job: Job, n: int, limit: Limit = USUAL, *, learn: int = N_LEARN, whole_file: bool = False
) -> Sample:
    """The next documents to answer so that labels can be used; those of the random sample while labels learn first."""
    usable, population = job.accept(**limit._asdict(), learn=learn), job.population()
    if usable.learning is None:
        return draw_accept(population, usable, n, whole_file=whole_file)
    audit = job.questions.open_documents("audit", min(n, usable.learning.of - usable.learning.answers))
    if not audit:
        raise ValueError(f"{job.store.name}: the labels can learn from the answers now: labelferry accept.")
    positions = job.questions.labelled.positions(audit).tolist()
    return as_sample(population, [("audit", position) for position in positions], job.questions.seed, blind=True)


def import_answers(job: Job, given: Any, reviewer: str = "") -> dict[str, int]:
    """Write the answers of a filled sample to the log of a job; `reviewer` if the sample has no column of this name.

    Returns numbers of `new` answers, of those that are in the job already (`known`), and of `empty` rows.
    """
    population = job.population()
    filled: Filled = read_sample(given, population)
    if filled.seed != job.questions.seed:
        raise ValueError(
            f"{filled.name} was drawn with the seed {filled.seed}, and the job has {job.questions.seed}. Pass a sample "
            "that was drawn from this job (labelferry accept, labelferry audit)."
        )
    labelled = job.questions.labelled.rows
    state = job.log.state()
    first = current_answers([row for row in state.log if row.purpose != AGAIN])
    known = {(row.document, row.reviewer): (row.kind, row.answer) for row in first}
    answered = by_document(standing_answers(state.log))
    asked_again = Counter(row.document for row in state.log if row.purpose == AGAIN and row.kind != UNDO)
    counts = {"new": 0, "known": 0, "empty": filled.n_empty}
    new = []
    for (position, name), answer in answers_of(filled).items():
        document, person = int(labelled[position]), name or reviewer
        number, purpose = times_asked(filled.purposes[position]), filled.purposes[position]
        is_known = known.get((document, person)) == (answer.kind, answer.answer)
        if number and document not in answered:
            raise ValueError(
                f"{filled.name}: row {population.rows.number(position)} was asked again, and the job has no first "
                "answer to it. Add the sample with the first answer before."
            )
        if number:
            later = [row for row in answered[document][1:] if row.purpose in CHOSEN]
            n_again = sum(row.purpose == AGAIN for row in later)
            # another answer to a question that has one is a correction: it can make a label wrong, never right
            purpose = AGAIN if number > n_again else LIST
            persons = {row.reviewer for row in later if (row.kind, row.answer) == (answer.kind, answer.answer)}
            is_known = bool(persons) if purpose == LIST else number <= asked_again[document] and person in persons
        if is_known:
            counts["known"] += 1
            continue
        shown = class_named(filled.labels.get(position, ""), population.classes)
        new.append(NewAnswer(document, answer.answer, answer.kind, purpose, person, shown))
    if new:
        job.log.add(new)
    return {**counts, "new": len(new)}
