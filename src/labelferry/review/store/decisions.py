"""What counts in the log of answers: the last answer per document and person, and what several persons decide.

Pure functions on rows of the log, so that every process computes the same from the same log.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from ...certificate.final_answers import AGREEING, agree
from .records import AGAIN, UNDO, AnswerRow

T = TypeVar("T")


def standing_answers(log: Iterable[AnswerRow]) -> list[AnswerRow]:
    """The answers that were not taken back, in the order of the log."""
    rows = list(log)
    taken_back = {row.replaces for row in rows if row.kind == UNDO}
    return [row for row in rows if row.kind != UNDO and row.id not in taken_back]


def current_answers(log: Iterable[AnswerRow]) -> list[AnswerRow]:
    """The last answer per document and reviewer that was not taken back."""
    last = {(row.document, row.reviewer): row for row in standing_answers(log)}
    return sorted(last.values(), key=lambda row: row.id)


def deciding_answers(log: Iterable[AnswerRow]) -> list[AnswerRow]:
    """The answers that say what a document is; learning, exports and labels to use take them.

    The last one of each person; answers to a question that was asked again count only if the first two agree, and then
    instead of all others before them.
    """
    found: list[AnswerRow] = []
    for given in by_document(standing_answers(log)).values():
        again = [row for row in given if row.purpose == AGAIN]
        others = [row for row in given if row.purpose != AGAIN]
        if agree([(row.kind, row.answer) for row in again]):
            kept = [row for row in others if row.id > again[AGREEING - 1].id] or again[:AGREEING]
        else:
            kept = others or again
        found += {row.reviewer: row for row in kept}.values()
    return sorted(found, key=lambda row: row.id)


def by_document(current: Iterable[AnswerRow]) -> dict[int, list[AnswerRow]]:
    """The answers of each document."""
    rows: dict[int, list[AnswerRow]] = defaultdict(list)
    for row in current:
        rows[row.document].append(row)
    return dict(rows)


def decide(rows: Sequence[AnswerRow]) -> AnswerRow | None:
    """The first of these answers to one document that more than half of the reviewers gave; None without a majority."""
    winner = majority([(row.kind, row.answer) for row in rows])
    return next((row for row in rows if (row.kind, row.answer) == winner), None)


def majority(values: Sequence[T]) -> T | None:
    """The value that more than half of a sequence have; None if there is none.

    >>> majority(["a", "b", "a"])
    'a'
    >>> majority(["a", "b"])
    """
    value, n = Counter(values).most_common(1)[0] if values else (None, 0)
    return value if 2 * n > len(values) else None
