"""Connecting to a database: SQLite files and PostgreSQL servers, and their errors as one line with the way out.

SQLite: write-ahead log, `synchronous=FULL` (a commit is on the disk before it returns), foreign keys, and 30 seconds
of patience if another process writes. Reads see one state of the database from begin to end. A commit moves from the
log into the file at once: people copy the file alone, also while the page is open.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

BUSY_SECONDS = 30.0
BACKENDS = ("sqlite", "postgresql", "postgres")
WRITE = "labelferry_write"  # execution option of transactions that write


class StoreError(ValueError):
    """A store that cannot be opened, read or written; the message has the reason and the way out."""


def database_url(place: str | os.PathLike[str]) -> sa.URL:
    """The SQLAlchemy URL of a path or a URL; `postgresql://` uses psycopg.

    >>> str(database_url("postgresql://host/job"))
    'postgresql+psycopg://host/job'
    """
    name = os.fspath(place)
    if "://" not in name:
        return sa.URL.create("sqlite", database=name)
    try:
        url = sa.make_url(name)
    except (exc.ArgumentError, ValueError):  # ValueError: the port is no number
        shown = f"{name.partition('://')[0]}://..."  # the rest may contain a password
        raise StoreError(f"{shown!r} is no database URL. Write postgresql://user@host/database, or a path.") from None
    if url.get_backend_name() not in BACKENDS:
        raise StoreError(f"{url.drivername!r} is no known database for a job. Use a path or postgresql://.")
    return url.set(drivername="postgresql+psycopg") if url.drivername in ("postgresql", "postgres") else url


def shown_name(url: sa.URL) -> str:
    """The place for messages, without a password; the query may contain one, so it is omitted.

    >>> shown_name(sa.make_url("postgresql://ann:secret@host/job?password=secret"))
    'postgresql://ann:***@host/job'
    """
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    return url.set(query={}).render_as_string(hide_password=True)


def connect(url: sa.URL) -> sa.Engine:
    """An engine. Transactions are explicit, with one state of the database for all reads of a transaction."""
    if url.get_backend_name() != "sqlite":
        try:
            return sa.create_engine(url, isolation_level="REPEATABLE READ", pool_pre_ping=True)
        except ImportError as error:
            raise StoreError(
                f"a PostgreSQL store needs {error.name}: pip install '.[postgres]' in a clone of labelferry."
            ) from None
        except exc.NoSuchModuleError:
            raise StoreError(f"{url.drivername!r} is no known database. Use a path or postgresql://.") from None
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_SECONDS, "isolation_level": None})

    @sa.event.listens_for(engine, "connect")
    def set_pragmas(connection: Any, _: Any) -> None:
        for pragma in ("foreign_keys=ON", "synchronous=FULL", "trusted_schema=OFF", "wal_autocheckpoint=1"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get(WRITE, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def set_write_ahead_log(engine: sa.Engine) -> None:
    """Let readers and one writer of a SQLite file work at the same time; the file remembers it."""
    with closing(engine.raw_connection()) as connection:
        connection.cursor().execute("PRAGMA journal_mode=WAL")


def check_file(path: Path) -> None:
    """Raise an error unless this is a SQLite file that can be written."""
    if not path.exists():
        raise StoreError(
            f"there is no file {str(path)!r}. Check the path, or make a job: labelferry label ... --store."
        )
    if path.is_dir():
        raise StoreError(f"{str(path)!r} is a folder. Name a file in it.")
    try:
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}. Change its permissions, or copy it.") from None
    if start != b"SQLite format 3\x00":
        raise StoreError(f"{path} is no labelferry job. Make one: labelferry label ... --store {path.stem}.ferry.")
    if not os.access(path, os.W_OK) or not os.access(path.absolute().parent, os.W_OK):
        raise read_only(str(path))


def read_only(name: str) -> StoreError:
    return StoreError(f"{name} or its folder is read-only. Copy it to a place where you can write, and open the copy.")


@contextmanager
def one_line_errors(name: str) -> Iterator[None]:
    """Errors of the database as a StoreError; others are not changed."""
    try:
        yield
    except exc.IntegrityError as error:
        raise StoreError(f"{name} does not accept this: {first_line(error)}. Nothing was written.") from None
    except exc.DBAPIError as error:
        what = first_line(error)
        if "locked" in what or "busy" in what:
            way_out = "Close the other program, and try again."
            raise StoreError(f"{name} is locked by another program ({what}). {way_out}") from None
        if "readonly" in what or "read-only" in what:
            raise read_only(name) from None
        if "not a database" in what or "malformed" in what:
            raise StoreError(f"{name} is damaged ({what}). Restore it from a copy.") from None
        if "disk" in what and "full" in what:
            raise StoreError(f"{name}: the disk is full. Free some space; nothing was lost.") from None
        if isinstance(error.orig, sqlite3.Error):  # a table or column that is not as it was made
            raise StoreError(f"{name} is damaged or was changed ({what}). Restore it from a copy.") from None
        if isinstance(error, exc.OperationalError):
            raise StoreError(f"cannot use {name}: {what}. Check the address, the user and the server.") from None
        raise
    except UnicodeDecodeError as error:  # bytes that are no text, where the database should have one
        raise StoreError(f"{name} is damaged ({error.reason}). Restore it from a copy.") from None


def first_line(error: exc.DBAPIError) -> str:
    """The message of the database, on one line."""
    return " ".join(str(error.orig).split()).rstrip(".")[:300]
