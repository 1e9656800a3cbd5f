"""Checks of every request before any page runs, and the headers of every response.

- The Host header must name this server. A page of another site that makes its own name point to this computer (DNS
  rebinding) has another Host.
- A request that changes something must come from a page of this server: its Origin or Sec-Fetch-Site header says so.
- A body has one length, a limited size, and a limited time to arrive.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 256 * 1024  # bytes
BODY_SECONDS = 30.0  # in which all of it must arrive
SAFE_METHODS = {"GET", "HEAD"}
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
TOO_LARGE = f"The request is larger than {MAX_BODY} bytes."

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


class Guard:
    """ASGI middleware with the checks of this module; `names` are the host names of the server, without port.

    `any_address` allows every IP address as Host, for a server that listens on all addresses. DNS rebinding needs a
    name, so an IP address is no danger.
    """

    def __init__(
        self, app: ASGIApp, names: Collection[str], any_address: bool = False, referrer_policy: str = "no-referrer"
    ) -> None:
        self.app = app
        self.names = frozenset(name.lower() for name in names)
        self.any_address = any_address
        self.headers = {**HEADERS, "Referrer-Policy": referrer_policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # no websockets: the connection is closed

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers[name] = value
            await send(message)

        refusal = self.refusal(scope)
        if refusal is None:
            await self.app(scope, limited(receive), send_with_headers)
        else:
            await refusal(scope, receive, send_with_headers)

    def refusal(self, scope: Scope) -> PlainTextResponse | None:
        """The response to a request that fails a check, or None."""
        headers = Headers(scope=scope)
        host = host_name(headers["host"]) if len(headers.getlist("host")) == 1 else None
        if host is None or not (host in self.names or (self.any_address and is_address(host))):
            return PlainTextResponse("This server does not answer requests for this host name.", 421)
        if "content-length" in headers and "transfer-encoding" in headers:  # a proxy may see another end of the body
            return PlainTextResponse("This request has two lengths.", 400, {"Connection": "close"})
        if scope["method"] not in SAFE_METHODS:
            if not is_same_origin(headers, scope["scheme"]):
                return PlainTextResponse("This request does not come from a page of this server.", 403)
            length = headers.get("content-length", "")
            if length.isdecimal() and int(length) > MAX_BODY:
                return PlainTextResponse(TOO_LARGE, 413)
        return None


def host_name(host: str) -> str | None:
    """The name in a Host header, without port and brackets, in lower case; None if it is malformed."""
    try:
        parts = urlsplit(f"//{host}")
        parts.port  # noqa: B018  (raises for a malformed port)
        name = parts.hostname
    except ValueError:
        return None
    plain = not (parts.path or parts.query or parts.fragment or parts.username or parts.password)
    return name if plain else None


def is_address(name: str) -> bool:
    """Whether a host name is an IP address."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_same_origin(headers: Mapping[str, str], scheme: str) -> bool:
    """Whether a request that changes something comes from a page of the same origin.

    A form of a page with the policy no-referrer sends "Origin: null"; then Sec-Fetch-Site decides.
    """
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if site is not None and site != "same-origin":
        return False
    if origin in (None, "null"):
        return site == "same-origin"
    return origin == f"{scheme}://{headers.get('host')}"


def limited(receive: Receive) -> Receive:
    """Wrap `receive` so that a body that exceeds MAX_BODY, or does not arrive, is an error with its response."""
    n_bytes, is_complete = 0, False
    latest = time.monotonic() + BODY_SECONDS

    async def receive_limited() -> Message:
        nonlocal n_bytes, is_complete
        try:  # after the body, it waits until the browser goes away
            async with asyncio.timeout(None if is_complete else max(0.0, latest - time.monotonic())):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, "The request did not arrive in time.", {"Connection": "close"}) from None
        n_bytes += len(message.get("body", b""))
        is_complete = not message.get("more_body", False)
        if n_bytes > MAX_BODY:
            raise HTTPException(413, TOO_LARGE)
        return message

    return receive_limited
