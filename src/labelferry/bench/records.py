"""Finished cells of a table, one JSON line each, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

Record = dict[str, Any]


class Cell(NamedTuple):
    """One number of a table, before its mean over the seeds."""

    task: str
    method: str
    seed: int
    settings: str  # all parameters of the method
    version: str  # of labelferry


def cell_of(record: Record) -> Cell:
    return Cell(*(record[field] for field in Cell._fields))


def read(path: Path) -> Iterator[Record]:
    """The records of a file, in the order they were written; none where there is no file.

    A last line without its end is what a killed run left of a record. It is passed over, and its cell is run again.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                record = json.loads(line)
                cell_of(record)
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(
                    f"{path}, line {number}, is not a record of the bench ({error!r}). Remove the line, or write to "
                    "another folder with --out."
                ) from error
            yield record


def mend(path: Path) -> None:
    """Cut off a last line without its end, so that what is appended next begins a line of its own."""
    if path.exists():
        with path.open("rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)


def append(path: Path, record: Record) -> None:
    """Add one record: one write of one line, on the disk before this returns."""
    with path.open("ab") as file:
        file.write(json.dumps(record, sort_keys=True).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
