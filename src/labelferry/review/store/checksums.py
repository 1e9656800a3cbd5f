"""Checksums of the rows of a store: a row that a broken disk or another program changed is an error, never data.

The answers are a chain: the checksum of each depends on the one before it, so that none can be missing. Whoever changes
a job on purpose can compute them too; what such a job may contain is checked in `contents.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
import sqlalchemy as sa

from . import schema
from .contents import damaged

COLUMNS = {  # what the checksum of a row depends on, in this order
    schema.settings: ("name", "value"),
    schema.arrays: ("name", "data"),
    schema.documents: ("number", "line", "text", "own", "evidence"),
    schema.fits: ("time", "method", "answers", "summary", "labels_checksum"),
    schema.answers: ("document", "answer", "kind", "purpose", "reviewer", "time", "shown", "fit", "replaces"),
    schema.certificates: ("time", "level", "fit", "last_answer", "content"),
}
FIRST = 0  # what stands for the checksum before the first answer


def checksum(*values: Any) -> int:
    """A number of 64 bits that depends on the values and their types.

    >>> checksum("a", 1) == checksum("a", 1), checksum("a", 1) == checksum("a", "1")
    (True, False)
    """
    digest = blake2b(digest_size=8)
    for value in values:
        is_text = isinstance(value, str)
        data = value.encode("utf-8", "surrogatepass") if is_text else value
        data = data if isinstance(data, bytes) else repr(data).encode()
        digest.update(b"%s %d " % (type(value).__name__.encode(), len(data)))
        digest.update(data)
    return int.from_bytes(digest.digest(), "little", signed=True)


def row_checksum(table: sa.Table, values: Mapping[Any, Any], before: int | None = None) -> int:
    """The checksum of a row; that of an answer also depends on the one `before` it."""
    more = () if before is None else (before,)
    return checksum(*(values[column] for column in COLUMNS[table]), *more)


def sealed(table: sa.Table, values: Mapping[str, Any], before: int | None = None) -> dict[str, Any]:
    """A row with its checksum, of values as they will be read: a label of a numpy array becomes a plain text."""
    row = {name: plain(value) for name, value in values.items()}
    return {**row, "checksum": row_checksum(table, row, before)}


def plain(value: Any) -> Any:
    """A value without a type of numpy or of its own.

    >>> type(plain(np.str_("billing"))), plain(np.int64(3))
    (<class 'str'>, 3)
    """
    value = value.item() if isinstance(value, np.generic) else value
    return str.__str__(value) if isinstance(value, str) else value


def check_row(table: sa.Table, row: Any, name: str, before: int | None = None) -> None:
    """Raise StoreError unless a row has its checksum."""
    values = {column: getattr(row, column) for column in COLUMNS[table]}
    if row_checksum(table, values, before) != row.checksum:
        raise damaged(name, f"a row of the table {table.name!r} has changed")


def add_checksums(connection: sa.Connection) -> None:
    """Give every row of a store of an earlier version its checksum."""
    for table in COLUMNS:
        key = next(iter(table.primary_key))
        own = [table.c[column] for column in COLUMNS[table] if column != "labels_checksum"]
        extra = [table.c.labels] if table is schema.fits else []
        chosen = [key, *(column for column in own if column is not key), *extra]
        before = FIRST if table is schema.answers else None
        batch = []
        for row in connection.execute(sa.select(*chosen).order_by(key)).all():
            values = {column.name: getattr(row, column.name) for column in chosen}
            if table is schema.fits:
                values["labels_checksum"] = checksum(values["labels"])
            total = row_checksum(table, values, before)
            before = total if table is schema.answers else None
            more = {"l": values["labels_checksum"]} if table is schema.fits else {}
            batch.append({"k": values[key.name], "c": total, **more})
        if batch:
            changes: dict[str, Any] = {"checksum": sa.bindparam("c")}
            if table is schema.fits:
                changes["labels_checksum"] = sa.bindparam("l")
            connection.execute(sa.update(table).where(key == sa.bindparam("k")).values(changes), batch)
