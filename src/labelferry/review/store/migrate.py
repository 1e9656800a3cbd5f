"""Schema versions. A store of an older version is changed step by step when it is opened; a newer one is an error."""

from __future__ import annotations

import re
from collections.abc import Callable

import sqlalchemy as sa

from .checksums import COLUMNS, add_checksums
from .engine import StoreError
from .schema import VERSION, fits, meta, protect_answers, shown, unprotect_answers

FORMAT = "labelferry job"
VERSION_NUMBER = re.compile("[1-9][0-9]{0,5}")


def to_version_2(connection: sa.Connection) -> None:
    """Add the table of what was shown to whom, and the protection of the answers."""
    shown.create(connection)
    protect_answers(connection)


def to_version_3(connection: sa.Connection) -> None:
    """Add the checksums of all rows."""
    for table in COLUMNS:
        for column in ("labels_checksum", "checksum") if table is fits else ("checksum",):
            connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {column} BIGINT")
    unprotect_answers(connection)
    add_checksums(connection)
    protect_answers(connection)


# Per version: the function that turns a store of this version into one of the next.
MIGRATIONS: dict[int, Callable[[sa.Connection], None]] = {1: to_version_2, 2: to_version_3}


def stamp(connection: sa.Connection) -> None:
    """Write format and version into a new store."""
    connection.execute(
        sa.insert(meta), [{"name": "format", "value": FORMAT}, {"name": "version", "value": str(VERSION)}]
    )


def version_of(connection: sa.Connection, name: str) -> int:
    """The schema version; an error if this is no store, or a newer one."""
    if not sa.inspect(connection).has_table(meta.name):
        raise StoreError(f"{name} is no labelferry job. Make one: labelferry label ... --store job.ferry.")
    found = {row.name: row.value for row in connection.execute(sa.select(meta))}
    if found.get("format") != FORMAT or not VERSION_NUMBER.fullmatch(str(found.get("version"))):
        raise StoreError(f"{name} is no labelferry job. Make one: labelferry label ... --store job.ferry.")
    version = int(found["version"])
    if version > VERSION:
        raise StoreError(f"{name} has version {version}; this labelferry reads up to {VERSION}. Update labelferry.")
    return version


def migrate(connection: sa.Connection, name: str) -> None:
    """Bring a store to the current version, in the transaction of the connection."""
    for version in range(version_of(connection, name), VERSION):
        MIGRATIONS[version](connection)
        connection.execute(sa.update(meta).where(meta.c.name == "version").values(value=str(version + 1)))
