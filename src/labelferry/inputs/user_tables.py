"""Files, data frames and lists of texts as tables, and the columns of each."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from ..tables import Columns, Table, choose_columns, from_frame, from_texts, is_table_file, read_table
from ..tables.frames import collected
from ..tables.names import find_name
from .options import TextOptions


def read_tables(source: Any, target: Any, options: TextOptions) -> tuple[list[Table], Table]:
    """The tables of the sources, and that of the target, which is the source if there is no other."""
    several, label = source if is_several(source) else [source], options.label
    check_label_argument(several, label)
    if target is None and len(several) > 1:
        raise ValueError(f"a half-labelled source must be one file or frame; got {len(several)}. Pass a target.")
    values = None if label is None or isinstance(label, str) else label
    frames = [f"labelled data frame {i}" for i in range(1, len(several) + 1)]
    frames = frames if len(several) > 1 else ["the labelled data frame"]
    tables = [
        as_table(one, f"source {i}", values, options, frame=frame)
        for i, (one, frame) in enumerate(zip(several, frames, strict=True), 1)
    ]
    if target is None:
        return tables, tables[0]
    return tables, as_table(target, "target", None, options, frame="the data frame of new documents")


def choose_all(tables: Sequence[Table], target: Table, options: TextOptions) -> list[Columns]:
    """The columns of each source. A file has the columns of the first one, or its own if they have other names."""
    # The first one is the first whose columns can be told, so that the order of the files does not matter.
    label = options.label if isinstance(options.label, str) else None
    position, first = choose_first(tables, target, options, label)
    if options.domain is not None and not any(find_name(table.columns, options.domain) for table in tables):
        raise ValueError(f"no source has the column {options.domain!r} given as domain. Name an existing column.")
    chosen = []
    for i, table in enumerate(tables):
        if i == position:
            chosen.append(first)
            continue
        text = options.text or (first.text if has_all(table, first.text) else None)
        own_label = label or (first.label if has_all(table, [first.label]) else None)
        own = choose_columns(table, target, text=text, label=own_label, text_target=first.text_target)
        chosen.append(own._replace(domain=first.domain, label_target=first.label_target))
    return chosen


def choose_first(
    tables: Sequence[Table], target: Table, options: TextOptions, label: str | None
) -> tuple[int, Columns]:
    """The first source whose columns can be told, and these; the error of the first source if there is none."""
    errors = []
    for position, table in enumerate(tables):
        try:
            return position, choose_columns(
                table,
                target,
                text=options.text,
                label=label,
                domain=options.domain,
                text_target=options.text_target,
                label_target=options.label_target,
            )
        except ValueError as error:
            errors.append(error)
    raise errors[0]


def has_all(table: Table, names: Sequence[str]) -> bool:
    """Whether a table has these columns."""
    return all(find_name(table.columns, name) is not None for name in names)


def collected_all(source: Any) -> Any:
    """The sources with data frames instead of lazy ones."""
    if isinstance(source, list | tuple) and source and not isinstance(source[0], str):
        return [collected(one) for one in source]
    return collected(source)


def is_several(source: Any) -> bool:
    """Is this a list of files or frames, and not a list of texts?"""
    if not isinstance(source, list | tuple) or not source:
        return False
    return all(isinstance(one, PathLike) or hasattr(one, "columns") or is_table_file(one) for one in source)


def check_label_argument(several: Sequence[Any], label: Any) -> None:
    """The labels of a list of texts are passed beside it; those of a file or frame are in a column."""
    texts = any(not isinstance(one, str | PathLike) and not hasattr(one, "columns") for one in several)
    if texts and (label is None or isinstance(label, str)):
        raise ValueError(f"label must be a list of labels if the source is a list of texts; got {label!r}.")
    if not texts and label is not None and not isinstance(label, str):
        raise ValueError("label must name a column if the source is a file or a frame; got values. Pass the name.")


def as_table(one: Any, name: str, labels: Any, options: TextOptions, *, frame: str) -> Table:
    """A file, a data frame, or a list of texts, as a table; `name` and `frame` name a list and a frame."""
    if isinstance(one, str | PathLike):
        return read_table(one, skip_bad=options.skip_bad, encoding=options.encoding)
    if hasattr(one, "columns"):
        return from_frame(one, name=frame)
    return from_texts(one, labels, name=name)
