"""Ask a language model about many documents: each text once, replies kept, only classes counted.

Replies that were paid for are in one SQLite file, by the hash of model and prompt, without the documents. Every reply
is on the disk before the next one is used, so a run that was killed goes on where it stopped.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from .client import Client, NoReplyError, Reply
from .prompt import Message, Task, make_messages, read_label

WAIT = 30.0  # seconds for another process that writes to the cache
MOST_FAILURES = 5  # documents without a reply, one after the other, before the run stops
BYTES_PER_TOKEN = 3.0  # fewer than in most languages, so that the cost is rather too high
OTHER_REPLY, NO_REPLY, NO_TEXT = "other reply", "no reply", "no text"


class Plan(NamedTuple):
    """What a run would send."""

    n_documents: int
    n_requests: int  # without those whose replies are known
    n_tokens: int  # of their prompts, about
    n_reply_tokens: int  # at most
    prompt: str  # the first one that would be sent; empty if there is none


class Guesses(NamedTuple):
    """One entry per document."""

    labels: list[str | None]  # None: no guess
    confidence: list[float | None]  # probability of the reply; None if it is unknown
    reasons: dict[str, int]  # why there is no guess, with numbers of documents
    n_asked: int
    n_known: int  # texts whose replies were in the cache
    n_prompt: int  # tokens of the questions of this run, as the server counts them
    n_reply: int


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


def plan(texts: Sequence[str], task: Task, client: Client, cache_path: Path) -> Plan:
    """Count what would be sent; nothing is sent."""
    first, n_bytes, n_requests = "", 0, 0
    with open_cache(cache_path) as cache:
        for text in dict.fromkeys(text for text in texts if text.strip()):
            messages = make_messages(task, text)
            if cache.get(key_of(client.model, messages, client.max_tokens)) is None:
                first = first or "\n\n".join(f"[{m['role']}]\n{m['content']}" for m in messages)
                n_bytes += sum(len(m["content"].encode("utf-8", "replace")) for m in messages)
                n_requests += 1
    return Plan(len(texts), n_requests, round(n_bytes / BYTES_PER_TOKEN), n_requests * client.max_tokens, first)


def ask_model(
    texts: Sequence[str],
    task: Task,
    client: Client,
    cache_path: Path,
    *,
    parallel: int = 4,
    announce: Callable[[int, int], None] | None = None,
) -> Guesses:
    """Ask about each different text that is not in the cache.

    A text without a reply after all tries has no guess and is asked again by the next run. After MOST_FAILURES such
    texts, one after the other, the run stops with an error; replies so far are kept.
    """
    with open_cache(cache_path) as cache:
        keys = {
            text: key_of(client.model, make_messages(task, text), client.max_tokens)
            for text in dict.fromkeys(text for text in texts if text.strip())
        }
        replies = {text: reply for text, key in keys.items() if (reply := cache.get(key)) is not None}
        n_known = len(replies)
        missing = [text for text in keys if text not in replies]
        new = ask_missing(missing, task, client, cache, keys, parallel, announce)
    return count({**replies, **new}, new, texts, task, n_known)


def ask_missing(
    missing: Sequence[str],
    task: Task,
    client: Client,
    cache: Cache,
    keys: dict[str, str],
    parallel: int,
    announce: Callable[[int, int], None] | None,
) -> dict[str, Reply]:
    """The replies to texts that are not in the cache, each kept as soon as it is there."""
    replies: dict[str, Reply] = {}
    running: dict[Future[Reply], str] = {}
    failures, waiting = 0, iter(missing)
    with ThreadPoolExecutor(parallel) as pool:
        try:
            while True:
                while len(running) < parallel and (text := next(waiting, None)) is not None:
                    running[pool.submit(client.ask, make_messages(task, text))] = text
                if not running:
                    return replies
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    text = running.pop(future)
                    try:
                        replies[text] = future.result()
                    except NoReplyError as error:
                        failures += 1
                        if failures >= MOST_FAILURES:
                            raise ValueError(
                                f"{client.url}: {error}, for {failures} documents one after the other. The replies so "
                                "far are kept: run the command again to go on."
                            ) from None
                    else:
                        failures = 0
                        cache.put(keys[text], replies[text])
                    if announce is not None:
                        announce(len(replies), len(missing))
        except BaseException:  # also Ctrl-C: questions that wait for another try would delay it
            client.stop()
            for future in running:
                future.cancel()
            raise


def count(replies: dict[str, Reply], new: dict[str, Reply], texts: Sequence[str], task: Task, n_known: int) -> Guesses:
    """The guesses of all documents, with reasons for those without one."""
    labels: list[str | None] = []
    confidence: list[float | None] = []
    reasons: Counter[str] = Counter()
    for text in texts:
        reply = replies.get(text)
        label = None if reply is None else read_label(reply.text, task.classes)
        if label is None:
            reasons[NO_TEXT if not text.strip() else NO_REPLY if reply is None else OTHER_REPLY] += 1
        labels.append(label)
        confidence.append(None if reply is None or label is None else reply.confidence)
    used: Any = [sum(getattr(reply, name) for reply in new.values()) for name in ("n_prompt", "n_reply")]
    return Guesses(labels, confidence, dict(reasons), len(new), n_known, *used)
