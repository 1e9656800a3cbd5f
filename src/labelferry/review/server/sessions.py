"""Who may use the page: a token in the first URL, a session per browser, and the tokens of its forms."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from ..sample.find import RECALL
from ..sample.frozen import USUAL, Limit

MAX_SESSIONS = 1000  # the oldest session ends when there are more
MAX_TOKENS = 20  # links that nobody has opened yet
MAX_IDLE = 12 * 3600.0  # seconds without a request after which a session ends
MAX_AGE = 7 * 24 * 3600.0  # seconds after which every session ends
N_BYTES = 32


def new_secret() -> str:
    """Make a random string that cannot be guessed, for URLs, cookies and forms."""
    return secrets.token_urlsafe(N_BYTES)


def same(first: str, second: str) -> bool:
    """Compare two secrets in a time that does not depend on their content."""
    return secrets.compare_digest(first.encode("utf-8", "replace"), second.encode("utf-8", "replace"))


class Tokens:
    """Secrets of URLs that give access. Each one works once."""

    def __init__(self) -> None:
        self._tokens: list[str] = []
        self._lock = Lock()

    def new(self) -> str:
        """Make another token; the oldest unused one ends when there are too many."""
        token = new_secret()
        with self._lock:
            self._tokens = [*self._tokens, token][-MAX_TOKENS:]
        return token

    def use(self, token: str) -> bool:
        """Whether this is an unused token. It cannot be used again."""
        with self._lock:
            unused = [known for known in self._tokens if not same(token, known)]
            is_known = len(unused) < len(self._tokens)
            self._tokens = unused
            return is_known


@dataclass
class Session:
    """One browser."""

    reviewer: str = ""  # name of the person; empty until it is known
    csrf: str = field(default_factory=new_secret)  # the token that every form of this browser contains
    message: str = ""  # what the next page announces
    skipped: dict[str, list[int]] = field(default_factory=dict)  # per purpose the documents, in their order
    is_blind: bool = False  # whether predictions are hidden, so that they cannot influence the answers
    limit: Limit = USUAL  # what is claimed about the labels that can be used
    find_class: str = ""  # whose documents are searched; empty: not chosen
    find_recall: float = RECALL  # the goal of the search
    began: float = 0.0  # time of the start, in seconds
    used: float = 0.0  # time of the last request, in seconds

    def take_message(self) -> str:
        """Return the message once."""
        message, self.message = self.message, ""
        return message


class Sessions:
    """The sessions of a running server, by the value of their cookie. They end after a time; answers are stored.

    New sessions have the name `reviewer`; if it is empty, the page requests one.
    """

    def __init__(self, reviewer: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self.reviewer = reviewer
        self._clock = clock
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = Lock()

    def start(self, limit: Limit = USUAL) -> str:
        """Start a session and return the value of its cookie."""
        key = new_secret()
        with self._lock:
            now = self._clock()
            self._sessions[key] = Session(self.reviewer, limit=limit, began=now, used=now)
            while len(self._sessions) > MAX_SESSIONS:
                self._sessions.popitem(last=False)
        return key

    def find(self, key: str | None) -> Session | None:
        """Return the session of a cookie, or None if there is none or it has ended."""
        with self._lock:
            session = self._sessions.get(key or "")
            if session is None:
                return None
            now = self._clock()
            if now - session.used > MAX_IDLE or now - session.began > MAX_AGE:
                del self._sessions[key or ""]
                return None
            session.used = now
            return session

    def end(self, key: str | None) -> None:
        """Forget a session."""
        with self._lock:
            self._sessions.pop(key or "", None)
