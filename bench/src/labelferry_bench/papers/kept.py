"""The records behind the page of results, kept in one packed file, so that its numbers can be checked."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path

from labelferry.files import atomic_write

from .run import Cell, Record, cell_of, read_records

KEPT = Path(__file__).with_name("records.jsonl.gz")
PAGE = KEPT.parents[4] / "docs" / "results.md"  # the page of this checkout
FIELDS = ("score", "balanced", "seconds", "divergences", "protocol", "commit")


def keep(records: Iterable[Record], path: Path | None = None) -> None:
    """Write the cells and the numbers of the page; the same records give the same bytes."""
    rows = {cell_of(record): {name: record.get(name) for name in FIELDS} for record in records}
    lines = [json.dumps({**cell._asdict(), **rows[cell]}, sort_keys=True) + "\n" for cell in sorted(rows)]
    with atomic_write(path or KEPT) as draft:
        draft.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))


def kept(path: Path | None = None) -> list[Record]:
    """Read the records of the page."""
    with gzip.open(path or KEPT, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def recorded(wanted: Iterable[Cell], path: Path) -> dict[Cell, Record]:
    """Find records of cells in the file of a run, or else among the kept ones.

    The code may have changed since: each record names its commit, and a test runs some of them again.
    """
    latest = {_without_code(cell_of(record)): record for record in (*kept(), *read_records(path))}
    found = {cell: latest.get(_without_code(cell)) for cell in wanted}
    return {cell: record for cell, record in found.items() if record is not None}


def _without_code(cell: Cell) -> Cell:
    return cell._replace(code="")
