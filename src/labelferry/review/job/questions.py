"""The questions of a job: its queues, and the answers that are a random sample."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ...certificate import Answers, audit_order
from ...linalg.matrix import Array
from ..store.records import QUEUES
from . import questions
from .log import JobLog
from .questions import Question
from .state import JobState

if TYPE_CHECKING:
    from ..store import Store

RESERVED_SECONDS = 600  # for which others get another question than the one a person was shown last


def seconds_ago(seconds: float) -> str:
    """A time in the past as the store writes it."""
    from ..store.database import now

    return now(seconds)


class JobQuestions(JobLog):
    """The questions of a job.

    Parameters
    ----------
    store : Store
        Where everything is kept.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._job_arrays = store.arrays("job")
        self._source_only = store.source_only()
        self._audit = (0, np.zeros(0, dtype=np.int64))  # a fit and its order

    @property
    def seed(self) -> int:
        """Seed of the random samples."""
        return int(self.store.settings["question_seed"])

    @property
    def new_class_rows(self) -> Array:
        """Documents that no class explains, in the order in which they are asked about."""
        return self._job_arrays.get("new", np.zeros(0, dtype=np.int64))

    def _order(self, purpose: str, state: JobState | None = None) -> Array:
        """The documents of a queue in their order."""
        if purpose in ("audit", "duel"):
            fit = (self.state() if state is None else state).fit
            if self._audit[0] != fit.fit:  # a new order after learning, see `certificate/sampling.py`
                seen = fit.arrays.get("held_out/seen", ())
                self._audit = (fit.fit, audit_order(self.n_documents, self.seed, seen))
            order = self._audit[1]
            return order if purpose == "audit" else order[(fit.arrays["labels"] != self._source_only)[order]]
        if purpose in QUEUES:
            return self._job_arrays.get(purpose, np.zeros(0, dtype=np.int64))
        raise ValueError(f"purpose must be one of {', '.join(QUEUES)}; got {purpose!r}.")

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
        why = questions.reason(purpose, row.label, row.source_only)
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
        state = self.state()
        answers = state.answers
        closed = np.zeros(self.n_documents, dtype=bool)
        closed[[row.document for row in answers]] = True
        queues = []
        for purpose in QUEUES:
            order = self._order(purpose, state)
            n_closed = int(closed[order].sum())
            queues.append(
                {
                    "purpose": purpose,
                    "open": len(order) - n_closed,
                    "answered": len({row.document for row in answers if row.purpose == purpose}),
                    "why": questions.WHY[purpose],
                }
            )
        return queues

    def sample(self, purpose: str, state: JobState | None = None) -> Answers:
        """The answers that are a random sample: a prefix of the order of this purpose.

        Documents that had an answer when the labels were fitted are not in the order.
        """
        state = self.state() if state is None else state
        return state.sample(self._order(purpose, state))

    def waiting(self) -> int:
        """Answers to questions of the random sample that come after a document without an answer."""
        state = self.state()
        counted = {*self.sample("audit", state).rows.tolist(), *state.seen.rows.tolist()}
        return len({row.document for row in state.answers if row.purpose == "audit"} - counted)

    def seen(self) -> Answers:
        """Documents that had an answer when the current labels were fitted, and the codes of their present answers."""
        return self.state().seen
