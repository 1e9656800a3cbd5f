"""A job that was used, what a person gets from it, and ways to change its file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from labelferry.review.job.job import Job, open_job
from labelferry.review.store import Store
from labelferry.review.store.packing import pack, unpack

from .jobs import CLASSES, reseal, small_job

ARRAYS = ("pool", "members", "job")  # names of rows of the table of arrays


def reviewed_job(path: Path, n: int = 60) -> None:
    """A job with answers of two persons, one taken back, that has learned once and issued three statements."""
    with Job(Store.create(path, small_job(n))) as job:
        truth = job.store.database.arrays("job")["truth"]
        for number in range(20):
            job.answer(number, CLASSES[truth[number]], purpose="audit", reviewer="ann" if number % 2 else "bob")
        job.undo("bob")
        job.answer(5, None, kind="unclear", reviewer="bob")
        job.issue()
        job.refit()
        job.answer(n - 3, CLASSES[truth[n - 3]], reviewer="ann")
        job.issue()
        job.accept()


def read_everything(path: Path, folder: Path) -> Any:
    """What a person gets from a job: the exported files, the certificate, the answers, and what learning needs."""
    with open_job(path) as job:
        job.export(folder / "labels.jsonl")
        job.export_corrections(folder / "corrections.jsonl")
        certificate = job.certificate().sentences()
        rows = job.log.history()
        pool = [{name: array.tolist() for name, array in arrays.items()} for arrays in job.store.pool()]
        fits = [(fit, job.store.fits.arrays(fit.id)["labels"].tolist()) for fit in job.store.fits.all()]
    files = [(folder / f"{name}.jsonl").read_text() for name in ("labels", "corrections")]
    return files, certificate, rows, pool, fits


def flip_bits(content: bytes, bits: Any) -> bytes:
    """The content with these bits flipped."""
    changed = bytearray(content)
    for bit in bits:
        changed[int(bit) >> 3] ^= 1 << (int(bit) & 7)
    return bytes(changed)


def arrays_with(**changes: Any) -> Callable[[bytes], bytes]:
    """Replace arrays of a cell that `pack` wrote; "__" in a name stands for "/"."""
    return lambda data: pack({**unpack(data), **{name.replace("__", "/"): value for name, value in changes.items()}})


def tamper(path: Path, table: str, column: str, value: Any) -> None:
    """Change the last row of a table, a setting or some arrays, and give all rows the right checksums."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        if table == "settings":
            connection.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (column, value))
        elif table in ARRAYS:
            (data,) = connection.execute("SELECT data FROM arrays WHERE name = ?", (table,)).fetchone()
            changed = value(data) if callable(value) else value
            connection.execute("UPDATE arrays SET data = ? WHERE name = ?", (changed, table))
        else:
            key = "number" if table == "documents" else "id"
            (last,) = connection.execute(f"SELECT max({key}) FROM {table}").fetchone()
            (before,) = connection.execute(f"SELECT {column} FROM {table} WHERE {key} = ?", (last,)).fetchone()
            changed = value(before) if callable(value) else value
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (changed, last))
        for _, sql in triggers:
            connection.execute(sql)
    connection.close()
    reseal(path)


def random_bits(content: bytes, rng: np.random.Generator, n: int) -> Any:
    """Places of bits in a content."""
    return rng.integers(8 * len(content), size=n)
