"""Which labels of a job may be used without looking: the ladder of its current fit, statements, and questions.

A ladder belongs to one fit, whose labels do not change. It follows from what is stored with the fit, so it is not
stored; its checksum is, with every statement that is made, so that a changed ladder is an error. Labels first learn
from some random answers; nothing is tested before. After learning again, accepted labels stay as they are, and the
others get a new ladder: another statement (`carried.py`). Of several labels per document, each label has a ladder of
its own for the documents that have it (`Limit.name`); after learning again it begins anew, in another round.
"""

from __future__ import annotations

from functools import cached_property
from threading import RLock

import numpy as np

from ...certificate.ladder import require_frozen
from ...certificate.rounds import round_tail
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.frozen import USUAL, Ladders, Limit, make_ladders
from ..sample.one_label import says
from ..sample.several import NOT_PER_CLASS
from ..sample.usable import N_LEARN, Learning, Usable, usable_labels
from ..store.records import ACCEPT, AGAIN, CertificateRow
from .carried import Carried, Part, carried_into, carry_on
from .other_rows import labelled_documents
from .population import JobLabels, labels_of_fit
from .state import JobLog, JobState

KIND = "accept"  # of a statement, in the table of certificates
TESTED = "tested"  # whether there was an answer: without one, a statement only says that the labels are frozen
SPACING = 10  # answers of a person before the same document comes again to the same person
AHEAD = 50  # questions to choose from if others were shown the first ones


