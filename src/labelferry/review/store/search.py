"""Search for words in the documents, with the full-text index of the database: SQLite's FTS5, PostgreSQL's tsvector.

A document matches if it has all words of the search; a word of three characters or more also matches the beginning of a
longer word. Without FTS5, and for a search without letters, the text must contain the search as it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import sqlalchemy as sa

from .records import Array
from .schema import documents, escape

FTS = "documents_fts"
MAX_MATCHES = 20_000  # of a search; a word of most documents would take long, and nobody reads so many
WORD = re.compile(r"[^\W_]+")
SHORTEST_BEGINNING = 3  # characters
INDEXED = 100_000  # characters per document in PostgreSQL's index, which has a limit


class Matches(NamedTuple):
    """The documents that match a search."""

    numbers: Array  # in the order of the file
    more: bool  # whether there are more than MAX_MATCHES


def create_search(connection: sa.Connection) -> bool:
    """Create and fill the full-text index. Returns False if this database has none."""
    if connection.dialect.name == "sqlite":
        try:
            connection.exec_driver_sql(
                f"CREATE VIRTUAL TABLE {FTS} USING fts5(text, content='documents', content_rowid='number')"
            )
        except sa.exc.OperationalError:
            return False
        connection.exec_driver_sql(f"INSERT INTO {FTS}({FTS}) VALUES('rebuild')")
    else:
        vector = f"to_tsvector('simple', left(text, {INDEXED}))"
        connection.exec_driver_sql(
            f"ALTER TABLE documents ADD COLUMN words tsvector GENERATED ALWAYS AS ({vector}) STORED"
        )
        connection.exec_driver_sql(f"CREATE INDEX {FTS} ON documents USING gin (words)")
    return True


def find(connection: sa.Connection, search: str, *, indexed: bool) -> Matches:
    """The documents that match a search, the first MAX_MATCHES of them."""
    words = WORD.findall(search)
    if not words or not indexed:
        pattern = re.sub(r"([\\%_])", r"\\\1", escape(search))
        like = sa.cast(documents.c.text, sa.Text).ilike(f"%{pattern}%", escape="\\")
        statement: sa.Executable = (
            sa.select(documents.c.number).where(like).order_by(documents.c.number).limit(MAX_MATCHES + 1)
        )
    elif connection.dialect.name == "sqlite":
        query = " ".join(f'"{word}"' + "*" * (len(word) >= SHORTEST_BEGINNING) for word in words)
        statement = sa.text(f"SELECT rowid FROM {FTS} WHERE {FTS} MATCH :query ORDER BY rowid LIMIT :n")
        statement = statement.bindparams(query=query, n=MAX_MATCHES + 1)
    else:
        query = " & ".join(f"'{word}'" + ":*" * (len(word) >= SHORTEST_BEGINNING) for word in words)
        statement = sa.text("SELECT number FROM documents WHERE words @@ to_tsquery('simple', :query) LIMIT :n")
        statement = statement.bindparams(query=query, n=MAX_MATCHES + 1)
    numbers = np.fromiter((row[0] for row in connection.execute(statement)), dtype=np.int64)
    return Matches(np.sort(numbers[:MAX_MATCHES]), len(numbers) > MAX_MATCHES)
