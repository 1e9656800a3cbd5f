"""What a job keeps about the user's table as plain values in its settings.

`other_rows`: rows that are no documents of the job, without a text or with a given label, so that its files have all
rows of the table in order. `other_languages`: documents in a language that the labelled documents lack.
`without_label`: documents without a known word, which have no predicted label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...inputs.inputs import Inputs
from ...labelling.column_names import GIVEN, PREDICTED
from ...tables import Table
from ...tables.row_index import RowIndex
from .. import store as storage  # its classes are imported on first use: they need the extra `review`


def other_rows_of(inputs: Inputs) -> dict[str, Any]:
    """The rows of the target that are no documents, as plain values; empty if there are none."""
    rows = inputs.documents.others.tolist()
    if not rows:
        return {}
    reasons = inputs.reasons
    return {
        "rows": rows,
        "lines": [int(inputs.all_rows.lines[row]) for row in rows],
        "columns": {name: [values[row] for row in rows] for name, values in inputs.all_rows.columns.items()},
        "labels": [inputs.own_labels.get(row) if inputs.is_half_labelled else None for row in rows],
        "reasons": [reasons.get(row) for row in rows],
    }


def document_rows(n_documents: int, others: Mapping[str, Any]) -> RowIndex:
    """The documents of a job among the rows of the user's table; `others` is what `other_rows_of` returned.

    >>> document_rows(3, {"rows": [0, 2]}).rows.tolist()
    [1, 3, 4]
    """
    try:
        other_rows = sorted({int(row) for row in others["rows"]}) if others else []
        return RowIndex.without(other_rows, n_documents + len(other_rows))
    except (IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"the job is damaged, its other rows cannot be read ({error}).") from None


def file_rows(store: storage.Store) -> RowIndex:
    """The rows of the documents of a job in the user's table."""
    return document_rows(store.n_documents, store.settings.get("other_rows", {}))


def add_other_rows(
    table: Table, extra: Mapping[str, list[Any]], others: Mapping[str, Any]
) -> tuple[Table, dict[str, list[Any]]]:
    """The documents of a job and the new columns, with all rows of the user's table in their order.

    There is a column `reason` if rows have one, and `origin` if labels were given.
    """
    if not others:
        return table, dict(extra)
    try:
        rows, n_rows = [int(row) for row in others["rows"]], len(table) + len(others["rows"])
        documents = document_rows(len(table), others)

        def joined(values: Any, other_values: Any) -> list[Any]:
            return RowIndex([*documents.rows, *rows], n_rows).widen([*values, *other_values])

        nothing = [None] * len(rows)
        empty = [None] * len(table)  # documents have no column of rows that cannot be read
        columns = {name: joined(table.columns.get(name, empty), values) for name, values in others["columns"].items()}
        everything = Table(table.name, columns, joined(table.lines, others["lines"]))
        joined_extra = {name: joined(values, nothing) for name, values in extra.items()}
        reasons = joined(extra.get("reason", [None] * len(documents)), others["reasons"])
        joined_extra["label"] = joined(extra["label"], others["labels"])
        joined_extra["needs_review"] = joined(extra["needs_review"], [label is None for label in others["labels"]])
        if any(reasons):
            joined_extra["reason"] = reasons
        if any(label is not None for label in others["labels"]):
            origins = [GIVEN if label is not None else None for label in others["labels"]]
            predicted = [None if reason else PREDICTED for reason in extra.get("reason", [None] * len(documents))]
            joined_extra["origin"] = joined(predicted, origins)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{table.name}: the job is damaged, its other rows cannot be read ({error}).") from None
    return everything, joined_extra


def by_language(languages: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the documents per language, as plain values.

    >>> by_language(["", "german", "", "german"])
    {'german': [1, 3]}
    """
    kept: dict[str, list[int]] = {}
    for number, name in enumerate(languages):
        if name:
            kept.setdefault(name, []).append(number)
    return kept


def kept_languages(store: storage.Store) -> dict[int, str]:
    """The documents in a language that the labelled documents lack, and the language; a job of an earlier version
    has none.
    """
    try:
        kept = {
            int(number): str(name)
            for name, numbers in store.settings.get("other_languages", {}).items()
            for number in numbers
        }
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{store.name}: the job is damaged, its languages cannot be read ({error}).") from None
    if outside := [number for number in kept if not 0 <= number < store.n_documents]:
        raise ValueError(f"{store.name}: the job is damaged, its languages name document {outside[0]}.")
    return kept


def without_label(store: storage.Store) -> tuple[set[int], str]:
    """The documents without a known word and why they have no predicted label; an answer to one is a given label."""
    kept = store.settings.get("without_label")
    if not kept:
        return set(), ""
    try:
        documents, reason = {int(number) for number in kept["documents"]}, str(kept["reason"])
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(
            f"{store.name}: the job is damaged, its documents without a label cannot be read ({error})."
        ) from None
    if outside := [number for number in sorted(documents) if not 0 <= number < store.n_documents]:
        raise ValueError(f"{store.name}: the job is damaged, its documents without a label name {outside[0]}.")
    return documents, reason


def labelled_documents(store: storage.Store) -> RowIndex:
    """The documents with a predicted label: those that are certified."""
    return RowIndex.without(sorted(without_label(store)[0]), store.n_documents)
