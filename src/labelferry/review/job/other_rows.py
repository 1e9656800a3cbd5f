"""Rows of the user's table that are no documents of a job: without a text, or with a given label.

A job keeps them as plain values in its setting `other_rows`, so that its files have all rows of the table in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...inputs.inputs import Inputs
from ...tables import Table
from ...tables.row_index import RowIndex

GIVEN, PREDICTED = "given", "predicted"  # in the column origin


def keep_other_rows(inputs: Inputs) -> dict[str, Any]:
    """The rows of the target that are no documents, as plain values; empty if there are none."""
    documents = set(inputs.documents.rows.tolist())
    rows = [row for row in range(len(inputs.all_rows)) if row not in documents]
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


def document_rows(n_documents: int, others: Mapping[str, Any]) -> Sequence[int]:
    """Row of each document in the user's table, from 0.

    Parameters
    ----------
    n_documents : int
        Number of documents of the job.
    others : mapping
        What `keep_other_rows` returned.

    Returns
    -------
    rows : sequence of int
        One row per document, increasing.

    Examples
    --------
    >>> document_rows(3, {"rows": [0, 2]})
    [1, 3, 4]
    """
    if not others:
        return range(n_documents)
    try:
        other_rows = {int(row) for row in others["rows"]}
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the job is damaged, its other rows cannot be read ({error}).") from None
    return [row for row in range(n_documents + len(other_rows)) if row not in other_rows]


def add_other_rows(
    table: Table, extra: Mapping[str, list[Any]], others: Mapping[str, Any]
) -> tuple[Table, dict[str, list[Any]]]:
    """The table of a job with all rows of the user's table.

    Parameters
    ----------
    table : Table
        The documents of the job.
    extra : mapping of str to list
        The new columns.
    others : mapping
        What `keep_other_rows` returned.

    Returns
    -------
    table : Table
        All rows in the user's order.
    extra : dict of str to list
        The new columns of all rows, with `reason`, and `origin` if labels were given.
    """
    if not others:
        return table, dict(extra)
    try:
        rows, n_rows = [int(row) for row in others["rows"]], len(table) + len(others["rows"])
        documents = document_rows(len(table), others)

        def joined(values: Any, other_values: Any) -> list[Any]:
            return RowIndex([*documents, *rows], n_rows).widen([*values, *other_values])

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
