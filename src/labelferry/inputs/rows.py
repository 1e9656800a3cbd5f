"""Which rows of a table are labelled documents, which are new ones, and which are neither; and the sources.

A source is the labelled documents of one table, or of one value of its domain column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from ..tables import Table, check_labels, summarize
from ..tables.cells import as_text
from ..tables.invisible import is_normal
from ..tables.labels import find_spellings, is_label, merged_names, spellings_message, strip_label
from ..tables.lines import rows_message
from ..tables.names import find_name
from ..tables.row_index import RowIndex
from ..tables.sequences import picked
from ..tables.table import join_texts

NO_TEXT = "no text"
NO_KNOWN_WORD = "no known word"
NO_FEATURES = "all features are 0"
NOT_LABELLED = "not labelled"
NOT_LEARNED = "ignored"
HIDDEN = "invisible or decomposed characters"
EXACT = 2**53  # a float contains all whole numbers up to this one
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


class Source(NamedTuple):
    """The labelled documents of one source."""

    name: str  # for people: the file, or the value of the domain column
    texts: Sequence[str]  # one text per document
    labels: Array  # one label per document
    rows: Array  # positions of the documents among the rows of all source files
    lines: Array  # lines of the documents in their file
    unit: str  # what the lines count; see `Dialect.unit`


def make_sources(tables: Sequence[Rows], domain: str | None) -> tuple[Source, ...]:
    """The sources of all tables; rows without a text or a label are left out."""
    kept = [np.flatnonzero(rows.with_text & rows.with_label) for rows in tables]
    as_array = label_array([rows.labels[i] for rows, used in zip(tables, kept, strict=True) for i in used.tolist()])
    starts = np.cumsum([0, *(len(rows.table) for rows in tables)]).tolist()
    sources: list[Source] = []
    for rows, used, start in zip(tables, kept, starts, strict=False):
        lines, unit = np.asarray(rows.table.lines), unit_of(rows.table)
        for name, positions in by_domain(rows, used, domain).items():
            labels = as_array([rows.labels[i] for i in positions.tolist()])
            texts = rows.texts_of(positions)
            sources.append(Source(name, texts, labels, start + positions, lines[positions], unit))
    return tuple(sources)


def by_domain(rows: Rows, used: Array, domain: str | None) -> dict[str, Array]:
    """The used rows of a table, per value of its domain column if it has one."""
    column = None if domain is None else find_name(rows.table.columns, domain)
    if column is None:
        return {rows.table.name: used} if len(used) else {}
    values = np.array([str(value) for value in rows.table.columns[column]])[used]
    return {name: used[values == name] for name in dict.fromkeys(values.tolist())}


def check_has_labels(tables: Sequence[Rows], columns: Sequence[str], *, is_half: bool, several: bool = False) -> None:
    """Raise an error if nothing can be learned from the labels."""
    for rows, column in zip(tables, columns, strict=True):
        name = rows.table.name
        if not rows.with_text.any():
            raise ValueError(f"{name} has no text at all. Name another column with text= (--text).")
        if is_half and rows.with_label.all():
            raise ValueError(
                f"every row of {name} has a label in column {column!r}; rows without one are the new documents. Pass "
                "the new documents as a second file, or name another column with label= (--label)."
            )
        if not (rows.with_label & rows.with_text).any():
            raise ValueError(
                f"{name} has no label at all in column {column!r}. Name another column with label= (--label)."
            )
    if several:  # each label is a question of its own
        return
    labels = [
        label
        for rows in tables
        for label, has_text in zip(rows.labels, rows.with_text.tolist(), strict=True)
        if has_text and label is not None
    ]
    check_labels(labels, f"column {columns[0]!r}")


def label_array(values: Sequence[Any]) -> Callable[[list[Any]], Array]:
    """How labels like these become an array: whole numbers and booleans as they are, all others as strings."""
    # Whole numbers that 64 bits cannot contain, and those that a float rounds, are strings too.
    types = {type(value) for value in values}
    most = 2**63 - 1 if types == {int} else EXACT
    if any(isinstance(value, int) and abs(value) > most for value in values):
        return lambda labels: np.array([as_text(label) for label in labels], dtype=object)
    if types in ({int}, {bool}) or (types == {float} and all(value.is_integer() for value in values)):
        return np.array
    if types == {int, float} and all(float(value).is_integer() for value in values):
        return lambda labels: np.array([int(label) for label in labels])
    as_name = str if types == {float} else as_text  # 1 and 1.0 are one class
    return lambda labels: np.array([as_name(label) for label in labels], dtype=object)


def check_not_identical(sources: Sequence[Source], texts: Sequence[str], target: str) -> None:
    """Raise an error if the target has no document that the sources do not have."""
    known = {hash(text) for source in sources for text in source.texts}  # a set of all texts could be too large
    if all(hash(text) in known for text in texts):
        raise ValueError(
            f"every text of {target} is also in the source, with a label. Pass documents without labels as the target."
        )
