"""Labels of any origin: the columns of a user's file that are to be certified, by the roles that they play.

An LLM, a vendor's model or rules wrote the labels, so the file has no marks of labelferry. Every row with a label in
the column is part of the population; a row without one is not: there is nothing to certify. What makes the certificate
true is the same as for labelferry's own labels: the sample is drawn after the labels are fixed, and has their
fingerprint (`same_labels.py`).
"""

from __future__ import annotations

from typing import NamedTuple

from ...certificate.interval import count
from ...labelling.column_names import NEW_COLUMNS
from ...labelling.marks import MARK, read_marks
from ...tables import Table
from ...tables.cells import as_text
from ...tables.labels import is_label
from ...tables.names import find_name, require
from ...tables.row_index import RowIndex

SUFFIX = "_confidence"  # llm_confidence has the confidences of llm, unless another column is named
OURS = frozenset(NEW_COLUMNS) - {"source_only"}  # which did not learn from answers
LABEL, CONFIDENCE, RIVAL = "label", "confidence", "source_only"  # roles of columns


class Chosen(NamedTuple):
    """The columns that a user names."""

    label: str
    confidence: str | None = None  # None: that of the same name with SUFFIX, if there is one
    against: str | None = None  # labels that they are compared with


class Roles(NamedTuple):
    """What is to be certified."""

    rows: RowIndex  # rows with a label
    columns: dict[str, str]  # the column of each role; the roles are names of columns that `label` writes
    messages: list[str]
    warnings: list[str]
    rival: str  # whom the labels are compared with; empty: nobody


def roles_of(table: Table, chosen: Chosen) -> Roles:
    """The roles of the columns that a user names; an error if there is no such column, or if it is one of ours."""
    messages: list[str] = []
    label = require(table, "column", chosen.label, messages)
    check_not_ours(table, label)
    confidence = chosen.confidence or find_name(table.columns, label + SUFFIX)
    columns = {LABEL: label}
    if confidence is not None:
        columns[CONFIDENCE] = require(table, "confidence", confidence, messages)
    if chosen.against is not None:
        columns[RIVAL] = require(table, "against", chosen.against, messages)
    if len(set(columns.values())) < len(columns):
        raise ValueError(
            f"column, confidence and against must be different columns of {table.name}; got "
            f"{', '.join(map(repr, columns.values()))}. Name others."
        )
    cells = table.columns[label]
    rows = RowIndex.where([is_label(value) for value in cells])
    if not len(rows):
        raise ValueError(f"{table.name} has no label in its column {label!r}. Name another column.")
    n_names = len({as_text(cells[row]) for row in rows.rows.tolist()})
    if n_names == len(rows) > 2:
        raise ValueError(
            f"{table.name}: every one of the {len(rows)} rows has a label of its own in the column {label!r}, such as "
            f"{as_text(cells[rows.rows[0]])[:40]!r}. Is it a number or a text? Name another column."
        )
    warnings = []
    if n := len(cells) - len(rows):
        warnings.append(f"{table.name}: {count(n, 'row')} without a label in the column {label!r}, left out")
    if RIVAL in columns:
        rivals = table.columns[columns[RIVAL]]
        n = sum(not is_label(rivals[row]) for row in rows.rows.tolist())
        if n:
            warnings.append(
                f"{table.name}: {count(n, 'row')} without a label in the column {columns[RIVAL]!r}; they count as equal"
            )
    if CONFIDENCE in columns and chosen.confidence is None:
        messages.append(f"confidence column: {columns[CONFIDENCE]!r} (its name)")
    return Roles(rows, columns, messages, warnings, f"column {columns[RIVAL]!r}" if RIVAL in columns else "")


def check_not_ours(table: Table, label: str) -> None:
    """Raise an error for a column that labelferry wrote: it may have learned from answers, and its marks say which."""
    if label in OURS and any(read_marks(table.columns.get(MARK, ()))):
        raise ValueError(
            f"the column {label!r} of {table.name} was written by labelferry, which knows what it learned from. Omit "
            "--column."
        )
