"""The documents of a workflow: files, data frames or lists, read and checked. All of them become tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from ..tables import Columns, Table, take_rows, with_unreadable_rows
from ..tables.frames import collected
from ..tables.row_index import RowIndex
from .label_form import Form
from .multi_labels import indicator_lists, read_several
from .options import TextOptions
from .rows import (
    NO_TEXT,
    NOT_LABELLED,
    NOT_LEARNED,
    Rows,
    Source,
    check_has_labels,
    check_not_identical,
    make_sources,
    merge_spellings,
    read_rows,
    readable_rows,
    rename,
    stripped_messages,
    table_messages,
)
from .user_tables import choose_all, collected_all, is_several, read_tables

TARGET = "target"


class Inputs(NamedTuple):
    """Documents with and without labels."""

    sources: tuple[Source, ...]  # the labelled documents
    target: Table  # the rows of the target that can be labelled
    texts: Sequence[str]  # their texts
    all_rows: Table  # all rows of the target as the user passed them, also those that cannot be read
    documents: RowIndex  # the rows of `all_rows` that are in `target`
    own_labels: dict[int, Any]  # labels that rows of `all_rows` have already
    is_half_labelled: bool  # whether `all_rows` is also the source: the rows with own labels are the labelled documents
    columns: Columns  # columns of the first source and of the target
    given: Any  # the target as the user passed it
    n_rows: int  # number of rows of all sources and the target that could be read, with or without text and label
    messages: list[str]  # what was detected, and what was left out
    # a sentence about labels that differ only in their spelling and were not merged; empty if there are none
    spellings: str = ""
    source_tables: tuple[Table, ...] = ()  # all rows of the sources, if they are asked for
    # how the sources write several labels per document; each text of the labels is then a set of them
    form: Form | None = None

    @property
    def labels(self) -> Array:
        """Labels of all sources."""
        return np.concatenate([source.labels for source in self.sources])

    @property
    def title(self) -> str:
        """The names of the sources and of the target."""
        if self.is_half_labelled:
            return f"{self.target.name}, rows with a label to rows without one"
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

    @property
    def reasons(self) -> dict[int, str]:
        """Rows of `all_rows` without a text and without a label of a half-labelled file, and why they get no label."""
        unreadable, given = self.all_rows.unreadable, self.own_labels if self.is_half_labelled else {}
        return {row: unreadable.get(row, NO_TEXT) for row in self.documents.others.tolist() if row not in given}

    def split_rows(self, X: Any) -> tuple[list[Any], Any]:
        """Split a matrix with one row per row that could be read: documents of each source, and of the target."""
        readable = readable_rows(self.all_rows)
        new = readable.positions(self.documents.rows)
        if self.is_half_labelled:
            return [X[readable.positions(source.rows)] for source in self.sources], X[new]
        return [X[source.rows] for source in self.sources], X[self.n_rows - len(readable) + new]


def read_inputs(source: Any, target: Any, options: TextOptions, *, keep_tables: bool = False) -> Inputs:
    """Sources and target as tables; with `keep_tables`, those of the sources are kept with all their columns."""
    # `source`, `target`: A list of paths or frames as `source` means several sources. If `target` is None, the rows of
    # `source` that have a label are the source, and those without one the target.
    source, target = collected_all(source), collected(target)  # once: they are also given back with new columns
    options = replace(options, label=indicator_lists(options.label))
    tables, target_table = read_tables(source, target, options)
    is_half = target is None
    found = read_several(tables, target_table, options)
    tables = found.tables
    chosen = choose_all(
        tables,
        tables[0] if is_half else target_table,
        options if found.label is None else replace(options, label=found.label),
    )
    columns = chosen[0]
    all_rows = with_unreadable_rows(target_table)
    tables = [with_unreadable_rows(tables[0])] if is_half else tables
    rows = [read_rows(table, own.text, own.label) for table, own in zip(tables, chosen, strict=True)]
    new = rows[0] if is_half else read_rows(all_rows, columns.text_target, columns.label_target)
    labelled, names, merged = merge_spellings(rows, options.merge_labels) if found.form is None else (rows, {}, [])
    check_has_labels(labelled, [own.label for own in chosen], is_half=is_half, several=found.form is not None)
    sources = make_sources(labelled, columns.domain)
    documents = RowIndex.where(new.with_text & ~new.with_label if is_half else new.with_text)
    texts, readable = new.texts_of(documents.rows), readable_rows(all_rows)
    if not len(texts):
        what = "text without a label" if is_half else "text"
        raise ValueError(f"{target_table.name} has no {what} at all in {_columns(columns)}. Name another column.")
    check_not_identical(sources, texts, target_table.name)
    own_labels = {row: label for row, label in enumerate(rename(new.labels, names)) if label is not None}
    if is_half and sources[0].labels.dtype == object:
        own_labels = {row: str(label) for row, label in own_labels.items()}
    messages = [
        *dict.fromkeys(message for own in chosen for message in own.messages),
        *found.messages,
        *(message for table in (tables if is_half else [*tables, all_rows]) for message in table_messages(table)),
        *(m for one, own in zip(rows, chosen, strict=True) for m in stripped_messages(one, own.label)),
        *merged,
        *_left_out(rows, new, is_half=is_half),
        *([] if is_half or options.use_target_labels else _unused_labels(new, columns.label_target)),
    ]
    return Inputs(
        sources=sources,
        target=take_rows(target_table, readable.positions(documents.rows).tolist()),
        texts=texts,
        all_rows=all_rows,
        documents=documents,
        own_labels=own_labels,
        is_half_labelled=is_half,
        columns=columns,
        given=(source[0] if is_several(source) else source) if is_half else target,
        n_rows=len(readable) + (0 if is_half else sum(len(table) for table in tables)),
        messages=messages,
        spellings="" if options.merge_labels else "".join([*merged, found.spellings]),
        source_tables=tuple(tables) if keep_tables else (),
        form=found.form,
    )


def _columns(columns: Columns) -> str:
    names = columns.text_target
    return f"column{'s' * (len(names) > 1)} {', '.join(map(repr, names))}"


def _left_out(sources: Sequence[Rows], new: Rows, *, is_half: bool) -> list[str]:
    """Messages about rows that are not used. Those that cannot be read have a message of their own."""
    effect = "left out"
    if is_half:
        return [
            *new.count_message(new.with_label & new.without_text, "with a label and without a text", NOT_LEARNED),
            *new.count_message(~new.with_label & new.without_text, "without a text", NOT_LABELLED),
        ]
    messages = []
    for rows in sources:
        messages += rows.count_message(~rows.with_label, "without a label", effect)
        messages += rows.count_message(rows.with_label & ~rows.with_text, "without a text", effect)
    return [*messages, *new.count_message(new.without_text, "without a text", NOT_LABELLED)]


def _unused_labels(target: Rows, column: str | None) -> list[str]:
    """A message if the target has labels of its own."""
    n = int(target.with_label.sum())
    if not n:
        return []
    return [
        f"{n} rows of {target.table.name} have labels in column {column!r}; they are not used to predict. Use them as "
        "answers with use_target_labels=True (--use-target-labels)"
    ]
