"""The documents of a workflow: files, data frames or lists, read and checked. All of them become tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from ..text import (
    Columns,
    Table,
    check_labels,
    choose_columns,
    from_frame,
    from_texts,
    is_table_file,
    read_table,
    with_labels,
    with_texts,
)
from .options import TextOptions

TARGET = "target"


class Source(NamedTuple):
    name: str  # for people: the file, or the value of the domain column
    texts: list[str]
    labels: Array
    rows: Array  # positions among the rows of all source files


class Inputs(NamedTuple):
    sources: tuple[Source, ...]
    target: Table
    columns: Columns
    given: Any  # the target as the user passed it
    messages: list[str]  # columns that were detected, rows that were skipped

    @property
    def texts(self) -> list[str]:
        """Texts of the target."""
        return self.target.columns[self.columns.text]

    @property
    def labels(self) -> Array:
        """Labels of all sources."""
        return np.concatenate([source.labels for source in self.sources])

    @property
    def title(self) -> str:
        return f"{', '.join(source.name for source in self.sources)} to {self.target.name}"

    @property
    def domain_keys(self) -> list[str]:
        """One name per source, all different, none equal to TARGET."""
        if len(self.sources) == 1:
            return ["source"]
        names: list[str] = []
        for i, source in enumerate(self.sources, 1):
            names.append(source.name if source.name not in (TARGET, *names) else f"source {i}: {source.name}")
        return names


def read_inputs(source: Any, target: Any, options: TextOptions) -> Inputs:
    """Sources and target as tables.

    Parameters
    ----------
    source, target : path, data frame or list of texts
        A list of paths or frames as `source` means several sources.
    options : TextOptions
        Names of the columns, and how to read.

    Returns
    -------
    inputs : Inputs
        What was read.
    """
    label, skip_bad = options.label, options.skip_bad
    given_labels = None if label is None or isinstance(label, str) else label
    column = label if isinstance(label, str) else None
    several = source if _is_several(source) else [source]
    _check_label_argument(several, label)
    tables = [_table(one, f"source {i}", given_labels, options) for i, one in enumerate(several, 1)]
    target_table = _table(target, "target", None, options)
    columns = choose_columns(tables[0], target_table, text=options.text, label=column, domain=options.domain)
    for table in tables[1:]:
        choose_columns(table, target_table, text=columns.text, label=columns.label)
    if options.domain is not None and not any(options.domain in table.columns for table in tables):
        raise ValueError(f"no source has the column {options.domain!r} given as domain. Name an existing column.")
    tables = [
        with_labels(with_texts(table, columns.text, skip_bad=skip_bad), columns.label, skip_bad=skip_bad)
        for table in tables
    ]
    target_table = with_texts(target_table, columns.text, skip_bad=skip_bad)
    labels = [label for table in tables for label in table.columns[columns.label]]
    check_labels(labels, f"column {columns.label!r}")
    as_array = _label_array(labels)
    starts = np.cumsum([0, *(len(table) for table in tables)])
    sources = tuple(
        source
        for table, start in zip(tables, starts, strict=False)
        for source in _sources(table, columns, as_array, start)
    )
    _check_not_identical(sources, target_table, columns.text)
    skipped = [
        f"{table.name}, line {row.line}: {row.what}; skipped" for table in (*tables, target_table) for row in table.bad
    ]
    return Inputs(
        sources, target_table, columns, target, [*columns.messages, *skipped, *_unused_labels(target_table, columns)]
    )


def _unused_labels(target: Table, columns: Columns) -> list[str]:
    """A message if the target has labels of its own."""
    given = [
        value for value in target.columns.get(columns.label, []) if str(value if value is not None else "").strip()
    ]
    if not given:
        return []
    return [f"{len(given)} rows of {target.name} have labels in column {columns.label!r}; they are not used to predict"]


def _is_several(source: Any) -> bool:
    """Is this a list of files or frames, and not a list of texts?"""
    if not isinstance(source, list | tuple) or not source:
        return False
    return all(isinstance(one, PathLike) or hasattr(one, "columns") or is_table_file(one) for one in source)


def _check_label_argument(several: Sequence[Any], label: Any) -> None:
    """The labels of a list of texts are passed beside it; those of a file or frame are in a column."""
    texts = any(not isinstance(one, str | PathLike) and not hasattr(one, "columns") for one in several)
    if texts and (label is None or isinstance(label, str)):
        raise ValueError(f"label must be a list of labels if the source is a list of texts; got {label!r}.")
    if not texts and label is not None and not isinstance(label, str):
        raise ValueError("label must name a column if the source is a file or a frame; got values. Pass the name.")


def _table(one: Any, name: str, labels: Any, options: TextOptions) -> Table:
    if isinstance(one, str | PathLike):
        return read_table(one, skip_bad=options.skip_bad, encoding=options.encoding)
    if hasattr(one, "columns"):
        return from_frame(one, name=f"the {name} frame")
    return from_texts(one, labels, name=name)


def _sources(table: Table, columns: Columns, as_array: Callable[[list[Any]], Array], start: int) -> list[Source]:
    """One source, or one per value of the domain column."""
    texts, labels = table.columns[columns.text], as_array(table.columns[columns.label])
    if columns.domain is None or columns.domain not in table.columns:
        return [Source(table.name, texts, labels, start + np.arange(len(texts)))]
    domain = np.array([str(value) for value in table.columns[columns.domain]])
    rows = {name: np.flatnonzero(domain == name) for name in dict.fromkeys(domain.tolist())}
    return [Source(name, [texts[i] for i in r], labels[r], start + r) for name, r in rows.items()]


def _label_array(values: Sequence[Any]) -> Callable[[list[Any]], Array]:
    """How labels like these become an array: whole numbers and booleans as they are, all others as strings."""
    types = {type(value) for value in values}
    if types in ({int}, {bool}) or (types == {float} and all(value.is_integer() for value in values)):
        return np.array
    return lambda labels: np.array([str(label) for label in labels], dtype=object)


def _check_not_identical(sources: Sequence[Source], target: Table, text: str) -> None:
    known = {one for source in sources for one in source.texts}
    if all(one in known for one in target.columns[text]):
        raise ValueError(
            f"every text of {target.name} is also in the source, with a label. Pass documents without labels as the "
            "target."
        )
