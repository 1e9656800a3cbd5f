"""Results as files: tables and studies as JSON, CSV and HTML, and two JSON tables compared cell by cell."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from labelferry import __version__
from labelferry.files import write_text
from labelferry.report.templates import new_environment

from .best import best_in_words

CELL_FIELDS = ("mean", "sd", "n", "balanced", "seconds", "paper", "paper_sd", "difference")
TOLERANCE = 0.01


def in_percent(share: float | None, sign: bool = False) -> str:
    """Format a proportion as a percentage with one decimal, without the percent sign.

    Parameters
    ----------
    share : float or None
        The proportion; None gives an empty text.
    sign : bool, default=False
        Whether positive numbers have a plus sign.

    Returns
    -------
    percentage : str
        The formatted number.

    Examples
    --------
    >>> in_percent(0.9876), in_percent(0.01, sign=True), in_percent(None)
    ('98.8', '+1.0', '')
    """
    return "" if share is None else f"{100 * share:{'+' if sign else ''}.1f}"


def write_json_and_csv(name: str, folder: Path, result: dict[str, Any], as_csv: str) -> None:
    """Write a result to the folder as `name`.json and `name`.csv."""
    write_text(folder / f"{name}.json", json.dumps(result, indent=1) + "\n")
    write_text(folder / f"{name}.csv", as_csv)


def table_csv(table: dict[str, Any]) -> str:
    """Format a table as CSV: one line per task and method."""
    lines = [
        [
            row["task"],
            method["method"],
            method["published_as"],
            row["missing"],
            *((cell or {}).get(field) for field in CELL_FIELDS),
        ]
        for row in table["rows"]
        for method, cell in zip(table["methods"], row["cells"], strict=True)
        if cell or row["missing"]
    ]
    return _csv(("task", "method", "published_as", "missing", *CELL_FIELDS), lines)


def bench_page(table: dict[str, Any]) -> str:
    """Format a table as one HTML page, without scripts and without network access."""
    environment = new_environment({"in_percent": in_percent}, package="labelferry_bench.papers")
    template = environment.get_template("bench.html")
    return template.render(table=table, best=[best_in_words(best) for best in table["best"]], version=__version__)


def study_csv(study: dict[str, Any]) -> str:
    """Format a parameter study as CSV: one line per curve and value."""
    lines = [
        [curve["label"], x, point["mean"], point["sd"], point["n"]]
        for curve in study["curves"]
        for x, point in zip(study["values"], curve["points"], strict=True)
    ]
    return _csv(("curve", study["axis"], study["measure"], "sd", "n"), lines)


def compare_tables(before: Path, after: Path, tolerance: float = TOLERANCE) -> list[dict[str, Any]]:
    """Compare the cells that two tables have in common.

    Parameters
    ----------
    before, after : Path
        Tables as `labelferry bench table` wrote them, in JSON.
    tolerance : float, default=0.01
        Largest decrease that is ignored.

    Returns
    -------
    rows : list of dict
        One per cell, the largest decrease first. A cell is `worse` if its mean decreased by more than the tolerance
        and by more than twice its standard deviation.
    """
    cells_before, cells_after = _read_cells(before), _read_cells(after)
    rows = []
    for key in cells_before.keys() & cells_after.keys():
        first, second = cells_before[key], cells_after[key]
        decrease = first["mean"] - second["mean"]
        noise = 2 * max(first["sd"], second["sd"])
        rows.append(
            {
                "task": key[0],
                "method": key[1],
                "before": first["mean"],
                "after": second["mean"],
                "change": -decrease,
                "worse": decrease > max(tolerance, noise),
            }
        )
    return sorted(rows, key=lambda row: (row["change"], row["task"], row["method"]))


def _read_cells(path: Path) -> dict[tuple[str, str], dict[str, float]]:
    """Mean and standard deviation per task and method."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        return {
            (f"{table['table']}/{row['task']}", str(method["method"])): {
                "mean": float(cell["mean"]),
                "sd": float(cell["sd"] or 0.0),
            }
            for row in table["rows"]
            for method, cell in zip(table["methods"], row["cells"], strict=True)
            if cell and cell["mean"] is not None
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(
            f"{path} is not a table that `labelferry bench table` wrote ({error}). Give its .json file."
        ) from error


def _csv(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(lines)
    return out.getvalue()
