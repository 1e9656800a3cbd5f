"""A review job in a database. Every method is one transaction; what it wrote is on the disk when it returns."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import numpy as np
import sqlalchemy as sa

from ..files import atomic_write
from . import schema
from .create import INDEXED_SEARCH, SOURCE_ONLY, fill, fit_values
from .decisions import current_answers
from .engine import (
    WRITE,
    StoreError,
    check_file,
    connect,
    database_url,
    one_line_errors,
    set_write_ahead_log,
    shown_name,
)
from .listing import Labels, Matches, find
from .migrate import migrate, version_of
from .packing import to_json, unpack
from .records import (
    KINDS,
    PURPOSES,
    UNDO,
    AnswerRow,
    Array,
    CertificateRow,
    DocumentRow,
    FitData,
    FitRow,
    JobData,
    Page,
)

BATCH = 5_000  # documents per statement
N_SEARCHES = 64  # kept in memory


class Store:
    """A job in a SQLite file or a PostgreSQL database. Use `Store.create` or `Store.open`.

    Parameters
    ----------
    engine : sqlalchemy.Engine
        The connected database.
    name : str
        The place, for messages.

    Attributes
    ----------
    settings : dict
        Plain values of the job.
    classes : list of str
        The class labels, in the order of the codes.
    n_documents : int
        Number of documents.
    """

    def __init__(self, engine: sa.Engine, name: str) -> None:
        self._engine, self.name = engine, name
        with self._read() as connection:
            rows = connection.execute(sa.select(schema.settings))
            self.settings: dict[str, Any] = {row.name: json.loads(row.value) for row in rows}
            self.n_documents: int = connection.scalar(sa.select(sa.func.count()).select_from(schema.documents)) or 0
        self._labels: Labels | None = None
        self._searches: dict[str, Matches] = {}
        self._source_only = self.arrays("job")[SOURCE_ONLY]
        self.classes = [str(label) for label in self.settings["classes"]]

    @classmethod
    def create(cls, place: str | os.PathLike[str], job: JobData) -> Self:
        """Write a new job. It is complete or not there at all; an existing job is never replaced."""
        url = database_url(place)
        name = shown_name(url)
        if url.get_backend_name() == "sqlite":
            path = Path(str(url.database))
            if path.exists():
                raise StoreError(f"{path} exists already. Open it with open_job, or name another file.")
            if not path.absolute().parent.is_dir():
                raise StoreError(f"cannot write {path}: there is no folder {path.parent}. Create it first.")
            with atomic_write(path) as draft, one_line_errors(name):
                _fill_database(connect(url.set(database=str(draft))), job, name)
        else:
            with one_line_errors(name):
                _fill_database(connect(url), job, name)
        return cls.open(place)

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
                set_write_ahead_log(engine)
            if is_old:
                with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
                    migrate(connection, name)
        return cls(engine, name)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _read(self) -> Iterator[sa.Connection]:
        """A transaction that reads one state of the database."""
        with one_line_errors(self.name), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def _write(self) -> Iterator[sa.Connection]:
        """A transaction that is on the disk when the block ends."""
        with (
            one_line_errors(self.name),
            self._engine.connect().execution_options(**{WRITE: True}) as connection,
            connection.begin(),
        ):
            yield connection

    # Answers

    def add_answer(
        self,
        document: int,
        answer: str | None,
        kind: str,
        purpose: str,
        reviewer: str = "",
        shown: str | None = None,
        time: str | None = None,
        replaces: int | None = None,
        fit: int | None = None,
    ) -> int:
        """Add a row to the log. It is on the disk when this returns.

        Parameters
        ----------
        document : int
            Number of the document, from 0.
        answer : str or None
            The class label if `kind` is "label", otherwise None.
        kind : {"label", "none_of_these", "unclear", "undo"}
            Kind of the answer.
        purpose : {"audit", "duel", "group", "new", "list"}
            Why the document was shown.
        reviewer : str, default=""
            Name of the person.
        shown : str, default=None
            Label that was shown; None if it was hidden.
        time : str, default=None
            Time in UTC, ISO 8601; now if None.
        replaces : int, default=None
            Number of the earlier answer that this row replaces or takes back.
        fit : int, default=None
            Number of the fit whose label was shown.

        Returns
        -------
        id : int
            Number of the row.
        """
        if kind not in (*KINDS, UNDO):
            raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}.")
        if purpose not in PURPOSES:
            raise ValueError(f"purpose must be one of {', '.join(PURPOSES)}; got {purpose!r}.")
        if not 0 <= document < self.n_documents:
            raise ValueError(f"document must be from 0 to {self.n_documents - 1}; got {document}.")
        if (kind == "label") != (answer is not None) or (kind == "label" and answer not in self.classes):
            raise ValueError(f"answer must be one of {', '.join(self.classes)} for kind 'label'; got {answer!r}.")
        values = {
            "document": int(document),
            "answer": answer,
            "kind": kind,
            "purpose": purpose,
            "reviewer": reviewer,
            "time": time or now(),
            "shown": shown,
            "fit": fit,
            "replaces": replaces,
        }
        with self._write() as connection:
            if connection.dialect.name == "postgresql":  # rows become visible in the order of their numbers
                connection.execute(sa.text("LOCK TABLE answers IN SHARE ROW EXCLUSIVE MODE"))
            key = connection.execute(sa.insert(schema.answers).values(values)).inserted_primary_key
        return int(key[0]) if key else 0

    def history(self, after: int = 0) -> list[AnswerRow]:
        """The log, or its rows after a number."""
        with self._read() as connection:
            rows = connection.execute(
                sa.select(schema.answers).where(schema.answers.c.id > after).order_by(schema.answers.c.id)
            )
            return [AnswerRow(**row._mapping) for row in rows]

    def answers(self, current: bool = True) -> list[AnswerRow]:
        """The answers that count, or with `current=False` all rows of the log."""
        return current_answers(self.history()) if current else self.history()

    # Documents

    def labels(self) -> Labels:
        """Labels of the current fit."""
        fit = self.last_fit()
        if self._labels is None or self._labels.fit != fit:
            self._labels = Labels(fit, self.fit_arrays(fit))
        return self._labels

    def document(self, number: int) -> DocumentRow:
        """One document with its current label."""
        return self.some_documents([number])[0]

    def some_documents(self, numbers: Sequence[int]) -> list[DocumentRow]:
        """Documents by number, in the order of the numbers."""
        outside = [number for number in numbers if not 0 <= number < self.n_documents]
        if outside:
            raise ValueError(f"document must be from 0 to {self.n_documents - 1}; got {outside[0]}.")
        arrays = self.labels().arrays
        rows: dict[int, Any] = {}
        with self._read() as connection:
            for start in range(0, len(numbers), BATCH):
                chosen = [int(number) for number in numbers[start : start + BATCH]]
                statement = sa.select(schema.documents).where(schema.documents.c.number.in_(chosen))
                rows |= {row.number: row for row in connection.execute(statement)}
        return [self._document(rows[int(number)], arrays) for number in numbers]

    def documents(
        self,
        search: str = "",
        label: str | None = None,
        needs_review: bool | None = None,
        answered: bool | None = None,
        sort: str = "number",
        offset: int = 0,
        limit: int = 50,
    ) -> Page:
        """One page of the documents that match.

        Parameters
        ----------
        search : str, default=""
            Words that a text must contain, or beginnings of words.
        label : str, default=None
            Current label.
        needs_review, answered : bool, default=None
            Only documents that need review or not, that have an answer or not.
        sort : {"number", "confidence", "-confidence"}, default="number"
            The order of the file, or the least or most confident labels first.
        offset, limit : int, default=0, 50
            Which of the matching documents are returned.

        Returns
        -------
        page : Page
            The documents and the number of all that match.
        """
        if label is not None and label not in self.classes:
            raise ValueError(f"label must be one of {', '.join(self.classes)}; got {label!r}.")
        matches = self._find(search.strip()) if search.strip() else None
        order = self.labels().select(
            matches=matches,
            label=None if label is None else self.classes.index(label),
            needs_review=needs_review,
            answered=None if answered is None else (self._answered(), answered),
            sort=sort,
        )
        rows = self.some_documents(order[offset : offset + limit].tolist())
        return Page(rows, len(order), matches is not None and matches.more, offset, limit)

    def _find(self, search: str) -> Matches:
        """The documents that match a search; the texts never change, so the last searches are kept."""
        if search not in self._searches:
            with self._read() as connection:
                matches = find(connection, search, indexed=self.settings[INDEXED_SEARCH])
            if len(self._searches) >= N_SEARCHES:
                self._searches.clear()
            self._searches[search] = matches
        return self._searches[search]

    def _answered(self) -> Array:
        numbers = {row.document for row in self.answers()}
        return np.fromiter(numbers, dtype=np.int64, count=len(numbers))

    def _document(self, row: Any, arrays: dict[str, Array]) -> DocumentRow:
        n = row.number
        return DocumentRow(
            n,
            row.line,
            row.text,
            json.loads(row.own),
            self.classes[arrays["labels"][n]],
            round(float(arrays["confidence"][n]), 6),
            self.classes[arrays["alternative"][n]],
            json.loads(row.evidence),
            bool(arrays["needs_review"][n]),
            self.classes[self._source_only[n]],
        )

    def counts(self) -> dict[str, Any]:
        """Numbers of documents: all, per label, and those that need review."""
        arrays = self.labels().arrays
        per_class = np.bincount(arrays["labels"], minlength=len(self.classes)).tolist()
        return {
            "documents": self.n_documents,
            "needs_review": int(arrays["needs_review"].sum()),
            "labels": dict(zip(self.classes, per_class, strict=True)),
        }

    def source_only(self) -> Array:
        """Class codes of the source-only classifier, one per document."""
        return self._source_only

    def arrays(self, name: str) -> dict[str, Array]:
        """Arrays that were stored with the job: "members" or "job"."""
        with self._read() as connection:
            data = connection.scalar(sa.select(schema.arrays.c.data).where(schema.arrays.c.name == name))
        return {} if data is None else unpack(data)

    # Fits and certificates

    def add_fit(self, fit: FitData, time: str | None = None) -> int:
        """Add a fit. Its labels become the current ones at once."""
        with self._write() as connection:
            statement = sa.insert(schema.fits).values(fit_values(fit, time or now()))
            key = connection.execute(statement).inserted_primary_key
        return int(key[0]) if key else 0

    def fits(self) -> list[FitRow]:
        """All fits, the first one first."""
        f = schema.fits.c
        with self._read() as connection:
            rows = connection.execute(sa.select(f.id, f.time, f.method, f.answers, f.summary).order_by(f.id)).all()
        return [FitRow(r.id, r.time, r.method, json.loads(r.answers), json.loads(r.summary)) for r in rows]

    def last_fit(self) -> int:
        """Number of the current fit."""
        with self._read() as connection:
            return connection.scalar(sa.select(sa.func.max(schema.fits.c.id))) or 0

    def fit_arrays(self, fit: int) -> dict[str, Array]:
        """Arrays of a fit: labels, confidence, alternative, needs_review, and `held_out/...`."""
        with self._read() as connection:
            data = connection.scalar(sa.select(schema.fits.c.labels).where(schema.fits.c.id == fit))
        if data is None:
            raise ValueError(f"there is no fit {fit} in {self.name}.")
        return unpack(data)

    def add_certificate(
        self, content: dict[str, Any], *, level: float, fit: int, last_answer: int, time: str | None = None
    ) -> int:
        """Add a certificate that was issued."""
        values = {"level": level, "fit": fit, "last_answer": last_answer, "content": to_json(content)}
        with self._write() as connection:
            key = connection.execute(
                sa.insert(schema.certificates).values(time=time or now(), **values)
            ).inserted_primary_key
        return int(key[0]) if key else 0

    def certificates(self) -> list[CertificateRow]:
        """All certificates that were issued, the first one first."""
        with self._read() as connection:
            rows = connection.execute(sa.select(schema.certificates).order_by(schema.certificates.c.id)).all()
        return [CertificateRow(**{**r._mapping, "content": json.loads(r.content)}) for r in rows]


def now() -> str:
    """The time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _fill_database(engine: sa.Engine, job: JobData, name: str) -> None:
    try:
        with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
            if sa.inspect(connection).has_table(schema.meta.name):
                raise StoreError(f"{name} contains a job already. Open it with open_job, or name another database.")
            fill(connection, job, now())
    finally:
        engine.dispose()
