"""Several labels per document: how they are recognized in tables. `label_form.py` reads and writes one cell.

A cell has several labels as a list, as a text that is a list (JSON, or as Python writes it), or as names with a
separator between them; or there is one column per label, with 0 and 1, true and false or yes and no. A separator alone
proves nothing, because "Smith, John" is one label. Its evidence is the share of the parts that are seen elsewhere:

    ; and |   the part is the whole label of another row, or a part of two different cells
    ,         the part is the whole label of another row, or first in one cell and later in another

Names of persons and places fail the second test: what is first in one of them is hardly ever later in another. From
MIN_EVIDENCE upward the cells have several labels, and nothing is read before the user says so (`multi`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..tables import Table
from ..tables.cells import as_text
from ..tables.labels import find_spellings, is_missing, merged_names, spellings_message, strip_label
from ..tables.names import find_name, listed
from .label_form import COLUMNS, LISTS, SEPARATORS, TEXTS, Form, in_order, is_list, list_in, parts_of
from .options import TextOptions
from .user_tables import choose_all

MIN_EVIDENCE = {";": 0.5, "|": 0.5, ",": 0.75}  # of places such as "Paris, France" at most half of the parts are seen
PAIRS = (("0", "1"), ("false", "true"), ("no", "yes"), ("n", "y"))  # cells of a column per label
MIN_COLUMNS = 2  # with such cells
NAME_OF_COLUMNS = "labels"  # of the column into which columns per label are joined


class Found(NamedTuple):
    """The tables with one text per document in their label column, and how the labels were written."""

    form: Form | None  # None: one label per document
    tables: list[Table]
    label: str | None = None  # label column if it is not the one of the options
    messages: tuple[str, ...] = ()
    spellings: str = ""  # a sentence about spellings that were not merged


def read_several(tables: Sequence[Table], target: Table, options: TextOptions) -> Found:
    """Recognize several labels per document. An error unless the user said what they are (`multi`), never silence."""
    columns, label_of = label_columns(tables, target, options)
    if columns:
        return from_columns(tables, columns)
    cells = [cell for table, name in zip(tables, label_of, strict=True) for cell in table.columns[name]]
    form, sure = find_form(cells)
    if form is None and options.multi and options.label is None:
        columns = yes_no_columns(tables, options)
        if len(columns) >= MIN_COLUMNS:
            return from_columns(tables, columns)
    where = f"column {label_of[0]!r} of {tables[0].name}"
    if form is None or (not sure and not options.multi):
        if options.multi:
            raise ValueError(
                f"multi (--multi): {where} has one label per document: no list, and none of {' '.join(SEPARATORS)} "
                "between labels. Omit it, or name the label columns with label= (--label bug,ui)."
            )
        return Found(None, list(tables), messages=tuple(doubt(cells, form, where) if options.multi is None else ()))
    sizes = [min(len(parts_of(cell, form) or ()), 2) for cell in cells]  # lists may have one label each
    shown, n = f"{cells[int(np.argmax(sizes))]!r:.60}", sizes.count(2)
    if options.multi is False:
        if form.kind == TEXTS:
            return Found(None, list(tables))
        raise ValueError(f"{where} has lists, such as {shown}, and a list is no class. Pass multi=True (--multi).")
    if not options.multi:
        raise ValueError(
            f"{where} has several labels per document, such as {shown}{f' ({n} rows)' if n else ''}. Add multi=True "
            "(--multi) for one yes/no question per label, or multi=False (--no-multi) if each such text is one class."
        )
    if not sure:
        raise ValueError(
            f"multi (--multi): the commas of {where}, such as {shown}, may be parts of a label, because hardly any "
            "part occurs elsewhere. Write ; between labels, or lists."
        )
    form, spellings, groups = with_names(form, cells, options)
    joined = []
    for table, name in zip(tables, label_of, strict=True):  # one text per document in the label column
        read = [form.read(cell) for cell in table.columns[name]]
        texts = [None if labels is None else form.text(labels) for labels in read]
        joined.append(replace(table, columns={**table.columns, name: texts}))
    message = f"{len(form.names)} labels in {where}, several per document, such as {shown} ({n} rows)"
    return Found(form, joined, None, (message, *groups), spellings)


def indicator_lists(label: Any) -> Any:
    """An indicator matrix (array, sparse matrix or frame) as one list of labels per row; anything else as it is."""
    if getattr(label, "ndim", 1) != 2:
        return label
    names = [str(name) for name in label.columns] if hasattr(label, "columns") else None
    rows = np.asarray(label.toarray() if hasattr(label, "toarray") else label)
    if rows.dtype.kind not in "biuf" or not np.isin(rows, (0, 1)).all():
        raise ValueError("label with two axes must be an indicator matrix of 0 and 1, one column per label.")
    return [[j if names is None else names[j] for j in np.flatnonzero(row).tolist()] for row in rows]


def label_columns(tables: Sequence[Table], target: Table, options: TextOptions) -> tuple[list[str], list[str]]:
    """The columns that are one label each, if there are such; and else the label column of each table."""
    label = options.label if isinstance(options.label, str) else None
    if label is not None and "," in label and all(find_name(t.columns, label) is None for t in tables):
        named = [part.strip() for part in label.split(",")]
        if not options.multi:
            raise ValueError(f"label names several columns, {label!r}: add multi=True (--multi), or name one column.")
        return check_columns(tables, named), []
    try:
        chosen = [own.label for own in choose_all(tables, target, options)]
    except ValueError:
        found = [] if options.multi is False or label is not None else yes_no_columns(tables, options)
        if len(found) < MIN_COLUMNS:
            raise
        if options.multi is None:
            raise ValueError(
                f"{listed(found)} of {tables[0].name} have only yes and no: one column per label? Add multi=True "
                "(--multi) for one yes/no question per column, or name one label column with label= (--label)."
            ) from None
        return found, []
    return [], chosen


def yes_no_columns(tables: Sequence[Table], options: TextOptions) -> list[str]:
    """The columns of all tables that have yes and no, whatever they write for it, and nothing else."""
    texts = options.text.split(",") if isinstance(options.text, str) else list(options.text or ())
    taken = {*texts, options.domain}
    return [
        name
        for name in tables[0].columns
        if name not in taken and all(name in t.columns and pair_of(t.columns[name]) is not None for t in tables)
    ]


def pair_of(cells: Sequence[Any]) -> tuple[str, str] | None:
    """How a column writes no and yes; None if it has other cells, or only empty ones.

    >>> pair_of([1.0, 0.0, None]), pair_of(["no", "YES"]), pair_of(["no", "maybe"])
    (('0', '1'), ('no', 'yes'), None)
    """
    seen = {as_text(cell).lower() for cell in cells} - {""}
    return next((pair for pair in PAIRS if seen and seen <= set(pair)), None)


def check_columns(tables: Sequence[Table], names: Sequence[str]) -> list[str]:
    """The columns of these names; an error if a table lacks one, or if it has other cells than yes and no."""
    for table in tables:
        for name in names:
            column = find_name(table.columns, name)
            if column is None:
                raise ValueError(
                    f"{table.name} has no column {name!r}; it has {listed(table.columns)}. Name its labels."
                )
            if pair_of(table.columns[column]) is None:
                raise ValueError(
                    f"column {column!r} of {table.name} is no label: it has other cells than 0 and 1, true and false, "
                    "or yes and no. Name another column with label= (--label)."
                )
    return [str(find_name(tables[0].columns, name)) for name in names]


def from_columns(tables: Sequence[Table], columns: Sequence[str]) -> Found:
    """The tables with one column of labels instead of one column per label."""
    names = tuple(sorted(columns))
    first = [cell for cell in tables[0].columns[columns[0]] if not is_missing(cell)]
    pair = pair_of(tables[0].columns[columns[0]]) or PAIRS[0]
    cells: tuple[Any, Any] = pair
    if first and not isinstance(first[0], str):
        cells = (False, True) if isinstance(first[0], bool) else (0, 1)
    elif first and first[0].isupper():
        cells = (pair[0].upper(), pair[1].upper())
    separator = next((s for s in SEPARATORS if not any(s in name for name in names)), "")
    form = Form(COLUMNS, names, separator, cells=cells)
    label = NAME_OF_COLUMNS
    while any(label in table.columns for table in tables):
        label += "_"
    joined = []
    for table in tables:
        rows = [
            [as_text(cell).lower() for cell in row] for row in zip(*(table.columns[c] for c in columns), strict=True)
        ]
        for line, row in zip(table.lines, rows, strict=True):
            if "" in row and any(row):
                empty = columns[row.index("")]
                raise ValueError(
                    f"{table.name}, line {line}: column {empty!r} is empty, and other labels are not. Fill it in."
                )
        texts = [
            form.text({c for c, cell in zip(columns, row, strict=True) if cell in {p[1] for p in PAIRS}})
            if any(row)
            else None
            for row in rows
        ]
        kept = {name: table.columns[name] for name in table.columns if name not in columns}
        joined.append(replace(table, columns={**kept, label: texts}))
    return Found(form, joined, label, (f"{len(names)} labels, one column each: {listed(columns)}",))


def find_form(cells: Iterable[Any]) -> tuple[Form | None, bool]:
    """The form of cells with several labels, without names, and whether it is certain; None if there is none."""
    counts: Counter[str] = Counter()
    n_lists = 0
    for cell in cells:
        if is_list(cell):
            n_lists += 1
        elif not is_missing(cell):
            counts[as_text(cell)] += 1
    if n_lists:
        return Form(LISTS, (), values={"": None}), True
    for as_python in (False, True):
        form = Form(LISTS, (), as_python=as_python)
        n = sum(k for text, k in counts.items() if list_in(text, as_python) is not None)
        if n and 2 * n >= counts.total():
            return form, True
    found = [(evidence(counts, s), sum(k for t, k in counts.items() if s in t), s) for s in SEPARATORS]
    found = [one for one in found if one[1]]
    if not found:
        return None, False
    share, _, separator = max(found, key=lambda one: (one[0], one[2] != ",", one[1]))
    spaced = sum(k for text, k in counts.items() if f"{separator} " in text)
    plain = sum(k for text, k in counts.items() if separator in text)
    written = f"{separator} " if 2 * spaced > plain else separator
    form = Form(TEXTS, (), written)
    if not any(len(parts_of(text, form) or ()) > 1 for text in counts):
        return None, False
    return form, share >= MIN_EVIDENCE[separator]


def evidence(counts: Mapping[str, int], separator: str) -> float:
    """Share of the parts of cells with the separator that are seen elsewhere; 0 without such cells.

    >>> evidence({"bug;ui": 3, "bug": 9, "ui": 2}, ";"), evidence({"Smith, John": 3, "Smith, Jane": 2}, ",")
    (1.0, 0.0)
    """
    whole = {text.casefold() for text in counts if separator not in text}
    split = {text: [part.strip().casefold() for part in text.split(separator)] for text in counts if separator in text}
    split = {text: parts for text, parts in split.items() if len(parts) > 1 and all(parts)}
    cells: Counter[str] = Counter(part for parts in split.values() for part in set(parts))
    first, later = {parts[0] for parts in split.values()}, {part for parts in split.values() for part in parts[1:]}

    def is_seen(part: str) -> bool:
        return part in whole or (part in first and part in later) or (separator != "," and cells[part] > 1)

    n = sum(counts[text] * len(parts) for text, parts in split.items())
    return sum(counts[text] * sum(map(is_seen, parts)) for text, parts in split.items()) / n if n else 0.0


def doubt(cells: Sequence[Any], form: Form | None, where: str) -> list[str]:
    """A message if labels have a separator in them and are one class each."""
    if form is None:
        return []
    example = next(text for cell in cells if len(parts_of(text := as_text(cell), form) or ()) > 1)
    return [f"labels of {where} such as {example!r:.60} are one class each; --multi (multi=True) splits them"]


def with_names(form: Form, cells: Sequence[Any], options: TextOptions) -> tuple[Form, str, list[str]]:
    """The form with the names of all labels, and what is to be said about their spellings."""
    all_parts = [part for cell in cells for part in parts_of(cell, form) or ()]
    groups = find_spellings(all_parts)
    merged = merged_names(groups) if options.merge_labels else {}
    names = in_order({merged.get(part, part) for part in all_parts})
    told = [spellings_message(groups, options.merge_labels)] if groups else []
    values = {}
    if form.values:
        originals = {strip_label(as_text(item)): item for cell in cells if is_list(cell) for item in cell}
        values = {name: originals.get(name, name) for name in names}
    not_merged = told[0] if told and not merged else ""
    return form._replace(names=names, values=values, spellings=merged), not_merged, told


def check_one_label(given: Mapping[str, Any]) -> None:
    """Raise an error if one of these arguments, which are for one label per document, is given."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"{name} needs one label per document, and multi (--multi) has several. Omit one of them; answers "
                "certify the labels: labelferry certify OUT SAMPLE."
            )
