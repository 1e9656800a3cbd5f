"""The application: which function answers which URL, behind the checks of `guard`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from . import entry, find_page, history_page, list_page, question_page
from .guard import LOOPBACK_NAMES, Guard
from .pages import static_file
from .site import Site, message_page, read, write


def new_app(
    site: Site, names: Collection[str] = LOOPBACK_NAMES, any_address: bool = False, referrer_policy: str = "no-referrer"
) -> Guard:
    """Make the application of a site.

    Parameters
    ----------
    site : Site
        The job and who may see it.
    names : collection of str, default=("localhost", "127.0.0.1", "::1")
        Host names of the server.
    any_address : bool, default=False
        Allow every IP address as host.
    referrer_policy : str, default="no-referrer"
        Value of the header Referrer-Policy.

    Returns
    -------
    app : Guard
        An ASGI application.
    """
    app = Starlette(routes=ROUTES, exception_handlers=HANDLERS)
    app.state.site = site
    return Guard(app, names, any_address, referrer_policy)


async def static(request: Request) -> Response:
    """A style sheet, the script or the icon."""
    try:
        content, media_type = static_file(request.path_params["name"])
    except KeyError as error:
        return await not_found(request, error)
    return Response(content, media_type=media_type)


async def not_found(request: Request, error: Any) -> Response:
    """The page for an unknown URL."""
    return message_page("There is no such page.", 404)


async def failed(request: Request, error: Any) -> Response:
    """The page for a bug; the terminal shows the details."""
    return PlainTextResponse("The server failed. Nothing was saved by this request; the terminal shows why.", 500)


HANDLERS: dict[Any, Any] = {404: not_found, 405: not_found, Exception: failed}
ROUTES = [
    Route("/static/{name}", static),
    Route("/enter", entry.enter),
    Route("/login", entry.login, methods=["GET", "POST"]),
    Route("/logout", entry.logout, methods=["POST"]),
    Route("/reviewer", read(entry.show_reviewer, named=False)),
    Route("/reviewer", write(entry.set_reviewer, named=False), methods=["POST"]),
    Route("/link", write(entry.new_link, named=False), methods=["POST"]),
    Route("/", read(question_page.home)),
    Route("/questions/{purpose}", read(question_page.show_question)),
    Route("/documents/{document}", read(question_page.show_document)),
    Route("/answer", write(question_page.give_answer), methods=["POST"]),
    Route("/skip", write(question_page.skip), methods=["POST"]),
    Route("/undo", write(question_page.undo), methods=["POST"]),
    Route("/blind", write(question_page.set_blind), methods=["POST"]),
    Route("/limit", write(question_page.set_limit), methods=["POST"]),
    Route("/list", read(list_page.show_list)),
    Route("/list", write(list_page.answer_selected), methods=["POST"]),
    Route("/find", read(find_page.show_find)),
    Route("/find", write(find_page.choose), methods=["POST"]),
    Route("/history", read(history_page.show_history)),
    Route("/export", read(history_page.show_export)),
    Route("/export/{content}.{suffix}", read(history_page.download)),
    Route("/certificate", read(history_page.show_certificate)),
    Route("/refit", read(history_page.show_refit)),
    Route("/refit", write(history_page.start_refit), methods=["POST"]),
]
