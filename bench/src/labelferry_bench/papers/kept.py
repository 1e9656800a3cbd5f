"""The records behind the page of results, kept in one packed file, so that its numbers can be checked."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from labelferry.files import atomic_write

from .run import Record, cell_of

KEPT = Path(__file__).with_name("records.jsonl.gz")
PAGE = KEPT.parents[4] / "docs" / "results.md"  # the page of this checkout
FIELDS = ("score", "balanced", "seconds", "divergences")


def keep(records: Iterable[Record], path: Path = KEPT) -> None:
    """Write the cells and the numbers of the page; the same records give the same bytes."""
    rows = [{**cell_of(record)._asdict(), **{name: record.get(name) for name in FIELDS}} for record in records]
    lines = sorted(json.dumps(row, sort_keys=True) for row in rows)
    with atomic_write(path) as draft:
        draft.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))


def kept(path: Path = KEPT) -> list[Record]:
    """Read the records of the page."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def commit() -> str:
    """The commit of the checkout that this code is in, as words for the page; empty if it is in none."""
    command = ["git", "-C", str(KEPT.parent), "rev-parse", "--short=10", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return f", commit {done.stdout.strip()}"
