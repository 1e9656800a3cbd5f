"""One question to a server that speaks the protocol of OpenAI: Ollama, vLLM, llama.cpp, or a hosted one.

A failure that can pass (no connection, time-out, 408, 429, 5xx, a reply that is no JSON of the protocol) is tried again
after a pause that doubles, or after the time that the server asks for (Retry-After). Redirects are not followed, and a
loopback server is reached without a proxy: texts go where the user sends them and nowhere else.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import httpx

from .prompt import Message

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})  # codes of failures that can pass
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds
SHOWN = 200  # characters of a server's error in a message


class Reply(NamedTuple):
    """What the model replied."""

    text: str
    confidence: float | None  # probability of the reply by its tokens; None if the server does not tell
    n_prompt: int  # tokens; 0 if the server does not tell
    n_reply: int


class NoReplyError(ValueError):
    """No reply to one document, after all tries."""


class RefusedError(ValueError):
    """The server refuses every question: there is no point in going on."""


class Client:
    """A connection to a server; several threads may use it."""

    def __init__(
        self,
        endpoint: str,
        model: str,
        *,
        key: str | None = None,
        timeout: float = 60.0,
        tries: int = 6,
        max_per_minute: float | None = None,
        max_tokens: int = 64,
        sleep: Callable[[float], Any] | None = None,
    ) -> None:
        self.url = check_endpoint(endpoint, key) + "/chat/completions"
        self.model, self.tries, self.max_tokens = model, tries, max_tokens
        self._stopped = threading.Event()
        self._sleep = self._stopped.wait if sleep is None else sleep
        self._pace = Pace(max_per_minute, self._sleep)
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(
            headers=headers, timeout=timeout, follow_redirects=False, trust_env=not is_loopback(endpoint)
        )
        self._variant = 0  # of the options; a server that does not know some of them gets fewer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def stop(self) -> None:
        """End all pauses: questions that wait for another try get no reply."""
        self._stopped.set()

    def ask(self, messages: Sequence[Message]) -> Reply:
        """The reply; NoReplyError after all tries, RefusedError if every further question is useless."""
        problem, delay, longer = "", 0.0, FIRST_PAUSE
        for _ in range(self.tries):
            if delay:
                self._sleep(delay * random.uniform(1, 1.2))
            if self._stopped.is_set():
                break
            self._pace.wait()
            variant, delay = self._variant, 0.0
            try:
                response = self._http.post(self.url, json=self.body(messages, variant))
            except httpx.TransportError as error:
                problem, delay = f"{type(error).__name__}: {error}"[:SHOWN], longer
            else:
                code = response.status_code
                if code == 200:
                    try:
                        return read_reply(response.json())
                    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
                        problem, delay = f"200, but no reply of the protocol: {response.text[:60]!r}", longer
                elif code == 400 and variant + 1 < len(VARIANTS):
                    problem, self._variant = shown(response), max(self._variant, variant + 1)
                elif code in PASSING:
                    problem, delay = shown(response), max(longer, retry_after(response.headers.get("Retry-After")))
                else:
                    raise RefusedError(
                        f"{self.url} refuses the request ({shown(response)}). Check endpoint, model and key."
                    )
            longer = min(2 * longer, LONGEST_PAUSE) if delay else longer
        raise NoReplyError(f"no reply after {self.tries} tries ({problem})")

    def body(self, messages: Sequence[Message], variant: int) -> dict[str, Any]:
        """The question."""
        options = {"temperature": 0, "max_tokens": self.max_tokens, "logprobs": True}
        kept = {name: options[name] for name in VARIANTS[variant]}
        return {"model": self.model, "messages": list(messages), "stream": False, **kept}


VARIANTS = (("temperature", "max_tokens", "logprobs"), ("temperature", "max_tokens"), ())


class Pace:
    """At most so many requests per minute, evenly."""

    def __init__(self, max_per_minute: float | None, sleep: Callable[[float], Any]) -> None:
        self._gap = 0.0 if max_per_minute is None else 60 / max_per_minute
        self._sleep, self._lock, self._next = sleep, threading.Lock(), 0.0

    def wait(self) -> None:
        """Wait for the next turn."""
        if not self._gap:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._gap
        if turn > now:
            self._sleep(turn - now)


def read_reply(body: Any) -> Reply:
    """The reply in the body of a response."""
    choice, usage = body["choices"][0], body.get("usage") or {}
    text = choice["message"]["content"]
    if not isinstance(text, str):
        raise ValueError("no text")
    tokens = (choice.get("logprobs") or {}).get("content") or []
    logs = [float(token["logprob"]) for token in tokens]
    confidence = math.exp(min(0.0, math.fsum(logs))) if logs and all(map(math.isfinite, logs)) else None
    return Reply(text, confidence, int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))


def retry_after(value: str | None) -> float:
    """Seconds that a server asks to wait: a number or a date; 0 if it asks nothing, at most LONGEST_PAUSE.

    >>> [retry_after(value) for value in ("3", None, "soon", "100000")]
    [3.0, 0.0, 0.0, 60.0]
    """
    if value is None:
        return 0.0
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        except (TypeError, ValueError):
            return 0.0
    return min(max(seconds, 0.0), LONGEST_PAUSE) if math.isfinite(seconds) else 0.0


def shown(response: httpx.Response) -> str:
    """A server's error in one line."""
    return f"{response.status_code}: {' '.join(response.text.split())[:SHOWN]}"


def check_endpoint(endpoint: str, key: str | None = None) -> str:
    """The address without a slash at its end; an error if it is none, or if a key would be sent unencrypted."""
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"endpoint must be an address such as http://127.0.0.1:11434/v1; got {endpoint[:80]!r}.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("endpoint must be an address without a password, ? and #. Pass a key in the environment.")
    if key is not None and parts.scheme == "http" and not is_loopback(endpoint):
        raise ValueError(f"a key is not sent to {parts.hostname} without encryption. Use https://.")
    return endpoint.rstrip("/").removesuffix("/chat/completions")


def is_loopback(endpoint: str) -> bool:
    """Whether a server is on this computer.

    >>> [is_loopback(f"http://{host}/v1") for host in ("localhost", "127.0.0.1:80", "[::1]:80", "10.0.0.1", "a.b")]
    [True, True, True, False, False]
    """
    host = urlsplit(endpoint).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
