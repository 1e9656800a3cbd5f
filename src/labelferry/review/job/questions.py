"""The questions of a job: which documents to ask a person about, in which order, and which answers are a random sample.

Every order is fixed by the seed of the job: it does not depend on who answers or when. The answers to a prefix of the
audit order are therefore a random sample of all documents with a predicted label, whatever the purpose for which they
were given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ...certificate import Answers, audit_order
from ...certificate.accept import MOST_ANSWERS
from ...linalg.matrix import Array
from ...tables.row_index import RowIndex
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.frozen import USUAL, Limit
from ..store.records import ACCEPT, QUEUES, now
from .accept import JobAccept
from .other_rows import labelled_documents
from .reasons import WHY, reason
from .state import JobLog, JobState

RESERVED_SECONDS = 600  # for which others get another question than the one a person was shown last


class Question(NamedTuple):
    """A document with the reason to ask about it."""

    document: int  # number from 0
    line: int  # in the user's file
    text: str
    label: str
    confidence: float
    alternative: str
    evidence: list[str]
    columns: dict[str, Any]  # the user's other columns
    source_only: str
    needs_review: bool
    purpose: str
    reason: str


class JobQuestions:
    """The queues of a job."""

    def __init__(self, store: storage.Store, log: JobLog) -> None:
        self._store, self._log = store, log
        self.acceptance = JobAccept(store, log)
        self._orders = store.database.arrays("job")  # those that do not change
        self._audit = (0, np.zeros(0, dtype=np.int64))  # a fit and its order
        self.seed = int(store.settings["question_seed"])  # of the random samples

    @cached_property
    def labelled(self) -> RowIndex:
        """The documents with a predicted label: the random samples are drawn from these."""
        return labelled_documents(self._store)

    @property
    def new_class_rows(self) -> Array:
        """Documents that no class explains, in the order in which they are asked about."""
        return self._orders.get("new", np.zeros(0, dtype=np.int64))

    def order(self, purpose: str, state: JobState | None = None) -> Array:
        """The documents of a queue in their order."""
        if purpose in ("audit", "duel"):
            fit = (self._log.state() if state is None else state).fit
            if self._audit[0] != fit.fit:  # a new order after learning, see `certificate/sampling.py`
                seen = fit.arrays.get("held_out/seen", np.zeros(0, dtype=np.int64))
                known = self.labelled.positions(seen[self.labelled.contains(seen)])
                self._audit = (fit.fit, self.labelled.rows[audit_order(len(self.labelled), self.seed, known)])
            order = self._audit[1]
            return order if purpose == "audit" else order[(fit.arrays["labels"] != self._store.fits.source_only)[order]]
        if purpose in QUEUES and purpose != ACCEPT:  # whose order depends on the answers
            return self._orders.get(purpose, np.zeros(0, dtype=np.int64))
        raise ValueError(f"purpose must be one of {', '.join(QUEUES)}; got {purpose!r}.")

    def next(
        self,
        purpose: str = "audit",
        reviewer: str = "",
        *,
        skip: Collection[int] = (),
        limit: Limit = USUAL,
        whole_file: bool = False,
    ) -> Question | None:
        """The next open question of a queue, None if there is none; what a person skips comes again after the others.

        Two persons get different questions if there are enough. `limit` and `whole_file` are those of the queue
        "accept"; as long as the labels have to learn first, its questions are those of the random sample.
        """
        self.acceptance.check(limit)
        if purpose == ACCEPT and self._learns_first():
            purpose = "audit"
        if purpose == ACCEPT:
            asked = self.acceptance.questions(limit, reviewer, whole_file=whole_file)
            purposes = {document: why for why, document in asked}
            row = self.reserve(list(purposes), reviewer, skip)
            return None if row is None else self.about(row, purposes[row])
        row = self.reserve(self.order(purpose), reviewer, skip, {row.document for row in self._log.answers()})
        return None if row is None else self.about(row, purpose)

    def reserve(
        self, order: Iterable[Any], reviewer: str, skip: Collection[int], closed: Collection[int] = ()
    ) -> int | None:
        """The first document of an order that is not closed, for this person; others get another one for a while."""
        shown = self._store.answers.shown_since(now(RESERVED_SECONDS))
        others = {document for name, document in shown.items() if name != reviewer}
        row = next_open(order, {*closed, *skip}, others)
        row = next_open(order, closed, others) if row is None else row
        if row is not None and shown.get(reviewer) != row:
            self._store.answers.add_shown(row, reviewer)
        return row

    def _learns_first(self) -> bool:
        """Whether the labels are to learn from more random answers before labels are accepted."""
        learning = self.acceptance.learning(self._log.state())
        return learning is not None and not learning.now

    def about(self, document: int, purpose: str = "list") -> Question:
        """The question about one document."""
        row = self._store.documents.one(document)
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
            reason(purpose, row.label, row.source_only),
        )

    def open_documents(self, purpose: str, n: int) -> list[int]:
        """The first n documents of a queue without an answer."""
        closed = {row.document for row in self._log.answers()}
        return list(islice((int(row) for row in self.order(purpose) if row not in closed), n))

    def queues(self, limit: Limit = USUAL) -> list[dict[str, Any]]:
        """One dict per purpose: `purpose`, `open` and `answered` (numbers of documents), `why`."""
        state = self._log.state()
        answers = state.answers
        closed = np.zeros(self._store.n_documents, dtype=bool)
        closed[[row.document for row in answers]] = True
        queues = []
        for purpose in QUEUES:
            if purpose == ACCEPT:
                n_open = self._open_accept(state, limit)
            else:
                order = self.order(purpose, state)
                n_open = len(order) - int(closed[order].sum())
            queues.append(
                {
                    "purpose": purpose,
                    "open": n_open,
                    "answered": len({row.document for row in answers if row.purpose == purpose}),
                    "why": WHY[purpose],
                }
            )
        return queues

    def _open_accept(self, state: JobState, limit: Limit) -> int:
        """Questions until more labels can be used, if all answers agree with the labels."""
        usable = self.acceptance.usable(limit, state=state)
        if usable.learning is not None:
            return max(usable.learning.of - usable.learning.answers, 0)
        return usable.needs[0][0] if usable.needs else len(usable.next_rows(MOST_ANSWERS))

    def sample(self, purpose: str, state: JobState | None = None) -> Answers:
        """The answers that are a random sample: a prefix of the order of this purpose.

        Documents that had an answer when the labels were fitted are not in the order.
        """
        state = self._log.state() if state is None else state
        return state.sample(self.order(purpose, state))

    def waiting(self) -> int:
        """Answers to questions of the random sample that come after a document without an answer."""
        state = self._log.state()
        counted = {
            *self.sample("audit", state).rows.tolist(),
            *state.seen.rows.tolist(),
            *self.labelled.others.tolist(),
        }
        return len({row.document for row in state.answers if row.purpose == "audit"} - counted)


def next_open(order: Iterable[Any], closed: Collection[int], avoid: Collection[int]) -> int | None:
    """The first document of an order that is not closed, if possible one that is not to be avoided.

    >>> next_open([3, 1, 2], closed={3}, avoid={1})
    2
    """
    first = None
    for row in order:
        if row not in closed:
            if row not in avoid:
                return int(row)
            first = int(row) if first is None else first
    return first
