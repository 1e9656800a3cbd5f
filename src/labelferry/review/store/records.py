"""Plain values that go into a store and come out of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from numpy.typing import NDArray

from ...certificate.sampling import LABEL, NONE_OF_THESE, UNCLEAR

Array = NDArray[Any]
KINDS = (LABEL, NONE_OF_THESE, UNCLEAR)
UNDO = "undo"  # the kind of a row that takes an answer back
QUEUES = ("audit", "duel", "group", "new", "accept")  # why a document is shown
ACCEPT, AGAIN = "accept", "again"  # the label of a document is asked about again if an answer contradicts it
LIST = "list"  # a person chose the document in the list
FIND = "find"  # all documents of one class are searched
PURPOSES = (*QUEUES, AGAIN, FIND, LIST)
FIRST_FIT = 1  # number of the labels that learned from no answer


@dataclass(frozen=True)
class FitData:
    """Labels of one fit, one entry per document.

    Attributes
    ----------
    method : str
        Name of the method, for people.
    labels : array of int
        Class codes.
    confidence : array of float
        Probability of each label to be correct.
    alternative : array of int
        Codes of the second most probable labels.
    needs_review : array of bool
        Labels that a person should check.
    answers : sequence of int, default=()
        Numbers of the answers that the fit learned from.
    held_out : mapping of str to array, default={}
        For the documents of these answers, what a fit without them predicts: `rows`, `labels`, `needs_review`.
    summary : mapping, default={}
        Plain values about the fit.
    accept_rank : array of int, default=None
        1 for the label that is most likely correct, 2, 3, ...; 0 for documents without a label. None: by confidence.
    accepted : mapping of str to array of bool, default={}
        Labels that were accepted before this fit and stay as they were.
    """

    method: str
    labels: Array
    confidence: Array
    alternative: Array
    needs_review: Array
    answers: Sequence[int] = ()
    held_out: Mapping[str, Array] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    accept_rank: Array | None = None
    accepted: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class JobData:
    """What a new store contains.

    Attributes
    ----------
    texts : sequence of str
        One text per document.
    own : mapping of str to sequence
        The user's other columns, one value per document.
    lines : sequence of int
        Line of each document in the user's file.
    evidence : sequence of list of str
        Words that support the label of each document.
    source_only : array of int
        Class codes of the source-only classifier.
    classes : sequence
        The class labels, in the order of the codes.
    fit : FitData
        The first labels.
    members : mapping of str to array
        Probabilities per member, documents x classes.
    pool : mapping of str to array
        What else is needed to learn from answers.
    settings : mapping
        Plain values: the name and columns of the file, the seed of the questions, the settings of the run.
    arrays : mapping of str to array, default={}
        Other arrays, such as the order of a queue.
    """

    texts: Sequence[str]
    own: Mapping[str, Sequence[Any]]
    lines: Sequence[int]
    evidence: Sequence[Sequence[str]]
    source_only: Array
    classes: Sequence[Any]
    fit: FitData
    members: Mapping[str, Array]
    pool: Mapping[str, Array]
    settings: Mapping[str, Any]
    arrays: Mapping[str, Array] = field(default_factory=dict)


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
    """One page of a list of documents.

    Attributes
    ----------
    rows : list of DocumentRow
        The documents of this page.
    total : int
        Number of documents that match.
    more : bool
        Whether more documents match the search than are listed.
    offset, limit : int
        Which of them are on this page.
    """

    rows: list[DocumentRow]
    total: int
    more: bool
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
