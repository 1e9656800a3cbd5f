"""Which rows of a table are labelled documents, which are new ones, and which are neither."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from ..tables import Table, summarize
from ..tables.invisible import is_normal
from ..tables.labels import find_spellings, is_label, merged_names, spellings_message, strip_label
from ..tables.lines import rows_message
from ..tables.row_index import RowIndex
from ..tables.sequences import picked
from ..tables.table import join_texts

NO_TEXT = "no text"
NO_KNOWN_WORD = "no known word"
NO_FEATURES = "all features are 0"
NOT_LABELLED = "not labelled"
NOT_LEARNED = "not learned from"
HIDDEN = "invisible characters or decomposed letters"
REASONS = (NO_TEXT, NO_KNOWN_WORD, NO_FEATURES)  # why a row that can be read gets no label


class Rows(NamedTuple):
    """The rows of a table."""

    table: Table  # all rows
    texts: Sequence[str | None]  # texts of all rows; None if a row has none
    with_text: Array  # true for rows with a text
    labels: list[Any]  # labels of all rows as people see them; None if a row has none

    @property
    def without_text(self) -> Array:
        """True for rows that can be read and have no text."""
        without = ~self.with_text
        without[list(self.table.unreadable)] = False
        return np.asarray(without)

    @property
    def with_label(self) -> Array:
        """True for rows with a label."""
        return np.array([label is not None for label in self.labels], dtype=bool)

    def texts_of(self, rows: Array) -> Sequence[str]:
        """Texts of these rows, which all have one."""
        return picked(self.texts, rows)

    def count_message(self, which: Array, what: str, effect: str) -> list[str]:
        """A message about these rows; none if there is no such row."""
        # Returns one message, with the number of rows and the place of the first; none if there is no such row.
        return count_rows(self.table, np.flatnonzero(which), what, effect)


def read_rows(table: Table, text: Sequence[str], label: str | None) -> Rows:
    """The texts of a table, and the labels if there is a column of them."""
    values = [None] * len(table) if label is None else table.columns[label]
    once: dict[tuple[type, Any], Any] = {}  # equal labels are one object
    labels = [once.setdefault((type(v), v), strip_label(v)) if is_label(v) else None for v in values]
    texts = join_texts(table, text)
    return Rows(table, texts, np.fromiter((t is not None for t in texts), dtype=bool, count=len(texts)), labels)


def count_rows(table: Table, rows: Array, what: str, effect: str) -> list[str]:
    """A message with the number of these rows and the place of the first; none if there is no such row."""
    if not len(rows):
        return []
    return [rows_message(table.name, [table.lines[row] for row in rows], f"{what}, {effect}", unit=unit_of(table))]


def unit_of(table: Table) -> str:
    """What the lines of a table count: "row" if it does not come from a file."""
    return table.dialect.unit if table.dialect else "row"


def table_messages(table: Table) -> list[str]:
    """What was detected in a table, and how many of its rows could not be read."""
    outcome = NOT_LABELLED if table.unreadable else "skipped"
    return [*table.messages, *summarize(table.bad, table.name, unit=unit_of(table), outcome=outcome)]


def readable_rows(table: Table) -> RowIndex:
    """The rows that could be read."""
    return RowIndex.without(list(table.unreadable), len(table))


def stripped_messages(rows: Rows, column: str) -> list[str]:
    """Messages if labels had blanks around them, or characters that nobody sees."""
    pairs = list(zip(rows.labels, rows.table.columns[column], strict=True))
    changed = np.array([label is not None and label != value for label, value in pairs])
    hidden = np.array([isinstance(value, str) and not is_normal(value) for _, value in pairs])
    return [
        *rows.count_message(changed & ~hidden, "with blanks around the label", "blanks removed"),
        *rows.count_message(changed & hidden, f"with {HIDDEN} in the label", "compared without them"),
    ]


def hidden_messages(texts: Sequence[str], name: str) -> list[str]:
    """A message with the number of texts that are not in their normal form; none if all are."""
    n = sum(not is_normal(text) for text in texts)
    if not n:
        return []
    return [f"{name}: {n:,} of {len(texts):,} texts with {HIDDEN}; words are counted without them"]


def merge_spellings(sources: Sequence[Rows], merge: bool) -> tuple[list[Rows], dict[str, str], list[str]]:
    """Find labels that differ only in case, blanks or Unicode form."""
    groups = find_spellings(label for rows in sources for label in rows.labels)
    names = merged_names(groups) if merge else {}
    merged = [rows._replace(labels=rename(rows.labels, names)) if names else rows for rows in sources]
    return merged, names, [spellings_message(groups, merge)] if groups else []


def rename(labels: Sequence[Any], names: dict[str, str]) -> list[Any]:
    """Labels under their new names."""
    return [names.get(label, label) if isinstance(label, str) else label for label in labels]
