"""Columns of the papers that are no accuracies of a transfer: divergences, and errors within one domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .run import Record
from .table import PRINTED_RSP, Table
from .within import METHODS as WITHIN

ByCell = dict[tuple[str, str], list[Record]]  # records per task and method
SIDES = {"Din-Dout": "SourceSVM", **WITHIN}  # columns of CDSC's "verification of the data sets"


def divergences(table: Table, tasks: Sequence[str], by_cell: ByCell) -> list[dict[str, Any]]:
    """List, per task, the divergences of RSP's tables: measured by its printed form, and as printed."""
    rows = []
    for task in tasks:
        name = task.partition("/")[2]
        printed = next((p for p in table.printed if p.measure == "divergence" and name in p.rows), None)
        records = by_cell.get((task, PRINTED_RSP), [])
        if printed and records:
            for column in printed.columns:
                mean = float(np.mean([record["divergences"][column] for record in records]))
                rows.append({"task": name, "column": column, "mean": mean, "paper": printed.value(name, column)})
    return rows


def errors_within(table: Table, tasks: Sequence[str], by_cell: ByCell) -> list[dict[str, Any]]:
    """List, per task, the error rates of CDSC's SVM: from source to target, and cross-validated within each domain."""
    rows = []
    for task in tasks:
        name = task.partition("/")[2]
        printed = next((p for p in table.accuracies if name in p.rows and set(SIDES) <= set(p.columns)), None)
        for column, method in SIDES.items():
            records = by_cell.get((task, method), [])
            if printed and records:
                error = 1 - float(np.mean([record["score"] for record in records]))
                rows.append({"task": name, "column": column, "mean": error, "paper": printed.value(name, column)})
    return rows
