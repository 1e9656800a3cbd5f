"""What a job is given: files, data frames or lists, read and checked. Whatever they are, they become tables."""

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
    read_table,
    with_labels,
    with_texts,
)


class Source(NamedTuple):
    name: str
    texts: list[str]
    labels: Array


class Inputs(NamedTuple):
    sources: tuple[Source, ...]
    target: Table
    columns: Columns
    given: Any  # the target as the user gave it
    said: list[str]  # what was guessed and what was left out

    @property
    def texts(self) -> list[str]:
        """Of the target."""
        return self.target.columns[self.columns.text]


def read_inputs(
    source: Any,
    target: Any,
    *,
    text: str | None = None,
    label: Any = None,
    domain: str | None = None,
    skip_bad: bool = False,
    encoding: str | None = None,
) -> Inputs:
    """Sources and target as tables.

    `source` and `target` are paths, data frames, or lists of texts (`label` then holds the source's labels). A list of
    paths or frames is several sources. `text`, `label` and `domain` name columns, and are guessed where they are not
    given; rows of a source with different values in the column `domain` are different sources.
    """
    given_labels = None if label is None or isinstance(label, str) else label
    column = label if isinstance(label, str) else None
    several = source if _is_several(source) else [source]
    _refuse_mixture(several, label)
    tables = [_table(one, f"source {i}", given_labels, skip_bad, encoding) for i, one in enumerate(several, 1)]
    target_table = _table(target, "target", None, skip_bad, encoding)
    columns = choose_columns(tables[0], target_table, text=text, label=column, domain=domain)
    for table in tables[1:]:
        choose_columns(table, target_table, text=columns.text, label=columns.label)
    if domain is not None and not any(domain in table.columns for table in tables):
        raise ValueError(f"no source has the column {domain!r} that domain names. Name one that tells sources apart.")
    tables = [
        with_labels(with_texts(table, columns.text, skip_bad=skip_bad), columns.label, skip_bad=skip_bad)
        for table in tables
    ]
    target_table = with_texts(target_table, columns.text, skip_bad=skip_bad)
    every = [label for table in tables for label in table.columns[columns.label]]
    check_labels(every, f"column {columns.label!r}")
    as_labels = _one_kind(every)
    sources = tuple(found for table in tables for found in _sources(table, columns, as_labels))
    _refuse_same(sources, target_table, columns.text)
    skipped = [
        f"{table.name}, line {row.line}: {row.what}; left out" for table in (*tables, target_table) for row in table.bad
    ]
    return Inputs(sources, target_table, columns, target, [*columns.said, *skipped])


def _is_several(source: Any) -> bool:
    """Is this a list of files or frames, and not one of texts?"""
    if not isinstance(source, list | tuple) or not source:
        return False
    return all(isinstance(one, PathLike) or hasattr(one, "columns") or _is_file(one) for one in source)


def _is_file(one: Any) -> bool:
    return isinstance(one, str) and len(one) < 4096 and "\n" not in one and one.lower().endswith(SUFFIXES)


SUFFIXES = tuple(
    suffix + packed for suffix in (".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".parquet") for packed in ("", ".gz")
)


def _refuse_mixture(several: Sequence[Any], label: Any) -> None:
    """Labels come beside a list of texts, and in a column of all else."""
    texts = any(not isinstance(one, str | PathLike) and not hasattr(one, "columns") for one in several)
    if texts and (label is None or isinstance(label, str)):
        raise ValueError(f"label must hold the labels where the source is a list of texts; got {label!r}. Pass a list.")
    if not texts and label is not None and not isinstance(label, str):
        raise ValueError("label must name a column where the source is a file or a frame; got values. Pass its name.")


def _table(one: Any, name: str, labels: Any, skip_bad: bool, encoding: str | None) -> Table:
    if isinstance(one, str | PathLike):
        return read_table(one, skip_bad=skip_bad, encoding=encoding)
    if hasattr(one, "columns"):
        return from_frame(one, name=f"the {name} frame")
    return from_texts(one, labels, name=name)


def _sources(table: Table, columns: Columns, as_labels: Callable[[list[Any]], Array]) -> list[Source]:
    """One, or one a value of the domain column."""
    texts, labels = table.columns[columns.text], as_labels(table.columns[columns.label])
    if columns.domain not in table.columns:
        return [Source(table.name, texts, labels)]
    domain = np.array([str(value) for value in table.columns[columns.domain]])
    rows = {name: np.flatnonzero(domain == name) for name in dict.fromkeys(domain.tolist())}
    return [Source(name, [texts[i] for i in found], labels[found]) for name, found in rows.items()]


def _one_kind(values: Sequence[Any]) -> Callable[[list[Any]], Array]:
    """How labels such as these become arrays: whole numbers, or true and false, as they are; all others as texts."""
    kinds = {type(value) for value in values}
    if kinds in ({int}, {bool}) or (kinds == {float} and all(value.is_integer() for value in values)):
        return np.array
    return lambda labels: np.array([str(label) for label in labels], dtype=object)


def _refuse_same(sources: Sequence[Source], target: Table, text: str) -> None:
    known = {one for source in sources for one in source.texts}
    if all(one in known for one in target.columns[text]):
        raise ValueError(
            f"every text of {target.name} is in the source too, where it has a label. Pass documents without labels as "
            "the target."
        )
