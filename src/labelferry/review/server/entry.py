"""The way in: the token of the first URL or a password, and the name of the reviewer."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from .pages import page
from .sessions import Session, same
from .site import Form, Site, message_page, no_access, read_form, redirect, site_of, value

MAX_NAME = 80


async def enter(request: Request) -> Response:
    """Exchange the token of the URL for a cookie, and remove it from the URL. A token works once.

    A browser that has a session already may open its URL again.
    """
    site = site_of(request)
    if site.session(request) is not None:
        return redirect("/")
    token = request.query_params.get("token", "")
    if site.password is not None or request.method != "GET" or not site.tokens.use(token):
        return no_access(site)
    return with_session(site)


def new_link(form: Form, site: Site, session: Session) -> Response:
    """Make a link for another browser."""
    if site.password is not None:
        raise ValueError("Every browser can open this page with the password.")
    return page("link.html", link=site.link())


async def login(request: Request) -> Response:
    """Show the form for the password, or check it."""
    site = site_of(request)
    if site.password is None:
        return no_access(site)
    if request.method != "POST":
        return page("login.html", wrong=False)
    form = await read_form(request)
    if form is None:
        return message_page("This form is malformed.", 400)
    address = request.client.host if request.client else ""
    if not site.attempts.reserve(address):
        return message_page("Too many wrong passwords. Wait a minute and try again.", 429)
    if not await run_in_threadpool(site.password.matches, value(form, "password")):
        return page("login.html", 401, wrong=True)
    site.attempts.clear(address)
    return with_session(site)


async def logout(request: Request) -> Response:
    """End the session of the browser."""
    site = site_of(request)
    session = site.session(request)
    form = None if session is None else await read_form(request)
    if session is None or form is None or not same(value(form, "csrf"), session.csrf):
        return no_access(site)
    site.sessions.end(request.cookies.get(site.cookie))
    response = redirect("/login") if site.password is not None else message_page("You are signed out.", 200)
    response.delete_cookie(site.cookie)
    return response


def with_session(site: Site) -> Response:
    """Start a session: a cookie that scripts cannot read and that other sites cannot send."""
    response = redirect("/")
    response.set_cookie(site.cookie, site.sessions.start(), httponly=True, samesite="strict", secure=site.secure)
    return response


def show_reviewer(request: Request, site: Site, session: Session) -> Response:
    """The form for the name of the reviewer."""
    has_links = site.password is None
    return page("reviewer.html", csrf=session.csrf, reviewer=session.reviewer, max_name=MAX_NAME, has_links=has_links)


def set_reviewer(form: Form, site: Site, session: Session) -> Response:
    """Keep the name for this browser, without control characters and outer spaces."""
    name = " ".join("".join(c for c in value(form, "reviewer") if c.isprintable()).split())
    if not 1 <= len(name) <= MAX_NAME:
        raise ValueError(f"The name needs 1 to {MAX_NAME} characters.")
    session.reviewer = name
    session.skipped.clear()
    return redirect("/")
