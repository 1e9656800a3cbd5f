"""What the pages of a running server share, and the two wrappers of their functions: `read` and `write`.

A page function is plain and synchronous. The wrappers find the session of the browser, run the function in a worker
thread, and turn errors that the user can fix into a page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..job.job import Job
from .background import LiveCertificate, Refit
from .guide import Part
from .pages import page
from .passwords import Attempts, Password
from .sessions import Session, Sessions, Tokens, same
from .usable_panel import UsablePanels

MAX_FIELDS = 1000
FORM_TYPE = "application/x-www-form-urlencoded"
Form = dict[str, list[str]]


@dataclass
class Site:
    """The state of a running server."""

    job: Job  # that is reviewed
    name: str  # of the job, for people
    sessions: Sessions  # the browsers that have access
    password: Password | None = None  # if it is set, a browser needs it; otherwise it needs the token
    base: str = ""  # scheme, host and port of the URLs for people
    tokens: Tokens = field(default_factory=Tokens)  # of URLs that give access
    cookie: str = "labelferry"  # its name; cookies do not depend on the port, so each server has its own
    secure: bool = False  # whether the page is served with TLS
    attempts: Attempts = field(default_factory=Attempts)  # failed passwords
    guide: list[Part] = field(default_factory=list)  # for the people who answer
    certificate: LiveCertificate = field(init=False)  # of the answers so far
    refit: Refit = field(init=False)  # learning from answers in the background
    usable: UsablePanels = field(init=False)  # the labels that can be used

    def __post_init__(self) -> None:
        self.certificate = LiveCertificate(self.job)
        self.refit = Refit(self.job)
        self.usable = UsablePanels(self.job)

    def link(self) -> str:
        """A URL for one browser; with a password it contains no secret."""
        path = "/" if self.password is not None else f"/enter?token={self.tokens.new()}"
        return f"{self.base}{path}"

    def session(self, request: Request) -> Session | None:
        """The session of a browser, or None."""
        return self.sessions.find(request.cookies.get(self.cookie))


Endpoint = Callable[[Request], Awaitable[Response]]


def site_of(request: Request) -> Site:
    """The site that a request belongs to."""
    site: Site = request.app.state.site
    return site


def redirect(path: str) -> Response:
    """Send the browser to another page of this server, with GET."""
    return RedirectResponse(quote(path, safe="/?&=%+-_.~"), 303)


def read(function: Callable[[Request, Site, Session], Response], *, named: bool = True) -> Endpoint:
    """Wrap a function that shows a page. Without a name, the reviewer is requested first."""

    async def endpoint(request: Request) -> Response:
        site = site_of(request)
        session = site.session(request)
        if session is None:
            return no_access(site)
        if named and not session.reviewer:
            return redirect("/reviewer")
        return await run_in_threadpool(guarded, lambda: function(request, site, session), session)

    return endpoint


def write(function: Callable[[Form, Site, Session], Response], *, named: bool = True) -> Endpoint:
    """Wrap a function that changes something: the form must contain the token of the session."""

    async def endpoint(request: Request) -> Response:
        site = site_of(request)
        session = site.session(request)
        if session is None:
            return no_access(site)
        form = await read_form(request)
        if form is None or not same(value(form, "csrf"), session.csrf):
            return message_page("This form is out of date. Load the page again and repeat the last step.", 403)
        if named and not session.reviewer:
            return redirect("/reviewer")
        return await run_in_threadpool(guarded, lambda: function(form, site, session), session)

    return endpoint


def guarded(work: Callable[[], Response], session: Session | None = None) -> Response:
    """Run a page function; errors of the input become a page."""
    try:
        return work()
    except (ValueError, LookupError) as error:
        return message_page(str(error.args[0]) if error.args else "There is no such document.", 400, session)


async def read_form(request: Request) -> Form | None:
    """The fields of a form; None if it is malformed. Files cannot be sent."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM_TYPE:
        return None
    try:
        body = (await request.body()).decode("utf-8")
        return parse_qs(body, keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict")
    except ValueError:
        return None


def value(form: Form, name: str) -> str:
    """The only value of a field; empty if it is missing."""
    return form.get(name, [""])[-1]


def number(text: str, name: str = "document") -> int:
    """A row number in a form or a path."""
    if not text.isascii() or not text.isdecimal() or len(text) > 12:
        raise ValueError(f"{name} must be a number; got {text[:40]!r}.")
    return int(text)


def no_access(site: Site) -> Response:
    """The page for a browser without a session."""
    return redirect("/login") if site.password is not None else page("no_access.html", 401)


def message_page(message: str, status: int, session: Session | None = None) -> Response:
    """A page with one message."""
    return page("message.html", status, message=message, reviewer=session.reviewer if session else "")
