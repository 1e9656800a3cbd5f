"""A store as a database: creating, opening, and transactions."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import sqlalchemy as sa

from ...files import atomic_write
from ...inputs.label_form import SetTexts
from . import contents, schema
from .checksums import COLUMNS, check_row
from .create import fill
from .engine import (
    WRITE,
    StoreError,
    check_file,
    connect,
    database_url,
    one_line_errors,
    read_only,
    set_write_ahead_log,
    shown_name,
)
from .migrate import migrate, version_of
from .packing import from_json, unpack
from .records import Array, JobData, now


class Database:
    """A connected database with a job; `name` is the place, for messages. Use `Database.create` or `Database.open`."""

    def __init__(self, engine: sa.Engine, name: str) -> None:
        self.engine, self.name = engine, name
        with self.read() as connection:
            rows = connection.execute(sa.select(schema.settings)).all()
            for row in rows:
                check_row(schema.settings, row, name)
            self.settings: dict[str, Any] = {row.name: from_json(row.value, object, name) for row in rows}
            self.n_documents: int = connection.scalar(sa.select(sa.func.count()).select_from(schema.documents)) or 0
            contents.check_settings(self.settings, name)
            contents.check_classes(self.settings, self.n_documents, name)
            contents.check_numbers(connection, schema.documents.c.number, self.n_documents, name)
            contents.check_protection(connection, name)
        self.classes = [str(label) for label in self.settings["classes"]]  # sets of labels if there are several
        self.several = contents.read_several(self.settings, name)
        self.allowed: Collection[str] = self.classes if self.several is None else SetTexts(self.several.form)

    @classmethod
    def check_new(cls, place: str | os.PathLike[str]) -> sa.URL:
        """The URL of a new job; an error if there is a job, or if the place cannot be reached."""
        url = database_url(place)
        name = shown_name(url)
        if url.get_backend_name() == "sqlite":
            path = Path(str(url.database))
            if path.exists():
                raise StoreError(
                    f"{path} exists already. Review it with `labelferry review`, open it with `open_job`, or name "
                    "another file."
                )
            if not path.absolute().parent.is_dir():
                raise StoreError(f"cannot write {path}: there is no folder {path.parent}. Create it first.")
            if not os.access(path.absolute().parent, os.W_OK):
                raise read_only(str(path))
            return url
        with one_line_errors(name), closing(connect(url)) as engine, engine.connect() as connection:
            if sa.inspect(connection).has_table(schema.meta.name):
                raise StoreError(
                    f"{name} contains a job already. Review it with `labelferry review`, open it with `open_job`, or "
                    "name another database."
                )
        return url

    @classmethod
    def create(cls, place: str | os.PathLike[str], job: JobData) -> None:
        """Write a new job. It is complete or not there at all; an existing job is never replaced."""
        url = cls.check_new(place)
        name = shown_name(url)
        with one_line_errors(name):
            if url.get_backend_name() == "sqlite":
                with atomic_write(Path(str(url.database))) as draft:
                    fill_database(url.set(database=str(draft)), job)
            else:
                fill_database(url, job)

    @classmethod
    def open(cls, place: str | os.PathLike[str]) -> Self:
        """Open a job; one of an older version is brought to the current version."""
        url = database_url(place)
        name = shown_name(url)
        is_file = url.get_backend_name() == "sqlite"
        if is_file:
            check_file(Path(str(url.database)))
        engine = connect(url)
        with one_line_errors(name):
            with engine.connect() as connection:
                is_old = version_of(connection, name) < schema.VERSION
                if is_file:
                    contents.check_tables(connection, COLUMNS, name)
            if is_file:
                set_write_ahead_log(engine)
            if is_old:
                with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
                    migrate(connection, name)
        try:
            return cls(engine, name)
        except BaseException:
            engine.dispose()
            raise

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A transaction that reads one state of the database."""
        with one_line_errors(self.name), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction that is on the disk when the block ends."""
        with (
            one_line_errors(self.name),
            self.engine.connect().execution_options(**{WRITE: True}) as connection,
            connection.begin(),
        ):
            yield connection

    def arrays(self, name: str) -> dict[str, Array]:
        """Arrays that were stored with the job: "members", "pool" or "job"."""
        with self.read() as connection:
            row = connection.execute(sa.select(schema.arrays).where(schema.arrays.c.name == name)).one_or_none()
        if row is None:
            return {}
        check_row(schema.arrays, row, self.name)
        return self.unpack(row.data)

    def add_sets(self, texts: Iterable[str]) -> None:
        """Add sets of labels that later fits gave to the classes: the first ones of the job keep their codes."""
        given = [str(label) for label in self.settings["classes"]]
        found = list(dict.fromkeys([*given, *texts]))
        if any(text not in self.allowed for text in found[len(given) :]):
            raise contents.damaged(self.name, "a fit has labels that are no classes")
        self.classes[len(given) :] = found[len(given) :]

    def codes_of(self, label: str) -> list[int]:
        """The codes of a class, or of all sets that have one of several labels."""
        names = self.classes if self.several is None else self.several.form.names
        if label not in names:
            raise ValueError(f"label must be one of {', '.join(names)}; got {label!r}.")
        if self.several is None:
            return [self.classes.index(label)]
        read = self.several.form.read
        return [code for code, text in enumerate(self.classes) if label in (read(text) or ())]

    def unpack(self, data: bytes) -> dict[str, Array]:
        """Arrays of one cell, none of them larger than the job allows."""
        return unpack(data, contents.max_bytes(self.n_documents, len(self.classes)), self.name)


def fill_database(url: sa.URL, job: JobData) -> None:
    """Write a new job to an empty database, in one transaction."""
    with (
        closing(connect(url)) as engine,
        engine.connect().execution_options(**{WRITE: True}) as connection,
        connection.begin(),
    ):
        fill(connection, job, now())


@contextmanager
def closing(engine: sa.Engine) -> Iterator[sa.Engine]:
    """The engine, whose connections are closed at the end."""
    try:
        yield engine
    finally:
        engine.dispose()
