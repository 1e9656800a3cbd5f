"""A review job: labels in a store, questions to people, their answers, certificates and new fits.

All state is in the store. Several processes may use one job at the same time; each reads the new rows of the log
before it computes anything.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np

from ...certificate import LEVEL, Certificate, certify
from ...certificate.sampling import LABEL, NONE_OF_THESE
from ...labelling.column_names import NEW_COLUMNS
from ...labelling.labelling import Labelling
from ...labelling.multi import MultiLabelling
from ...tables.spreadsheet import write_labelled
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.find import RECALL, Find
from ..sample.frozen import ERROR, Limit
from ..sample.population import Population
from ..sample.several import MultiCertificate, certify_sets
from ..sample.usable import N_LEARN, Usable
from ..store.records import ACCEPT, AGAIN, FIRST_FIT, AnswerRow, NewAnswer, Page, Several
from .data import job_data, several_data
from .export import corrections_table, labelled_table, only_accepted
from .find import JobFind
from .population import population_of_store
from .questions import JobQuestions, Question
from .refit import refit
from .similar import Places, places_of, similar
from .state import JobLog, JobState, among


def open_job(place: str | os.PathLike[str]) -> Job:
    """Open a review job.

    Parameters
    ----------
    place : path or str
        SQLite file, or database URL such as `postgresql://user@host/database`.

    Returns
    -------
    job : Job
        The job.
    """
    return Job(store_class().open(place))


def check_new_job(place: str | os.PathLike[str]) -> None:
    """Raise the errors that a new job at this place would raise, before the work that gives its content."""
    store_class().check_new(place)


def store_class() -> type[storage.Store]:
    """The class of stores; an error of one line without the extra `review`."""
    try:
        return storage.Store
    except ImportError as error:
        raise ValueError(
            f"a review job needs {error.name}: pip install '.[review]' in a clone of labelferry."
        ) from None


class Job:
    """A review job. Use `labelferry.open_job`, or `store` of the result of `labelferry.label`.

    Parameters
    ----------
    store : Store
        Where everything is kept.

    Attributes
    ----------
    store : Store
        Where everything is kept.
    log : JobLog
        The answers, and what counts among them.
    questions : JobQuestions
        The queues of questions, and the answers that are a random sample.
    finding : JobFind
        The searches for all documents of a class: their questions and files.
    several : Several or None
        Several labels per document: their form, and the labels that were learned. None: one label per document.
    classes : list of str
        The class labels.
    columns : list of str
        The user's own columns without the text.
    n_documents : int
        Number of documents.
    """

    def __init__(self, store: storage.Store) -> None:
        self.store = store
        self.log = JobLog(store)
        self.questions = JobQuestions(store, self.log)
        self.finding = JobFind(store, self.log, self.questions)
        self.several: Several | None = store.database.several
        self.classes: list[str] = store.classes if self.several is None else list(self.several.form.names)
        self.columns: list[str] = store.settings["own"]
        self.n_documents: int = store.n_documents
        self._certificates: dict[tuple[int, int, float], Certificate | MultiCertificate] = {}

    @classmethod
    def create(
        cls, labelling: Labelling | MultiLabelling, place: str | os.PathLike[str], *, seed: int | None = None
    ) -> Job:
        """Write the result of `label` to a new store; the seed of the samples is drawn at random if None."""
        data = several_data if isinstance(labelling, MultiLabelling) else job_data
        return cls(store_class().create(place, data(labelling, seed)))  # type: ignore[arg-type]

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<labelferry job: {self.n_documents} documents, {len(self.log.answers())} answers, {self.store.name}>"

    # Questions

    def question(
        self,
        purpose: str = "audit",
        reviewer: str = "",
        *,
        skip: Collection[int] = (),
        error: float = ERROR,
        per_class: bool = False,
        name: str = "",
        whole_file: bool = False,
    ) -> Question | None:
        """The next open question for a person, None if there is none. Documents to `skip` come after all others.

        The purpose is "audit", "duel", "group", "new" or "accept". "accept" asks about labels that could be used next,
        with the claim of `accept`; with `whole_file`, what allows to use more labels if people label the rest. Do not
        show these labels to the person.
        """
        limit = Limit(float(error), per_class=per_class, name=name)
        return self.questions.next(purpose, reviewer, skip=skip, limit=limit, whole_file=whole_file)

    def queues(self) -> list[dict[str, Any]]:
        """One dict per purpose: `purpose`, `open` and `answered` (numbers of documents), `why`."""
        return self.questions.queues()

    def waiting(self) -> int:
        """Answers to questions of the random sample that come after a document without an answer."""
        return self.questions.waiting()

    # Answers

    def answer(
        self,
        document: int,
        answer: str | Collection[str] | None,
        *,
        kind: str = LABEL,
        purpose: str = "list",
        reviewer: str = "",
        shown: str | None = None,
    ) -> int:
        """Record the answer of a person about a document; returns its number in the log, where it is on the disk.

        The answer is a class, or None if the kind is not "label" but "none_of_these" or "unclear". The purpose says why
        the document was shown: as in `question`, or "again", "find" or "list". "accept" becomes "again" if the first
        answers contradict the label. `shown` is the label that the person saw; None if it was hidden.

        Of several labels per document, the answer is all of them, as in ["bug", "ui"] or as a file has them.
        """
        if self.several is not None and kind in (LABEL, NONE_OF_THESE):
            labels = self.several.form.read_answer([] if kind != LABEL else answer, "the answer")
            if labels is None:
                raise ValueError(
                    f"the answer is empty: {answer!r}. Pass all labels of the document, [] if none applies, or "
                    "kind='unclear'."
                )
            answer, kind = self.several.form.text(labels), LABEL
        return self.add_answers([NewAnswer(document, cast(str | None, answer), kind, purpose, reviewer, shown)])[0]

    def add_answers(self, answers: Sequence[NewAnswer]) -> list[int]:
        """Record several answers at once: all of them, or none if one of them is wrong; returns their numbers."""
        state = self.log.state()
        again = [
            a._replace(purpose=AGAIN) if a.purpose == ACCEPT and state.contradicted(a.document) else a for a in answers
        ]
        return self.log.add(again)

    def undo(self, reviewer: str = "") -> AnswerRow | None:
        """Take back the last answer of a person and return it; the answer before it counts again."""
        return self.log.undo(reviewer)

    def answers(self) -> list[AnswerRow]:
        """The answers that count: the last one per document and reviewer."""
        return self.log.answers()

    def history(self) -> list[AnswerRow]:
        """All rows of the log of answers, the first one first."""
        return self.log.history()

    def disagreements(self) -> list[dict[str, Any]]:
        """Documents with different answers and no majority: `document`, and `answers` as rows of the log."""
        return self.log.state().disagreements

    def progress(self) -> dict[str, Any]:
        """Numbers for people: documents, answers, reviewers, disagreements, answers since the last fit."""
        state, fit = self.log.state(), self.store.fits.all()[-1]
        answers = state.answers
        learned = set(fit.answers)
        return {
            "documents": self.n_documents,
            "answers": len(answers),
            "answered": len({row.document for row in answers}),
            "reviewers": sorted({row.reviewer for row in answers}),
            "disagreements": len(state.disagreements),
            "fit": fit.id,
            "new_answers": sum(row.id not in learned for row in answers),
            "needs_review": self.store.fits.counts()["needs_review"],
        }

    # What the answers prove, and learning

    def certificate(self, level: float = LEVEL) -> Certificate | MultiCertificate:
        """What the answers prove about the current labels; the intervals are valid after every answer.

        Of several labels per document: about each label, and about all labels of a document.
        """
        return self._certify(self.log.state(), level)

    def _certify(self, state: JobState, level: float) -> Certificate | MultiCertificate:
        key = (*state.version, level)
        certificate = self._certificates.get(key)
        if certificate is None:
            labelled = self.questions.labelled
            audit, duel = (among(labelled, self.questions.sample(purpose, state)) for purpose in ("audit", "duel"))
            if self.several is not None:
                certificate = certify_sets(population_of_store(self.store, state), audit, duel, level)
                self._certificates = {key: certificate}
                return certificate
            confidence = np.clip(self.store.fits.arrays(FIRST_FIT)["confidence"], 0, 1)  # learned from no answers
            certificate = certify(
                state.fit.arrays["labels"][labelled.rows],
                self.store.fits.source_only[labelled.rows],
                state.fit.arrays["needs_review"][labelled.rows],
                audit,
                duel,
                classes=self.classes,
                level=level,
                confidence=confidence[labelled.rows],
                known=among(labelled, state.seen),
            )
            self._certificates = {key: certificate}
        return certificate

    def issue(self, level: float = LEVEL) -> Certificate | MultiCertificate:
        """The certificate, also written to the store."""
        state = self.log.state()
        certificate, (fit, last_answer) = self._certify(state, level), state.version
        self.store.certificates.add(certificate.as_dict(), level=level, fit=fit, last_answer=last_answer)
        return certificate

    def accept(
        self,
        error: float = ERROR,
        *,
        outside: bool = False,
        per_class: bool = False,
        name: str = "",
        learn: int = N_LEARN,
    ) -> Usable:
        """Which labels may be used without looking, by the answers so far. A new statement is recorded.

        At most the share `error` of them is wrong: of all, of those `outside` the sample that certifies them, or of
        each class (`per_class`; all claims hold together). The labels first learn from `learn` random answers: nothing
        is certified before `refit`, unless a statement about them was made.

        Of several labels per document, the claim is about documents with all labels right, or about those that have the
        label `name`; all claims about one label hold together.
        """
        return self.questions.acceptance.issue(Limit(float(error), outside, per_class, name), learn)

    def find(self, of_class: str, recall: float = RECALL, *, level: float = LEVEL) -> Find:
        """The search for all documents of one class, until the share `recall` of them is found.

        Choose the level before the first answer. Ask with `finding.next` and answer with the purpose "find"; all
        answers of the job count.
        """
        return self.finding.find(of_class, recall, level)

    def refit(self, *, everything: bool = False) -> dict[str, Any]:
        """Learn from the answers and replace the labels. Accepted labels stay as they are, unless `everything`.

        Returns `fit`, `answers`, `changed` (labels), `accuracy_before` and `accuracy_after` on the answered documents
        by fits that did not learn from them, a `warning` if the labels became worse on them (otherwise empty), and the
        numbers of accepted labels that are `kept` and `withdrawn`.
        """
        state = self.log.state()
        carried, before = self.questions.acceptance.carry(state), self._certify(state, LEVEL)
        return refit(self.store, state, self.questions.new_class_rows, carried, before, everything=everything)

    # Lists and files

    def search(self, search: str = "", **filters: Any) -> Page:
        """One page of documents; filters as in `store.documents.page`."""
        return self.store.documents.page(search, **filters)

    def similar(self, document: int) -> list[int]:
        """Numbers of the documents that are like one, the nearest first; none for a job of a single method."""
        return similar(self._places, document)

    @cached_property
    def _places(self) -> Places:
        return places_of(self.store.database.arrays("pool"))

    def population(self) -> Population:
        """The documents with a predicted label, from which samples are drawn."""
        return population_of_store(self.store, self.log.state())

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        spreadsheet: bool = False,
        accepted: bool = False,
        error: float | None = None,
        outside: bool = False,
        per_class: bool = False,
        name: str = "",
        whole_file: bool = False,
    ) -> list[str]:
        """Write all documents with all their columns, the labels and the answers; returns messages.

        The column accepted is "yes" for labels that may be used, "answer" for documents that people answered, and empty
        for all others; `accepted` or a `name` writes only the former two. `error`, `outside`, `per_class` and `name`
        are those of `accept`; with a `name`, `label` has this label alone. Without `error` it is the lowest one of all
        statements with labels to use, or .05 if only these are written; otherwise there is no such column.
        `whole_file`: labels to use if people label the rest. `spreadsheet`: cells of a CSV or TSV file that a
        spreadsheet would run as a formula get an apostrophe.
        """
        usable = self.exported(error, outside=outside, per_class=per_class, name=name, accepted=accepted)
        usable = usable.for_whole_file() if usable is not None and whole_file else usable
        tables = labelled_table(self.store, self.log, self.questions.new_class_rows, usable)
        tables = only_accepted(*tables) if accepted or name else tables
        return write_labelled(*tables, path, reserved=NEW_COLUMNS, spreadsheet=spreadsheet)

    def exported(
        self,
        error: float | None = None,
        *,
        outside: bool = False,
        per_class: bool = False,
        name: str = "",
        accepted: bool = False,
    ) -> Usable | None:
        """The labels that `export` marks as usable, with their claim; parameters as in `export`."""
        acceptance = self.questions.acceptance
        lowest = acceptance.strictest_limit(name) or (Limit(name=name) if accepted or name else None)
        limit = lowest if error is None else Limit(error, outside, per_class, name)
        if limit is None:
            return None
        usable = acceptance.usable(limit)
        return acceptance.issue(limit) if usable.current.n else usable  # a statement that others may rely on

    def export_corrections(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> list[str]:
        """Write the answers that count with their documents, one row per answer; parameters as in `export`."""
        tables = corrections_table(self.store, self.log)
        return write_labelled(*tables, path, reserved=NEW_COLUMNS, spreadsheet=spreadsheet)
