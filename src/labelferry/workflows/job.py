"""A review job: labels in a store, questions to people, their answers, certificates and new fits.

All state is in the store. Several processes may use one job at the same time; each reads the new rows of the log
before it computes anything.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificate import audit_order, duel_order
from ..linalg.matrix import Array
from ..text import write_table
from . import questions
from .questions import Question
from .refit import not_learned, refit

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..store import AnswerRow, Page, Store
    from .labelling import Labelling

LEVEL = 0.95  # of certificates
FIRST_FIT = 1
RESERVED_SECONDS = 600  # for which others get another question than the one a person was shown last


def seconds_ago(seconds: float) -> str:
    """A time in the past as the store writes it."""
    from ..store.database import now

    return now(seconds)


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
    return Job(_store_class().open(place))


def check_new_job(place: str | os.PathLike[str]) -> None:
    """Raise the errors that a new job at this place would raise, before the work that gives its content.

    Parameters
    ----------
    place : path or str
        New SQLite file, or URL of an empty database.
    """
    _store_class().check_new(place)


def _store_class() -> type[Store]:
    try:
        from ..store import Store
    except ImportError as error:
        raise ValueError(f"a review job needs {error.name}: pip install 'labelferry[review]'.") from None
    return Store


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
    classes : list of str
        The class labels.
    columns : list of str
        The user's own columns without the text.
    n_documents : int
        Number of documents.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.classes: list[str] = store.classes
        self.columns: list[str] = store.settings["own"]
        self.n_documents: int = store.n_documents
        self._lock = RLock()
        self._log: list[AnswerRow] = []
        self._job_arrays = store.arrays("job")
        self._source_only = store.source_only()
        self._audit = audit_order(self.n_documents, self.seed)
        self._duel = (0, np.zeros(0, dtype=np.int64))  # a fit and its order
        self._certificates: dict[tuple[int, int, float], Certificate] = {}

    @classmethod
    def create(cls, labelling: Labelling, place: str | os.PathLike[str], *, seed: int | None = None) -> Job:
        """Write the result of `label` to a new store.

        Parameters
        ----------
        labelling : Labelling
            Labels of the documents.
        place : path or str
            New SQLite file, or URL of an empty database.
        seed : int, default=None
            Seed of the random samples; drawn at random if None.

        Returns
        -------
        job : Job
            The job.
        """
        store = _store_class()
        from .job_data import job_data

        return cls(store.create(place, job_data(labelling, seed)))

    @property
    def seed(self) -> int:
        """Seed of the random samples."""
        return int(self.store.settings["question_seed"])

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<labelferry job: {self.n_documents} documents, {len(self.answers())} answers, {self.store.name}>"

    # The state of the log and of the last fit

    def history(self) -> list[AnswerRow]:
        """All rows of the log, the first one first."""
        with self._lock:
            self._log += self.store.history(after=self._log[-1].id if self._log else 0)
            return list(self._log)

    def answers(self) -> list[AnswerRow]:
        """The answers that count: the last one per document and reviewer."""
        from ..store import current_answers

        return current_answers(self.history())

    def decided(self) -> dict[int, AnswerRow | None]:
        """Per answered document, the answer on which the reviewers agree; None for a disagreement."""
        from ..store import decide
        from ..store.decisions import by_document

        return {document: decide(rows) for document, rows in by_document(self.answers()).items()}

    def disagreements(self) -> list[dict[str, Any]]:
        """Documents with different answers and no majority: `document`, and `answers` as rows of the log."""
        from ..store import decide
        from ..store.decisions import by_document

        return [
            {"document": document, "answers": rows}
            for document, rows in by_document(self.answers()).items()
            if decide(rows) is None
        ]

    # Questions

    def _order(self, purpose: str) -> Array:
        if purpose == "audit":
            return self._audit
        if purpose == "duel":
            fit = self.store.labels()
            if self._duel[0] != fit.fit:
                self._duel = (fit.fit, duel_order(fit.arrays["labels"], self._source_only, self.seed))
            return self._duel[1]
        if purpose in questions.PURPOSES:
            return self._job_arrays.get(purpose, np.zeros(0, dtype=np.int64))
        raise ValueError(f"purpose must be one of {', '.join(questions.PURPOSES)}; got {purpose!r}.")

    def question(self, purpose: str = "audit", reviewer: str = "", *, skip: Collection[int] = ()) -> Question | None:
        """The next open question, None if there is none.

        Parameters
        ----------
        purpose : {"audit", "duel", "group", "new"}, default="audit"
            Which queue.
        reviewer : str, default=""
            Name of the person. Two persons get different questions if there are enough.
        skip : collection of int, default=()
            Documents that this person skipped. They come again after all others.

        Returns
        -------
        question : Question or None
            A document and the reason to ask about it.
        """
        order = self._order(purpose)
        closed = {row.document for row in self.answers()}
        shown = self.store.shown_since(seconds_ago(RESERVED_SECONDS))
        others = {document for name, document in shown.items() if name != reviewer}
        row = questions.next_open(order, {*closed, *skip}, others)
        if row is None:
            row = questions.next_open(order, closed, others)
        if row is None:
            return None
        if shown.get(reviewer) != row:
            self.store.add_shown(row, reviewer)
        return self.ask(row, purpose)

    def open_documents(self, purpose: str, n: int) -> list[int]:
        """The first n documents of a queue without an answer."""
        closed = {row.document for row in self.answers()}
        return list(islice((int(row) for row in self._order(purpose) if row not in closed), n))

    def ask(self, document: int, purpose: str = "list") -> Question:
        """The question about one document."""
        row = self.store.document(document)
        members = {}
        if "votes" in self._job_arrays and purpose == "group":
            votes = self._job_arrays["votes"][:, document]
            members = {str(i): self.classes[code] for i, code in enumerate(votes)}
        why = questions.reason(purpose, row.label, row.source_only, members)
        return Question(
            row.number,
            row.line,
            row.text,
            row.label,
            row.confidence,
            row.alternative,
            row.evidence,
            row.own,
            row.source_only,
            row.needs_review,
            purpose,
            why,
        )

    def queues(self) -> list[dict[str, Any]]:
        """One dict per purpose: `purpose`, `open` and `answered` (numbers of documents), `why`."""
        answers = self.answers()
        closed = np.zeros(self.n_documents, dtype=bool)
        closed[[row.document for row in answers]] = True
        found = []
        for purpose in questions.PURPOSES:
            order = self._order(purpose)
            n_closed = int(closed[order].sum())
            found.append(
                {
                    "purpose": purpose,
                    "open": len(order) - n_closed,
                    "answered": len({row.document for row in answers if row.purpose == purpose}),
                    "why": questions.WHY[purpose],
                }
            )
        return found

    # Answers

    def answer(
        self,
        document: int,
        answer: str | None,
        *,
        kind: str = "label",
        purpose: str = "list",
        reviewer: str = "",
        shown: str | None = None,
    ) -> int:
        """Record what a person said about a document. It is on the disk when this returns.

        Parameters
        ----------
        document : int
            Number of the document.
        answer : str or None
            A class label; None for other kinds.
        kind : {"label", "none_of_these", "unclear"}, default="label"
            Kind of the answer.
        purpose : {"audit", "duel", "group", "new", "list"}, default="list"
            Why the document was shown.
        reviewer : str, default=""
            Name of the person.
        shown : str, default=None
            Label that was shown; None if it was hidden.

        Returns
        -------
        id : int
            Number of the row in the log.
        """
        earlier = [row.id for row in self.answers() if (row.document, row.reviewer) == (document, reviewer)]
        return self.store.add_answer(
            document,
            answer,
            kind,
            purpose,
            reviewer,
            shown,
            replaces=earlier[0] if earlier else None,
            fit=self.store.last_fit(),
        )

    def undo(self, reviewer: str = "") -> AnswerRow | None:
        """Take back the last answer of a person. The answer before it counts again.

        Parameters
        ----------
        reviewer : str, default=""
            Name of the person.

        Returns
        -------
        row : AnswerRow or None
            The answer that was taken back; None if there is none.
        """
        mine = [row for row in self.answers() if row.reviewer == reviewer]
        if not mine:
            return None
        last = mine[-1]
        self.store.add_answer(last.document, None, "undo", last.purpose, reviewer, replaces=last.id)
        return last

    # Certificate and refit

    def codes(self) -> dict[int, int]:
        """Class codes of the answered documents: K for none of these, -1 for unclear and for a disagreement."""
        other = {"none_of_these": len(self.classes), "unclear": -1}
        return {
            document: -1
            if row is None
            else other.get(row.kind, -1)
            if row.answer is None
            else self.classes.index(row.answer)
            for document, row in self.decided().items()
        }

    def sample(self, purpose: str) -> tuple[Array, Array]:
        """Documents and codes of the answers that are a random sample: a prefix of the order of this purpose."""
        codes = self.codes()
        rows = questions.answered_prefix(self._order(purpose), codes)
        return np.array(rows, dtype=np.int64), np.array([codes[row] for row in rows], dtype=np.int64)

    def certificate(self, level: float = LEVEL) -> Certificate:
        """What the answers prove about the current labels.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.

        Returns
        -------
        certificate : Certificate
            Intervals that are valid after every answer.
        """
        from ..certificate import Answers, certify

        last = self.history()[-1].id if self._log else 0
        fit = self.store.labels()
        key = (fit.fit, last, level)
        if key not in self._certificates:
            labels, review = not_learned(fit.arrays)
            self._certificates = {
                key: certify(
                    labels,
                    self._source_only,
                    review,
                    Answers(*self.sample("audit")),
                    Answers(*self.sample("duel")),
                    classes=self.classes,
                    level=level,
                    confidence=np.clip(self.store.fit_arrays(FIRST_FIT)["confidence"], 0, 1),  # knows no answers
                )
            }
        return self._certificates[key]

    def issue(self, level: float = LEVEL) -> Certificate:
        """The certificate, also written to the store."""
        certificate = self.certificate(level)
        last = self._log[-1].id if self._log else 0
        self.store.add_certificate(certificate.as_dict(), level=level, fit=self.store.last_fit(), last_answer=last)
        return certificate

    def progress(self) -> dict[str, Any]:
        """Numbers for people: documents, answers, reviewers, disagreements, answers since the last fit."""
        answers, fit = self.answers(), self.store.fits()[-1]
        learned = set(fit.answers)
        return {
            "documents": self.n_documents,
            "answers": len(answers),
            "answered": len({row.document for row in answers}),
            "reviewers": sorted({row.reviewer for row in answers}),
            "disagreements": len(self.disagreements()),
            "fit": fit.id,
            "new_answers": sum(row.id not in learned for row in answers),
            "needs_review": self.store.counts()["needs_review"],
        }

    def refit(self) -> dict[str, Any]:
        """Learn from the answers and replace the labels.

        Returns
        -------
        summary : dict
            `fit`, `answers`, `changed` (labels that changed), and the accuracy on the answered documents before and
            after: `accuracy_before` and `accuracy_after`, both by fits that did not learn from the document.
        """
        return refit(self)

    # Lists and files

    def search(self, search: str = "", **filters: Any) -> Page:
        """One page of documents; filters as in `Store.documents`."""
        return self.store.documents(search, **filters)

    def export(self, path: str | os.PathLike[str]) -> list[str]:
        """Write all documents with all their columns, the labels and the answers. Returns messages."""
        from .export import labelled_table

        return write_table(*labelled_table(self), path)

    def export_corrections(self, path: str | os.PathLike[str]) -> list[str]:
        """Write the answers that count with their documents, one row per answer. Returns messages."""
        from .export import corrections_table

        return write_table(*corrections_table(self), path)