class JobAccept:
    """The labels of a job that may be used."""

    def __init__(self, store: storage.Store, log: JobLog) -> None:
        self._store, self._log = store, log
        self._seed = int(store.settings["question_seed"])
        self._lock = RLock()
        self._fit = 0  # of what follows
        self._of_name: dict[str, tuple[JobLabels, Carried]] = {}  # by label if there are several, or for all labels
        self._ladders: dict[Limit, Ladders] = {}

    def usable(self, limit: Limit = USUAL, learn: int = N_LEARN, state: JobState | None = None) -> Usable:
        """The labels that may be used; nothing is recorded."""
        self.check(limit)
        state = self._log.state() if state is None else state
        with self._lock:
            labels, carried = self._of_fit(state, limit.name)
            part = carried.part(limit)
            round_number = carried.rounds + 1
            ladders = self._made_ladders(limit, labels, part, round_number)
        accepted = None if part is None else part.accepted(labels, state)
        return usable_labels(
            labels.now(state),
            labels.given(state),
            limit,
            earlier=() if accepted is None else (accepted,),
            round_number=round_number,
            before=carried.tail + len(self.other_limits(state.fit.fit, limit)) * round_tail(round_number),
            learning=self.learning(state, learn),
            ladders=ladders,
        )

    def check(self, limit: Limit) -> None:
        """Raise an error if a job makes no such claim."""
        several = self._store.database.several is not None
        if limit.name and not several:
            raise ValueError(f"{self._store.name} has one label per document. Omit the name of a label (--class).")
        if limit.per_class and several:
            raise ValueError(NOT_PER_CLASS)

    def names(self) -> list[str]:
        """Of several labels per document, those that any document has: there can be a claim about each of them."""
        several, state = self._store.database.several, self._log.state()
        if several is None:
            return []
        codes = np.unique(state.fit.arrays["labels"][labelled_documents(self._store).rows]).tolist()
        texts = [state.classes[code] for code in codes]
        return [name for name in several.learned if any(says(several.form, name, text) == 1 for text in texts)]

    def _made_ladders(self, limit: Limit, labels: JobLabels, part: Part | None, round_number: int) -> Ladders:
        """The ladders of the labels outside the part that was accepted when the fit was made; answers do not matter."""
        if limit not in self._ladders:
            free = None if part is None else ~part.documents[labels.documents]
            self._ladders[limit] = make_ladders(labels.frozen, limit, round_number=round_number, among=free)
        return self._ladders[limit]

    def issue(self, limit: Limit = USUAL, learn: int = N_LEARN) -> Usable:
        """The labels that may be used; the statement is recorded if it is new."""
        state = self._log.state()
        usable = self.usable(limit, learn, state)
        if usable.learning is not None:
            return usable
        earlier = [row.content for row in self.statements(state.fit.fit) if limit_of(row) == limit]
        if earlier:
            require_frozen(usable.ladders.key, int(earlier[-1]["key"]))
        tested = bool(usable.given.first)
        if not earlier or earlier[-1]["n_accepted"] != usable.n or tested > earlier[-1].get(TESTED, True):
            content = {"kind": KIND, "key": usable.ladders.key, TESTED: tested, "name": limit.name, **usable.as_dict()}
            fit, last = state.version
            self._store.certificates.add(content, level=usable.level, fit=fit, last_answer=last)
        return usable

    def statements(self, fit: int) -> list[CertificateRow]:
        """The statements that were made about the labels of a fit."""
        rows = self._store.certificates.all()
        return [row for row in rows if row.fit == fit and row.content.get("kind") == KIND]

    def _tested(self, fit: int, name: str = "") -> set[Limit]:
        """The limits at which answers were looked at: the statements about all of them are to hold together.

        Of several labels per document, those about one label (`name`), or about whole documents.
        """
        limits = {limit_of(row) for row in self.statements(fit) if row.content.get(TESTED, True)}
        return {limit for limit in limits if limit.name == name}

    def other_limits(self, fit: int, limit: Limit) -> frozenset[Limit]:
        """The other limits at which answers about the same labels were looked at."""
        return frozenset(self._tested(fit, limit.name) - {limit})

    def strictest_limit(self, name: str = "") -> Limit | None:
        """The lowest limit of all statements about the current labels, if possible of those with labels to use."""
        self.check(Limit(name=name))
        if not any(row.content.get("kind") == KIND for row in self._store.certificates.all()):
            return None  # at once, without the ladders: a page that is opened asks for it
        state = self._log.state()
        with self._lock:
            carried = self._of_fit(state, name)[1]
        limits = {limit for row in self.statements(state.fit.fit) if (limit := limit_of(row)).name == name}
        limits |= {part.limit for part in carried.parts}
        usable = {limit for limit in limits if self.usable(limit, state=state).n}
        return min(usable or limits, key=lambda limit: (limit.error, -limit.outside, -limit.per_class), default=None)

    def learning(self, state: JobState, learn: int = N_LEARN) -> Learning | None:
        """How many random answers the labels learn from first; None if they have learned, cannot, or need not."""
        has_learned = "held_out/seen" in state.fit.arrays
        if learn < 1 or has_learned or not self.can_learn or self.statements(state.fit.fit):
            return None
        n_classes = len(state.classes)
        return Learning(sum(0 <= code < n_classes for code in state.codes.values()), learn)

    @cached_property
    def can_learn(self) -> bool:
        """Whether the labels are those of a panel."""
        return "start" in self._store.database.arrays("pool")

    def carry(self, state: JobState) -> Carried:
        """What stays accepted if the labels learn again now."""
        with self._lock:
            labels, carried = self._of_fit(state)
        now = {limit: self.usable(limit, 0, state) for limit in sorted(self._tested(state.fit.fit))}
        return carry_on(carried, now, labels, state)

    def questions(self, limit: Limit = USUAL, reviewer: str = "", *, whole_file: bool = False) -> list[tuple[str, int]]:
        """Purposes and documents to ask a person about, the first one first."""
        state = self._log.state()
        usable = self.usable(limit, 0, state)
        with self._lock:
            labels = self._of_fit(state, limit.name)[0]
        again = labels.documents_of(usable.again)
        mine = [row.document for row in state.answers if row.reviewer == reviewer]
        recent = set(mine[-SPACING:])
        new = labels.documents_of(usable.next_rows(AHEAD, whole_file=whole_file))
        first = [(AGAIN, document) for document in again if document not in recent]
        last = [(AGAIN, document) for document in again if document in recent]
        return [*first, *((ACCEPT, document) for document in new), *last]

    def _of_fit(self, state: JobState, name: str = "") -> tuple[JobLabels, Carried]:
        """The frozen labels of the current fit, and what was accepted before; nothing stays accepted of one label."""
        if self._fit != state.fit.fit:
            self._ladders, self._of_name, self._fit = {}, {}, state.fit.fit
        if name not in self._of_name:
            carried = carried_into(self._store, state.fit) if not name else self._rounds_of(name, state.fit.fit)
            self._of_name[name] = labels_of_fit(self._store, state, self._seed, name), carried
        return self._of_name[name]

    def _rounds_of(self, name: str, fit: int) -> Carried:
        """The rounds of learning before a fit in which a label was tested, and their tail."""
        fits = [row.id for row in self._store.fits.all() if row.id < fit]
        numbers = [n for n in (len(self._tested(before, name)) for before in fits) if n]
        tail = sum(n * round_tail(number) for number, n in enumerate(numbers, 1))
        return Carried(len(numbers), tail, ())


def limit_of(row: CertificateRow) -> Limit:
    """The limit of a statement."""
    content = row.content
    per_class, name = bool(content.get("by_class")), str(content.get("name", ""))
    return Limit(float(content["error"]), bool(content["outside"]), per_class, name)
