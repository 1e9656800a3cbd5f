"""Filling a new store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import sqlalchemy as sa

from . import schema
from .checksums import checksum, sealed
from .contents import check_classes
from .migrate import stamp
from .packing import pack, to_json
from .records import FitData, JobData
from .search import create_search

ROWS = 10_000  # rows per statement
INDEXED_SEARCH = "indexed_search"
SOURCE_ONLY = "source_only"


def fill(connection: sa.Connection, job: JobData, time: str) -> None:
    """Create all tables and write the job, in the transaction of the connection."""
    check_classes({**job.settings, "classes": job.classes}, len(job.texts), "the job")
    schema.metadata.create_all(connection)
    schema.protect_answers(connection)
    stamp(connection)
    insert_rows(connection, schema.documents, document_rows(job))
    members = {name: np.asarray(P, dtype=np.float32) for name, P in job.members.items()}
    blobs = {
        "members": members,
        "pool": job.pool,
        "job": {**job.arrays, SOURCE_ONLY: np.asarray(job.source_only, dtype=np.int32)},
    }
    packed = ({"name": name, "data": pack(arrays)} for name, arrays in blobs.items())
    insert_rows(connection, schema.arrays, (sealed(schema.arrays, row) for row in packed))
    connection.execute(sa.insert(schema.fits).values(fit_values(job.fit, time)))
    values = {**job.settings, "classes": list(job.classes), "own": list(job.own), "created": time}
    values[INDEXED_SEARCH] = create_search(connection)
    rows = (sealed(schema.settings, {"name": n, "value": to_json(v)}) for n, v in values.items())
    insert_rows(connection, schema.settings, rows)


def insert_rows(connection: sa.Connection, table: sa.Table, rows: Iterable[dict[str, Any]]) -> None:
    """Insert many rows, some thousands at a time."""
    iterator = iter(rows)
    while batch := list(islice(iterator, ROWS)):
        connection.execute(sa.insert(table), batch)


def document_rows(job: JobData) -> Iterator[dict[str, Any]]:
    """One row of the table `documents` per document."""
    names = list(job.own)
    own = zip(*job.own.values(), strict=True) if names else ((),) * len(job.texts)
    columns = (job.texts, own, job.lines, job.evidence)
    for number, (text, values, line, words) in enumerate(zip(*columns, strict=True)):
        row = {
            "number": number,
            "line": int(line),
            "text": text,
            "own": to_json(dict(zip(names, values, strict=True))),
            "evidence": to_json(list(words)),
        }
        yield sealed(schema.documents, row)


def fit_values(fit: FitData, time: str) -> dict[str, Any]:
    """The row of a fit."""
    arrays = {
        "labels": np.asarray(fit.labels, dtype=np.int32),
        "confidence": np.asarray(fit.confidence, dtype=np.float32),
        "alternative": np.asarray(fit.alternative, dtype=np.int32),
        "needs_review": np.asarray(fit.needs_review, dtype=bool),
        **({} if fit.accept_rank is None else {"accept_rank": np.asarray(fit.accept_rank, dtype=np.int32)}),
        **({} if fit.proba is None else {"proba": np.asarray(fit.proba, dtype=np.float32)}),
        **fit.accepted,
        **{f"held_out/{name}": np.asarray(array) for name, array in fit.held_out.items()},
    }
    packed = pack(arrays)
    values = {
        "time": time,
        "method": fit.method,
        "answers": to_json([int(number) for number in fit.answers]),
        "summary": to_json(dict(fit.summary)),
        "labels": packed,
        "labels_checksum": checksum(packed),
    }
    return sealed(schema.fits, values)
