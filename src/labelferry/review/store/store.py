"""A review job in a database: its parts by name.

Every method of a part is one transaction; what it wrote is on the disk when it returns.
"""

from __future__ import annotations

import os
from typing import Any, Self

from .answer_log import AnswerLog, Certificates
from .contents import check_pool
from .database import Database
from .documents import Documents
from .fits import Fits
from .records import Array, JobData

SMALL = 20_000  # documents that are all checked when a job is opened, which takes less than a second


class Store:
    """A job in a SQLite file or a PostgreSQL database. Use `Store.create` or `Store.open`.

    Parameters
    ----------
    database : Database
        The connected database.
    """

    def __init__(self, database: Database) -> None:
        self.database = database  # transactions, and the arrays that were stored with the job
        self.name = database.name  # the place, for messages
        self.settings: dict[str, Any] = database.settings  # plain values of the job
        self.classes, self.n_documents = database.classes, database.n_documents  # in the order of the codes
        self.fits = Fits(database)  # the labels of each fit
        self.documents = Documents(database, self.fits)  # with their current labels
        self.answers = AnswerLog(database)
        self.certificates = Certificates(database)  # that were issued

    @classmethod
    def check_new(cls, place: str | os.PathLike[str]) -> None:
        """Raise an error if there is a job at this place, or if the place cannot be reached."""
        Database.check_new(place)

    @classmethod
    def create(cls, place: str | os.PathLike[str], job: JobData) -> Self:
        """Write a new job. It is complete or not there at all; an existing job is never replaced."""
        Database.create(place, job)
        return cls.open(place)

    @classmethod
    def open(cls, place: str | os.PathLike[str]) -> Self:
        """Open a job; one of an older version is brought to the current version."""
        database = Database.open(place)
        try:
            store = cls(database)
            store.check()
            return store
        except BaseException:
            database.close()
            raise

    def check(self) -> None:
        """Raise StoreError for content that no job has: answers and certificates, and everything of a small job.

        The documents and the pool of a large job are checked when they are read.
        """
        self.answers.history()
        self.certificates.all()
        if self.n_documents <= SMALL:
            self.documents.check()
            self.pool()

    def pool(self) -> tuple[dict[str, Array], dict[str, Array]]:
        """What is needed to learn from answers, and the probabilities of the members; empty for a single method."""
        pool, members = self.database.arrays("pool"), self.database.arrays("members")
        several = self.database.several
        widths = (len(self.classes),) * 2 if several is None else (len(several.learned), len(several.panel))
        check_pool(pool, members, self.n_documents, widths, self.name)
        return pool, members

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
