"""Replies that were paid for: one SQLite file, by the hash of model and prompt. It contains replies and no documents.

Every reply is on the disk before the next one is used, so a run that was killed goes on where it stopped.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

from .client import Reply
from .prompt import Message

WAIT = 30.0  # seconds for another process that writes


class Cache:
    """An open cache."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, key: str) -> Reply | None:
        """The reply of this key; None if there is none."""
        row = self._connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else Reply(*json.loads(row[0]))

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply."""
        with self._connection:
            self._connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, json.dumps(reply)))


@contextmanager
def open_cache(path: Path) -> Iterator[Cache]:
    """Open a cache, which is created if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(sqlite3.connect(path, timeout=WAIT)) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
            yield Cache(connection)
    except (sqlite3.Error, json.JSONDecodeError, TypeError) as error:
        raise ValueError(
            f"the cache {path} cannot be used ({error}). Remove it, or name another one with --cache."
        ) from None


def key_of(model: str, messages: Sequence[Message], max_tokens: int) -> str:
    """The key of a question."""
    question = json.dumps([model, list(messages), max_tokens], sort_keys=True)
    return sha256(question.encode("utf-8", "surrogatepass")).hexdigest()
