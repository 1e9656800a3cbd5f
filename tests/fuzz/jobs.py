"""Files of review jobs that a broken disk or a stranger changed: the same data, or refused in one line."""

from __future__ import annotations

import json
import sqlite3
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from tests.damaged_jobs import ARRAYS, flip_bits, read_everything, reviewed_job, tamper

from .choices import Choices
from .rules import FINE, Finding, attempt, require

COLUMNS = {
    "documents": ("number", "line", "text", "own", "evidence"),
    "answers": ("id", "document", "answer", "kind", "purpose", "reviewer", "time", "shown", "fit", "replaces"),
    "fits": ("id", "time", "method", "answers", "summary", "labels"),
    "certificates": ("time", "level", "fit", "last_answer", "content"),
    "settings": (
        *("classes", "own", "columns", "file", "text", "question_seed", "settings", "indexed_search", "review_all"),
        *("other_rows", "other_languages", "without_label", "estimated_balanced_accuracy"),
    ),
    **dict.fromkeys(ARRAYS, ("data",)),
}
VALUES: tuple[Any, ...] = (0, 1, -1, 7, 2**31, 2**63 - 1, 0.5, float("inf"), "", "x", "abc", "null", "{}", "[]", "[1]")
VALUES += ('{"a": 1}', '["a"]', "[null]", "[[1]]", "[" * 5000, "NaN", "1e400", "true", b"", b"\xff", b"PK", None)
VALUES += ('{"id": "x", "answer": 1}', '{"rows": [0]}', '{"documents": [3], "reason": "x"}', '{"german": [1, 99]}')
VALUES += ('{"target_error": 2}', '{"target_error": 0.1}', '{"kind": "accept"}', '["billing", "technical", "account"]')


class JobCase(NamedTuple):
    """A change: bits of the file, or a value of a table with right checksums."""

    bits: tuple[int, ...] = ()
    table: str = ""
    column: str = ""
    value: Any = None


def decode(choices: Choices) -> JobCase:
    """A change of the file."""
    if choices.flag(2):
        size = 8 * len(intact()[0])
        return JobCase(tuple(int.from_bytes(choices.take(3), "little") % size for _ in range(1 + choices.below(20))))
    table = choices.pick(tuple(COLUMNS))
    return JobCase((), table, choices.pick(COLUMNS[table]), choices.pick(VALUES))


@cache
def intact() -> tuple[bytes, Any]:
    """The file of a job that was used, and what a person gets from it."""
    folder = Path(mkdtemp(prefix="labelferry-fuzz-"))
    reviewed_job(folder / "job.ferry", 30)
    content = (folder / "job.ferry").read_bytes()
    return content, read_everything(folder / "job.ferry", folder)


def check(case: JobCase, folder: Path) -> str:
    """Read everything from the changed file. With flipped bits, it must be what it was."""
    content, expected = intact()
    path = folder / "job.ferry"
    for left in folder.glob("job.ferry*"):
        left.unlink()
    path.write_bytes(flip_bits(content, case.bits))
    if case.table:
        try:
            tamper(path, case.table, case.column, case.value)
        except sqlite3.Error:  # the database itself refuses the value
            return FINE
    outcome, found = attempt(lambda: read_everything(path, folder))
    if outcome == FINE and case.bits:
        require(found == expected, "other data, without a word")
    if outcome == FINE and found is not None:
        try:
            json.dumps(found, default=str)
        except ValueError as error:
            raise Finding("wrong", f"values that are none: {error}") from error
    return outcome


def seeds() -> list[bytes]:
    """One change of each column, and some bits."""
    changed = [
        bytes([1, table, column, value]) for table in range(8) for column in range(6) for value in (3, 9, 12, 19)
    ]
    return [*changed, *(bytes([0, n, *range(3 * n + 3)]) for n in (0, 5, 19))]


PAST = {
    "own columns with other names": JobCase((), "documents", "own", '{"x": 1}'),
    "a text of bytes": JobCase((), "documents", "text", b"\xff"),
    "an answer to no document": JobCase((), "answers", "document", 99999),
    "an answer that is no class": JobCase((), "answers", "answer", "q"),
    "no settings": JobCase((), "settings", "settings", "{}"),
    "200,000 classes": JobCase((), "settings", "classes", json.dumps([f"c{i}" for i in range(200_000)])),
}
