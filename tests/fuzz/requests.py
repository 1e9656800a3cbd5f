"""Requests to the review page: any request gets an answer, none is a failure of the server."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from labelferry.review.job.job import open_job
from labelferry.review.server import Site, new_app
from labelferry.review.server.sessions import Sessions
from tests.review_jobs import hostile_texts, write_job

from .choices import Choices
from .rules import FINE, REFUSED, Finding, require

BASE = "http://127.0.0.1:8000"
PATHS = (
    "/",
    "/questions/audit",
    "/questions/duel",
    "/questions/group",
    "/questions/x",
    "/documents/0",
    "/documents/-1",
)
PATHS += (
    "/documents/999999999999999999999",
    "/documents/x",
    "/list",
    "/history",
    "/export",
    "/export/labels.csv",
    "/link",
)
PATHS += (
    "/export/corrections.jsonl",
    "/export/labels.exe",
    "/export/../x.csv",
    "/certificate",
    "/refit",
    "/static/page.css",
)
PATHS += (
    "/static/..%2f..%2fx",
    "/answer",
    "/skip",
    "/undo",
    "/blind",
    "/reviewer",
    "/login",
    "/enter",
    "//evil",
    "/%00",
)
PATHS += ("/export/labelled.csv", "/export/labelled.jsonl", "/export/corrections.csv")
NAMES = (
    "document",
    "purpose",
    "choice",
    "shown",
    "back",
    "q",
    "label",
    "sort",
    "offset",
    "page",
    "reviewer",
    "token",
    "blind",
)
NAMES += ("answered", "needs_review", "documents", "selected", "note", "csrf", "next", "limit", "password", "answer")
FORM_VALUES = (
    "audit",
    "duel",
    "label:billing",
    "label:",
    "none_of_these",
    "unclear",
    "0",
    "1",
    "-1",
    "1e9",
    "9" * 30,
    "confidence",
)
FORM_VALUES += (
    "-confidence",
    "//evil",
    "/list",
    "\x00",
    "billing",
    "on",
    "a" * 5000,
    '"',
    "* OR *",
    "%",
    "NEAR(",
    "a AND",
    "(",
)
HEADERS = (
    "Host",
    "Origin",
    "Cookie",
    "Sec-Fetch-Site",
    "Content-Type",
    "Content-Length",
    "Range",
    "Accept-Language",
    "X-Forwarded-For",
)


class RequestCase(NamedTuple):
    """One request of a browser that has access."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    form: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None  # instead of the form
    with_token: bool = True


def decode(choices: Choices) -> RequestCase:
    """A request with names and values that the pages use, and others."""

    def pairs(most: int) -> tuple[tuple[str, str], ...]:
        def value() -> str:
            return choices.pick(FORM_VALUES) if not choices.flag(4) else choices.text()

        return tuple((choices.pick(NAMES), value()) for _ in range(choices.below(most + 1)))

    method = choices.pick(("GET", "POST", "POST", "HEAD", "PUT", "OPTIONS", "DELETE"))
    path, query, form = choices.pick(PATHS), pairs(4), pairs(5)
    headers = tuple((choices.pick(HEADERS), choices.text()) for _ in range(choices.below(3) if choices.flag(8) else 0))
    body = choices.take(40) if choices.flag(16) else None
    return RequestCase(method, path, query, form, headers, body, not choices.flag(16))


def check(case: RequestCase, folder: Path) -> str:
    """Send the request. Fits of the background are not started: they take seconds."""
    if case.method == "POST" and case.path == "/refit":
        return REFUSED
    client, token = browser()
    form = {name: value for name, value in case.form if name != "csrf"} | ({"csrf": token} if case.with_token else {})
    headers = {"Origin": BASE} | {k: v for k, v in case.headers if v.isascii() and v.isprintable() and v.strip() == v}
    headers = {k: v for k, v in headers.items() if not (k == "Content-Length" and not v.isdecimal())}
    settings: dict[str, Any] = {"content": case.body} if case.body is not None else {"data": encodable(form)}
    if case.method in ("GET", "HEAD", "OPTIONS", "DELETE"):
        settings = {}
    client.cookies.clear()
    client.cookies.update(COOKIES)
    try:
        response = client.request(
            case.method,
            case.path,
            params=encodable(dict(case.query)),
            headers=headers,
            follow_redirects=False,
            **settings,
        )
    except Exception as error:
        raise Finding("traceback", f"{type(error).__name__}: {str(error)[:300]}") from error
    require(response.status_code < 500, f"status {response.status_code}")
    require("Content-Security-Policy" in response.headers, "a response without a policy")
    location = response.headers.get("Location", "")
    require(not location or (location.startswith("/") and not location.startswith("//")), f"leads to {location!r}")
    if "<script>alert" in response.text:  # only in files, which no browser shows as a page
        kind, place = (response.headers.get(name, "") for name in ("Content-Type", "Content-Disposition"))
        require("html" not in kind and place.startswith("attachment"), "a text became a script")
    return FINE if response.status_code < 400 else REFUSED


def encodable(values: dict[str, str]) -> dict[str, str]:
    """Values that a browser can send: no half characters."""
    return {name: value.encode("utf-8", "replace").decode() for name, value in values.items()}


COOKIES: dict[str, str] = {}


@cache
def browser() -> tuple[Any, str]:
    """A client that has entered, and the token of its forms. The job has hostile texts."""
    from starlette.testclient import TestClient

    path = Path(mkdtemp(prefix="labelferry-fuzz-")) / "job.ferry"
    write_job(path, texts=[*hostile_texts(), *["an invoice for the app"] * 40])
    site = Site(open_job(path), "job.ferry", Sessions("Ada"))
    client = TestClient(new_app(site), base_url=BASE)
    client.get("/enter", params={"token": site.tokens.new()})
    COOKIES.update(client.cookies)
    token = re.search(r'name="csrf" value="([^"]+)"', client.get("/questions/audit").text)
    assert token is not None
    return client, token[1]


def seeds() -> list[bytes]:
    """Every path, read and written."""
    return [
        bytes([method, path, 1, path, 0, 2, 0, 0, 0, 1, 1, 0, 2]) for method in (0, 1) for path in range(len(PATHS))
    ]


PAST = {
    "a document that is too large": RequestCase("GET", "/documents/999999999999999999999"),
    "a search that is no search": RequestCase("GET", "/list", (("q", 'NEAR("'),)),
    "NUL in a search": RequestCase("GET", "/list", (("q", "\x00"),)),
    "an answer to no document": RequestCase(
        "POST", "/answer", form=(("document", "-1"), ("purpose", "audit"), ("choice", "unclear"))
    ),
}
