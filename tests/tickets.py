"""The demo corpus as users have it: files with columns."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

from labelferry import load_demo

demo = cache(load_demo)


def old(every: int = 1) -> dict[str, list[Any]]:
    """Every so manyth ticket, with its label."""
    return {"text": demo().texts_source[::every], "label": demo().y_source[::every].tolist()}


def new(every: int = 1) -> dict[str, list[Any]]:
    """With columns that are none of ours, one of them hard to write."""
    texts = demo().texts_target[::every]
    return {"id": list(range(len(texts))), "text": texts, "note": ['a "quoted", note'] * len(texts)}


def write_csv(path: Path, columns: dict[str, Any], delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter=delimiter)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    return path


def write_jsonl(path: Path, columns: dict[str, Any]) -> Path:
    rows = zip(*columns.values(), strict=True)
    path.write_text("".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows))
    return path


def read_csv(path: Path) -> dict[str, list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
