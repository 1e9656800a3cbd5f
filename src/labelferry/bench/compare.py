"""Two tables of the same kind, cell by cell: what got worse?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TOLERANCE = 0.01


def compare_tables(before: Path, after: Path, tolerance: float = TOLERANCE) -> list[dict[str, Any]]:
    """The cells that both tables have, the greatest loss first.

    A cell is `worse` where its mean fell by more than the tolerance and by more than twice its standard deviation.
    """
    old, new = _cells(_read(before)), _cells(_read(after))
    rows = []
    for key in old.keys() & new.keys():
        fall = old[key]["mean"] - new[key]["mean"]
        noise = 2 * max(old[key]["sd"] or 0.0, new[key]["sd"] or 0.0)
        rows.append(
            {
                "task": key[0],
                "method": key[1],
                "before": old[key]["mean"],
                "after": new[key]["mean"],
                "change": -fall,
                "worse": fall > max(tolerance, noise),
            }
        )
    return sorted(rows, key=lambda row: (row["change"], row["task"], row["method"]))


def _read(path: Path) -> dict[str, Any]:
    """A table as `labelferry bench table` wrote it."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        table["rows"], table["methods"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path} is no table that `labelferry bench table` wrote ({error}). Give its .json."
        ) from error
    return table


def _cells(table: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (f"{table['table']}/{row['task']}", method["method"]): cell
        for row in table["rows"]
        for method, cell in zip(table["methods"], row["cells"], strict=True)
        if cell and cell["mean"] is not None
    }
