"""A table or a study as text: JSON as it is, CSV with one line a number."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

CELL = ("mean", "sd", "n", "balanced", "seconds", "paper", "paper_sd", "difference")


def in_percent(share: float | None, sign: bool = False) -> str:
    """With one decimal and no sign of percent; with a plus where `sign` asks for it.

    >>> in_percent(0.9876), in_percent(0.01, sign=True), in_percent(None)
    ('98.8', '+1.0', '')
    """
    return "" if share is None else f"{100 * share:{'+' if sign else ''}.1f}"


def as_json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=1) + "\n"


def table_csv(table: dict[str, Any]) -> str:
    lines = [
        [row["task"], method["method"], method["published_as"], row["missing"], *((cell or {}).get(k) for k in CELL)]
        for row in table["rows"]
        for method, cell in zip(table["methods"], row["cells"], strict=True)
        if cell or row["missing"]
    ]
    return _csv(("task", "method", "published_as", "missing", *CELL), lines)


def study_csv(study: dict[str, Any]) -> str:
    lines = [
        [curve["label"], x, point["mean"], point["sd"], point["n"]]
        for curve in study["curves"]
        for x, point in zip(study["values"], curve["points"], strict=True)
    ]
    return _csv(("curve", study["axis"], study["measure"], "sd", "n"), lines)


def _csv(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(lines)
    return out.getvalue()
