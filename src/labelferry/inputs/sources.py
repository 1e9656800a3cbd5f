"""Labelled documents: one source per table, or per value of the domain column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from ..tables import check_labels
from ..tables.cells import as_text
from ..tables.names import find_name
from .rows import Rows, unit_of

EXACT = 2**53  # a float contains all whole numbers up to this one


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
