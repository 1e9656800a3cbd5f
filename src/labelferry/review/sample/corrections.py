"""Corrections: answers about documents that people chose on the report page, in a file of four columns.

    row          number of the document in the target table, from 1
    label        the predicted label
    answer       a class, none_of_these or unclear
    fingerprint  of the text of the document, so that answers are never given to another one

Corrections are not a random sample: the documents were chosen, most of them because their labels are uncertain. Labels
can learn from them (`label --answers`), but they prove nothing about the other documents, so `certify` refuses them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...certificate.sampling import UNCLEAR
from ...labelling.answers import Given, read_answer
from ...tables import Table
from ...tables.cells import as_text, fingerprint
from ...tables.row_index import RowIndex

COLUMNS = ("row", "label", "answer", "fingerprint")
NOT_RANDOM = (
    "has corrections of a report page: documents that people chose, not a random sample, so they prove nothing about "
    "the other documents. Learn from them: labelferry label ... --answers FILE. To certify, draw a sample: labelferry "
    "audit."
)


def is_corrections(columns: Mapping[str, Any]) -> bool:
    """Whether these are the columns of corrections, and not of a sample."""
    return all(name in columns for name in COLUMNS) and "sample_seed" not in columns


def read_corrections(
    table: Table, name: str, texts: Sequence[str], classes: Sequence[str], index: RowIndex
) -> dict[int, str]:
    """Rows of the file (from 0) and answers of corrections, to learn from; those that are unclear are omitted.

    `index` has the rows of the texts in the user's file.
    """
    answers: dict[int, Given] = {}
    cells = zip(*(table.columns[column] for column in ("row", "answer", "fingerprint")), table.lines, strict=True)
    for row, value, expected, line in cells:
        where = f"{table.name}, line {line}"
        position = index.position_of(row, where)
        number, file_row = index.number(position), int(index.rows[position])
        if fingerprint(texts[position]) != as_text(expected):
            raise ValueError(
                f"{where}: row {number} of {name} has another text than on the page. Pass the file from "
                "which the page was made, or remove this line."
            )
        if file_row in answers:
            raise ValueError(f"{where}: row {number} occurs twice. Keep one of the two.")
        answer = read_answer(value, classes, where)
        if answer is not None:
            answers[file_row] = answer
    if not answers:
        raise ValueError(f"{table.name} has no answers. Choose labels on the page, and download the corrections again.")
    return {row: answer.value for row, answer in answers.items() if answer.kind != UNCLEAR}
