"""Opinions: guesses of another labeller about the documents, in a column of the user's files or as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ..tables.names import find_name, require
from ..tables.table import to_list
from .inputs import Inputs

SUFFIX = "_confidence"  # the column llm_confidence has the confidences of llm


class Opinion(NamedTuple):
    """The guesses of one labeller, one entry per document; an empty cell abstains."""

    name: str
    new: Sequence[Any]  # of the new documents
    home: Sequence[Any] | None  # of the labelled documents, in the order of `Inputs.labels`; None: there are none
    new_confidence: Sequence[Any] | None = None
    home_confidence: Sequence[Any] | None = None
    trained: bool = False  # whether the labeller has learned from the labelled documents


def read_opinions(inputs: Inputs, opinions: Any, trained: Any = None) -> tuple[tuple[Opinion, ...], list[str]]:
    """The opinions that a user names or passes, and messages."""
    # `opinions`, `trained`: a name of a column or several; or a dict of name to guesses, one per row of the target, or
    # to a pair: guesses for the rows of the sources and of the target.
    messages: list[str] = []
    found = [
        opinion
        for given, is_trained in ((opinions, False), (trained, True))
        for opinion in named_or_passed(inputs, given, messages, trained=is_trained)
    ]
    names = [opinion.name for opinion in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"the opinion {twice[0]!r} is named twice. Name each one once.")
    return tuple(found), messages


def named_or_passed(inputs: Inputs, given: Any, messages: list[str], *, trained: bool) -> list[Opinion]:
    """Opinions by the names of their columns, or by their values."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [of_values(inputs, str(name), values, trained=trained) for name, values in given.items()]
    names = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(name, str) for name in names):
        raise ValueError("opinions must name columns, or be a dict of name to guesses; got other values.")
    return [of_column(inputs, name, messages, trained=trained) for name in names]


def of_column(inputs: Inputs, name: str, messages: list[str], *, trained: bool) -> Opinion:
    """An opinion in a column of the target and, if they have it, of the sources."""
    column = require(inputs.all_rows, "opinion", name, messages)
    in_source = [find_name(table.columns, name) for table in inputs.source_tables]
    if column in (*inputs.columns.text_target, inputs.columns.label_target if inputs.is_half_labelled else None):
        raise ValueError(f"opinion: the column {column!r} is the text or the label. Name another column.")
    home = source_cells(inputs, in_source)
    confidence = find_name(inputs.all_rows.columns, column + SUFFIX)
    new_confidence = home_confidence = None
    if confidence is not None and home is not None:
        named = zip(inputs.source_tables, in_source, strict=True)
        home_confidence = source_cells(inputs, [find_name(table.columns, f"{own}{SUFFIX}") for table, own in named])
    if home_confidence is not None:
        new_confidence = new_cells(inputs, inputs.all_rows.columns[str(confidence)])
    return Opinion(
        column, new_cells(inputs, inputs.all_rows.columns[column]), home, new_confidence, home_confidence, trained
    )


def new_cells(inputs: Inputs, cells: Sequence[Any]) -> list[Any]:
    """Of the cells of all rows of the target, those of the new documents."""
    return [cells[row] for row in inputs.documents.rows.tolist()]


def source_cells(inputs: Inputs, columns: Sequence[str | None]) -> list[Any] | None:
    """The cells of the labelled documents in the order of `Inputs.labels`; None if a source lacks the column."""
    if any(column is None for column in columns):
        return None
    tables = zip(inputs.source_tables, columns, strict=True)
    cells = list(chain.from_iterable(table.columns[str(column)] for table, column in tables))
    return [cells[row] for source in inputs.sources for row in source.rows.tolist()]


def of_values(inputs: Inputs, name: str, values: Any, *, trained: bool) -> Opinion:
    """An opinion as values: of the rows of the target, or a pair with those of the sources first."""
    pair = values if isinstance(values, tuple) and len(values) == 2 else (None, values)
    home, new = (None if part is None else to_list(part, f"opinion {name!r}") for part in pair)
    n_rows, n_source = len(inputs.all_rows), sum(len(table) for table in inputs.source_tables)
    if new is None or len(new) != n_rows or (home is not None and len(home) != n_source):
        raise ValueError(
            f"the opinion {name!r} must have one guess per row: {n_rows} of the target, or a pair with {n_source} of "
            f"the sources first; got {0 if new is None else len(new)}{'' if home is None else f' and {len(home)}'}."
        )
    home = new if inputs.is_half_labelled else home
    kept = None if home is None else [home[row] for source in inputs.sources for row in source.rows.tolist()]
    return Opinion(name, new_cells(inputs, new), kept, trained=trained)
