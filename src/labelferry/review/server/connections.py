"""Limits of the connections of a server, so that nobody can keep others out by sending or reading nothing.

A connection must send its first request within some seconds and then go on, and there are fewer connections than files
that the process may open: if there are as many as allowed, the one that has let the server wait longest is closed for
the next, whether for a request, for its body, or until a response is read. The sockets themselves are watched, so this
also holds before a request, or TLS, has begun.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

T = TypeVar("T")
REQUEST_SECONDS = 10.0  # for the first bytes and the headers of the first request
STALLED_SECONDS = 120.0  # in which a connection must go on after it; the server closes idle ones earlier
PIECE = 1 << 16  # bytes of a response that are sent at once
MOST = 512  # connections
RESERVED = 64  # open files for the job, the log and what else a process needs
FEWEST = 16
ENDING_SECONDS = 1.0  # for the server to close a connection that was ended
REPEATED_SECONDS = 600.0  # in which the same error is logged once


def max_connections() -> int:
    """How many connections there may be: below the number of files that this process may open."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if files == resource.RLIM_INFINITY else max(FEWEST, min(MOST, files - RESERVED))


@dataclass
class Connection:
    """An accepted socket: since when it lets the server wait, unless requests are running, and when it was ended."""

    sock: socket.socket
    since: float
    n_running: int = 0  # requests that the server works on
    has_asked: bool = False  # whether a request was received
    ended: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether the socket has not been closed by the server."""
        return self.sock.fileno() != -1

    def end(self, now: float) -> None:
        """Let the server see the end of the connection, whatever it is waiting for."""
        self.ended = now
        with suppress(OSError):  # the other side was faster
            self.sock.shutdown(socket.SHUT_RDWR)


@dataclass
class Connections:
    """The open connections of a server."""

    most: int = field(default_factory=max_connections)
    seconds: float = REQUEST_SECONDS
    clock: Callable[[], float] = time.monotonic
    _by_peer: dict[Any, Connection] = field(default_factory=dict)

    def accept(self, listening: socket.socket) -> tuple[socket.socket, Any]:
        """Accept a connection; one too many is closed at once, or takes the place of one that waits."""
        self._forget_closed()
        if len(self._by_peer) >= self.most:
            now = self.clock()
            waiting = [connection for connection in self._by_peer.values() if not connection.n_running]
            if waiting:
                if not any(c.ended is not None and now - c.ended < ENDING_SECONDS for c in waiting):
                    min(waiting, key=lambda connection: connection.since).end(now)
                raise BlockingIOError  # the server asks again when the place is free
            socket.socket.accept(listening)[0].close()
            raise ConnectionAbortedError
        sock, peer = socket.socket.accept(listening)
        self._by_peer[peer[:2]] = Connection(sock, self.clock())
        return sock, peer

    def end_silent(self) -> None:
        """End the connections that have let the server wait too long."""
        self._forget_closed()
        now = self.clock()
        for connection in self._by_peer.values():
            seconds = STALLED_SECONDS if connection.has_asked else self.seconds
            if not connection.n_running and connection.since < now - seconds:
                connection.end(now)

    def _forget_closed(self) -> None:
        self._by_peer = {peer: connection for peer, connection in self._by_peer.items() if connection.is_open}

    def watched(self, app: ASGIApp) -> ASGIApp:
        """The application; the server waits for a connection unless it works on a request."""

        async def watched_app(scope: Scope, receive: Receive, send: Send) -> None:
            client = scope.get("client")
            connection = None if client is None else self._by_peer.get(tuple(client[:2]))
            if connection is None:
                await app(scope, receive, send)
                return

            async def wait(for_browser: Awaitable[T]) -> T:
                connection.n_running -= 1
                connection.since = self.clock()
                try:
                    return await for_browser
                finally:
                    connection.n_running += 1

            async def receive_waiting() -> Message:
                return await wait(receive())

            async def send_waiting(message: Message) -> None:
                for piece in pieces(message):
                    await wait(send(piece))

            connection.has_asked = True
            connection.n_running += 1
            try:
                await app(scope, receive_waiting, send_waiting)
            finally:
                connection.n_running -= 1
                connection.since = self.clock()

        return watched_app

    async def watch(self) -> None:
        """End silent connections, again and again."""
        while True:
            await asyncio.sleep(min(1.0, self.seconds / 4))
            self.end_silent()


def pieces(message: Message) -> Iterator[Message]:
    """A part of a response in pieces; the server waits before each one until the browser has read those before it."""
    body = message.get("body", b"")
    if len(body) <= PIECE:
        yield message
        return
    for start in range(0, len(body), PIECE):
        more = start + PIECE < len(body) or message.get("more_body", False)
        yield {**message, "body": body[start : start + PIECE], "more_body": more}


class LimitedSocket(socket.socket):
    """A listening socket that accepts what its connections allow."""

    connections: Connections

    @classmethod
    def of(cls, sock: socket.socket, connections: Connections) -> LimitedSocket:
        """The same socket, limited. The given one must not be used any more."""
        limited = cls(fileno=sock.detach())
        limited.connections = connections
        return limited

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection; an error that servers expect if there are too many."""
        return self.connections.accept(self)


class OncePerError(logging.Filter):
    """Passes each error once in some minutes, and none of requests that the end of the server interrupted."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._last: dict[Any, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is logged."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, asyncio.CancelledError):
            return False
        key = (record.name, record.msg, type(error), str(error)[:200])
        is_new = self._clock() - self._last.get(key, -REPEATED_SECONDS) >= REPEATED_SECONDS
        if is_new:
            self._last[key] = self._clock()
        return is_new
