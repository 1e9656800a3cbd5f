"""Tables of a store.

Answers are only added: a correction is a new row that replaces an earlier one, an undo is a row of kind "undo". The
labels of a fit are arrays in its row, so that readers have the labels of one fit or of the next, never a mixture, and
a new fit writes one row. Lists are filtered and sorted in memory (`FitLabels`).
"""

from __future__ import annotations

import re
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

VERSION = 3
MARK = "\ufdd0"  # a code point that is no character: it begins an escape
NOT_STORABLE = re.compile(f"[\x00\ud800-\udfff{MARK}]")  # NUL and halves of characters
ESCAPED = re.compile(f"{MARK}([0-9a-f]{{4}})")


def escape(text: str) -> str:
    """Text that every database stores: NUL and lone surrogates become an escape.

    >>> unescape(escape("a\\x00b\\ud800")) == "a\\x00b\\ud800"
    True
    """
    return NOT_STORABLE.sub(lambda match: f"{MARK}{ord(match[0]):04x}", text)


def unescape(text: str) -> str:
    """The text that `escape` was given."""
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if MARK in text else text


class AnyText(TypeDecorator[str]):
    """A text of any characters."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """Escape what the database cannot store."""
        return None if value is None else escape(value)

    def process_result_value(self, value: str | None, dialect: Any) -> str | None:
        """Undo the escape; what is no text is left for the checks of the row."""
        return unescape(value) if isinstance(value, str) else value


metadata = sa.MetaData()

meta = sa.Table(
    "labelferry", metadata, sa.Column("name", sa.Text, primary_key=True), sa.Column("value", sa.Text, nullable=False)
)
settings = sa.Table(
    "settings",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),  # JSON
    sa.Column("checksum", sa.BigInteger),  # since version 3, as in the tables below: see `checksums.py`
)
arrays = sa.Table(
    "arrays",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),  # npz without pickle
    sa.Column("checksum", sa.BigInteger),
)
documents = sa.Table(
    "documents",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("line", sa.BigInteger, nullable=False),
    sa.Column("text", AnyText, nullable=False),
    sa.Column("own", sa.Text, nullable=False),  # JSON
    sa.Column("evidence", sa.Text, nullable=False),  # JSON
    sa.Column("checksum", sa.BigInteger),
)
fits = sa.Table(
    "fits",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("method", AnyText, nullable=False),
    sa.Column("answers", sa.Text, nullable=False),  # JSON: numbers of the answers that it learned from
    sa.Column("summary", sa.Text, nullable=False),  # JSON
    sa.Column("labels", sa.LargeBinary, nullable=False),  # npz: labels, confidence, ..., held-out labels
    sa.Column("labels_checksum", sa.BigInteger),  # of the npz, so that the other values can be read without it
    sa.Column("checksum", sa.BigInteger),
    sqlite_autoincrement=True,
)
answers = sa.Table(
    "answers",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("document", sa.ForeignKey("documents.number"), nullable=False, index=True),
    sa.Column("answer", AnyText),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("purpose", sa.Text, nullable=False),
    sa.Column("reviewer", AnyText, nullable=False),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("shown", AnyText),
    sa.Column("fit", sa.ForeignKey("fits.id")),
    sa.Column("replaces", sa.ForeignKey("answers.id")),
    sa.Column("checksum", sa.BigInteger),  # depends on that of the answer before
    sqlite_autoincrement=True,
)
certificates = sa.Table(
    "certificates",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("level", sa.Float, nullable=False),
    sa.Column("fit", sa.ForeignKey("fits.id"), nullable=False),
    sa.Column("last_answer", sa.Integer, nullable=False),
    sa.Column("content", sa.Text, nullable=False),  # JSON
    sa.Column("checksum", sa.BigInteger),
    sqlite_autoincrement=True,
)
shown = sa.Table(  # since version 2: which document was shown to whom, so that two persons get different questions
    "shown",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("document", sa.ForeignKey("documents.number"), nullable=False),
    sa.Column("reviewer", AnyText, nullable=False),
    sa.Column("time", sa.Text, nullable=False, index=True),
    sqlite_autoincrement=True,
)


SQLITE_TRIGGERS = {
    f"answers_no_{event.lower()}": f"CREATE TRIGGER answers_no_{event.lower()} BEFORE {event} ON answers "
    "BEGIN SELECT RAISE(ABORT, 'answers are only added'); END"
    for event in ("UPDATE", "DELETE")
}


def unprotect_answers(connection: sa.Connection) -> None:
    """Undo `protect_answers`, for a migration that adds to all rows."""
    if connection.dialect.name == "sqlite":
        for name in SQLITE_TRIGGERS:
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
    else:
        connection.exec_driver_sql("DROP TRIGGER answers_no_change ON answers")
        connection.exec_driver_sql("DROP FUNCTION answers_are_only_added()")


def protect_answers(connection: sa.Connection) -> None:
    """Let the database itself refuse to change or delete an answer; since version 2."""
    if connection.dialect.name == "sqlite":
        for trigger in SQLITE_TRIGGERS.values():
            connection.exec_driver_sql(trigger)
    else:
        connection.exec_driver_sql(
            "CREATE FUNCTION answers_are_only_added() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'answers are only added'; END $$"
        )
        connection.exec_driver_sql(
            "CREATE TRIGGER answers_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON answers "
            "EXECUTE FUNCTION answers_are_only_added()"
        )
