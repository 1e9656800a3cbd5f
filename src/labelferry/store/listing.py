"""Lists of documents: search, filter, sort, one page at a time.

A page is chosen in the table of predictions, whose indexes cover every filter and order; only then are the texts of
that page read. Words are searched with the full-text index of the database: SQLite's FTS5, PostgreSQL's tsvector. A
document matches if it contains words that begin with every word of the search. Without FTS5, and for a search without
letters, the text must contain the search as it is.
"""

from __future__ import annotations

import re
from typing import Any

import sqlalchemy as sa

from .schema import answers, documents, escape, predictions

FTS = "documents_fts"
SORTS = ("number", "confidence", "-confidence")
WORD = re.compile(r"[^\W_]+")
INDEXED = 100_000  # characters per document in PostgreSQL's index, which has a limit


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
        return True
    connection.execute(
        sa.text(f"CREATE INDEX {FTS} ON documents USING gin (to_tsvector('simple', left(text, {INDEXED})))")
    )
    return True


def matching(search: str, dialect: str, *, indexed: bool) -> sa.ColumnElement[bool]:
    """The condition that a document matches the search."""
    words = WORD.findall(escape(search))
    if not words or not indexed:
        pattern = re.sub(r"([\\%_])", r"\\\1", escape(search))
        like = documents.c.text.ilike(sa.literal(f"%{pattern}%", sa.Text), escape="\\")
        return predictions.c.document.in_(sa.select(documents.c.number).where(like))
    if dialect == "sqlite":
        query = " ".join(f'"{word}"*' for word in words)
        rows = sa.text(f"SELECT rowid FROM {FTS} WHERE {FTS} MATCH :search").bindparams(search=query)
    else:
        query = " & ".join(f"'{word}':*" for word in words)
        rows = sa.text(
            f"SELECT number FROM documents WHERE to_tsvector('simple', left(text, {INDEXED})) "
            "@@ to_tsquery('simple', :search)"
        ).bindparams(search=query)
    return predictions.c.document.in_(rows.columns(documents.c.number))


def conditions(
    run: int,
    *,
    search: sa.ColumnElement[bool] | None,
    label: int | None,
    needs_review: bool | None,
    answered: bool | None,
) -> list[sa.ColumnElement[bool]]:
    """The filters of a list."""
    p = predictions.c
    found: list[Any] = [p.run == run]
    if label is not None:
        found.append(p.label == label)
    if needs_review is not None:
        found.append(p.needs_review == needs_review)
    if answered is not None:
        found.append(p.document.in_(sa.select(answers.c.document)) == sa.literal(answered))
    if search is not None:
        found.append(search)
    return found


def ordering(sort: str) -> list[Any]:
    """The order of a list: by number, or by confidence, lowest or highest first."""
    p = predictions.c
    orders: dict[str, list[Any]] = {
        "number": [p.document],
        "confidence": [p.confidence, p.document],
        "-confidence": [p.confidence.desc(), p.document.desc()],
    }
    if sort not in orders:
        raise ValueError(f"sort must be one of {', '.join(SORTS)}; got {sort!r}.")
    return orders[sort]


def page_statement(where: list[sa.ColumnElement[bool]], sort: str, offset: int, limit: int) -> sa.Select[Any]:
    """The documents of one page with their labels, in order."""
    order = ordering(sort)
    chosen = sa.select(predictions).where(*where).order_by(*order).offset(offset).limit(limit).subquery()
    again = {"number": [chosen.c.document], "confidence": [chosen.c.confidence, chosen.c.document]}
    again["-confidence"] = [column.desc() for column in again["confidence"]]
    return (
        sa.select(documents, chosen.c.label, chosen.c.confidence, chosen.c.alternative, chosen.c.needs_review)
        .join_from(chosen, documents, documents.c.number == chosen.c.document)
        .order_by(*again[sort])
    )


def count_statement(where: list[sa.ColumnElement[bool]]) -> sa.Select[Any]:
    """The number of documents that match."""
    return sa.select(sa.func.count()).select_from(predictions).where(*where)
