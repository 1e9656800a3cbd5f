"""Plain values that go into a store and come out of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...certificate.sampling import LABEL, NONE_OF_THESE, UNCLEAR
from ...inputs.label_form import Form

Array = NDArray[Any]
KINDS = (LABEL, NONE_OF_THESE, UNCLEAR)
UNDO = "undo"  # the kind of a row that takes an answer back
QUEUES = ("audit", "duel", "group", "new", "accept")  # why a document is shown
ACCEPT, AGAIN = "accept", "again"  # the label of a document is asked about again if an answer contradicts it
LIST = "list"  # a person chose the document in the list
FIND = "find"  # all documents of one class are searched
PURPOSES = (*QUEUES, AGAIN, FIND, LIST)
FIRST_FIT = 1  # number of the labels that learned from no answer
SORTS = ("number", "confidence", "-confidence")  # of lists of documents


@dataclass(frozen=True)
class FitData:
    """Labels of one fit, one entry per document."""

    method: str  # its name, for people
    labels: Array  # class codes
    confidence: Array  # probability of each label to be correct
    alternative: Array  # codes of the second most probable labels
    needs_review: Array  # labels that a person should check
    answers: Sequence[int] = ()  # numbers of the answers that the fit learned from
    # for the documents of these answers, what a fit without them predicts: `rows`, `labels`, `needs_review`
    held_out: Mapping[str, Array] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)  # plain values about the fit
    accept_rank: Array | None = None  # 1 for the label that is most likely correct; 0: no label. None: by confidence
    accepted: Mapping[str, Array] = field(default_factory=dict)  # masks of labels that were accepted and stay
    proba: Array | None = None  # of several labels per document: documents x labels, the chance of each


@dataclass(frozen=True)
class JobData:
    """What a new store contains."""

    texts: Sequence[str]
    own: Mapping[str, Sequence[Any]]  # the user's other columns, one value per document
    lines: Sequence[int]  # of the documents in the user's file
    evidence: Sequence[Sequence[str]]  # words that support the label of each document
    source_only: Array  # class codes of the source-only classifier
    classes: Sequence[Any]  # the labels, in the order of the codes
    fit: FitData  # the first labels
    members: Mapping[str, Array]  # probabilities per member, documents x classes
    pool: Mapping[str, Array]  # what else is needed to learn from answers
    settings: Mapping[str, Any]  # plain values: name and columns of the file, seed of the questions, settings
    arrays: Mapping[str, Array] = field(default_factory=dict)  # others, such as the order of a queue


class Several(NamedTuple):
    """Several labels per document: the classes of the job are sets of them."""

    form: Form
    learned: tuple[str, ...]  # the labels that documents can get
    panel: tuple[int, ...]  # of the learned ones, those by a panel of methods: the columns of its members


class NewAnswer(NamedTuple):
    """An answer that is to be added to the log."""

    document: int  # number from 0
    answer: str | None  # the class label if `kind` is "label", otherwise None
    kind: str = LABEL  # "label", "none_of_these", "unclear" or "undo"
    purpose: str = "list"  # why the document was shown
    reviewer: str = ""
    shown: str | None = None  # the label that was shown, None if it was hidden
    time: str | None = None  # UTC, ISO 8601; now if None
    replaces: int | None = None  # the earlier answer that this one replaces or takes back
    fit: int | None = None  # the fit whose label was shown


class AnswerRow(NamedTuple):
    """One row of the log of answers."""

    id: int
    document: int
    answer: str | None  # the class label, None for other kinds
    kind: str  # "label", "none_of_these", "unclear" or "undo"
    purpose: str
    reviewer: str
    time: str  # UTC, ISO 8601
    shown: str | None  # the label that was shown, None if it was hidden
    fit: int | None  # the fit whose label was shown
    replaces: int | None  # the earlier answer that this row replaces or takes back

    @property
    def value(self) -> str:
        """The class label, or the kind of an answer that is no class label."""
        return self.answer if self.kind == LABEL and self.answer is not None else self.kind


class DocumentRow(NamedTuple):
    """One document with its current label."""

    number: int  # from 0, in the order of the file
    line: int
    text: str
    own: dict[str, Any]
    label: str
    confidence: float
    alternative: str
    evidence: list[str]
    needs_review: bool
    source_only: str


@dataclass(frozen=True)
class Page:
    """One page of a list of documents."""

    rows: list[DocumentRow]
    total: int  # documents that match
    more: bool  # whether more documents match the search than are listed
    offset: int
    limit: int

    def __iter__(self) -> Iterator[DocumentRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


class FitRow(NamedTuple):
    """One fit."""

    id: int
    time: str
    method: str
    answers: list[int]
    summary: dict[str, Any]


class FitLabels:
    """Labels of the fit with this number in memory, where lists are filtered and sorted.

    Its arrays are `labels`, `confidence`, `alternative`, `needs_review`, `accept_rank` (not in jobs of earlier
    versions), and `held_out/...` of an earlier answer.
    """

    def __init__(self, fit: int, arrays: dict[str, Array]) -> None:
        self.fit, self.arrays = fit, arrays
        rising = np.argsort(arrays["confidence"], kind="stable")
        self._orders = {"number": np.arange(len(rising)), "confidence": rising, "-confidence": rising[::-1]}

    def select(
        self,
        *,
        found: Array | None,
        labels: Sequence[int] | None,
        needs_review: bool | None,
        answered: tuple[Array, bool] | None,
        sort: str,
    ) -> Array:
        """Numbers of the documents that pass all filters, in order.

        `labels` are codes, `found` and `answered` are numbers of documents.
        """
        if sort not in self._orders:
            raise ValueError(f"sort must be one of {', '.join(SORTS)}; got {sort!r}.")
        order = self._orders[sort]
        passes = np.ones(len(order), dtype=bool)
        if labels is not None:
            passes &= np.isin(self.arrays["labels"], labels)
        if needs_review is not None:
            passes &= self.arrays["needs_review"] == needs_review
        if answered is not None:
            numbers, wanted = answered
            has_answer = np.zeros(len(order), dtype=bool)
            has_answer[numbers] = True
            passes &= has_answer == wanted
        if found is not None:
            is_found = np.zeros(len(order), dtype=bool)
            is_found[found] = True
            passes &= is_found
        return np.asarray(order[passes[order]])


class CertificateRow(NamedTuple):
    """One certificate that was issued."""

    id: int
    time: str
    level: float
    fit: int
    last_answer: int
    content: dict[str, Any]


def now(seconds_ago: float = 0) -> str:
    """The time in UTC, to the millisecond."""
    return (datetime.now(UTC) - timedelta(seconds=seconds_ago)).isoformat(timespec="milliseconds")
