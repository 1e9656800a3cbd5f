"""History and export: what was answered and learned, and the files to download."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.requests import Request
from starlette.responses import Response

from ..job.people import agreements
from .frame import TITLES, before_learning, frame
from .pages import page
from .question_page import NAMES
from .sessions import Session
from .site import Form, Site, redirect

MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
}
LIMIT = 100  # answers per page of the history


def show_history(request: Request, site: Site, session: Session) -> Response:
    """Every answer, the newest first, disagreements, and fits."""
    return page(
        "history.html",
        **frame(site, session, "history"),
        rows=list(site.job.log.history())[::-1][:LIMIT],
        limit=LIMIT,
        disagreements=site.job.log.state().disagreements,
        agreements=agreements(site.job.log.answers()),
        fits=list(site.job.store.fits.all())[::-1],
        kinds=NAMES,
        titles=TITLES,
    )


def show_export(request: Request, site: Site, session: Session) -> Response:
    """Links to the files."""
    usable = site.usable.panel(session.limit)
    return page("export.html", **frame(site, session, "export"), formats=list(MEDIA_TYPES), ready=usable)


def download(request: Request, site: Site, session: Session) -> Response:
    """The labels that can be used, the labelled file, or the corrections."""
    content, suffix = request.path_params["content"], request.path_params["suffix"]
    if suffix not in MEDIA_TYPES or content not in ("usable", "labelled", "corrections"):
        raise ValueError("There is no such file.")
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{content}.{suffix}"
        if content == "usable":  # for a spreadsheet: people open a download with it
            error, name = session.limit.error, session.limit.name
            site.job.export(path, spreadsheet=True, accepted=True, error=error, name=name)
        else:
            write = site.job.export if content == "labelled" else site.job.export_corrections
            write(path, spreadsheet=True)
        body = path.read_bytes()
    headers = {"Content-Disposition": f'attachment; filename="{content}.{suffix}"'}
    return Response(body, headers=headers, media_type=MEDIA_TYPES[suffix])


def start_refit(form: Form, site: Site, session: Session) -> Response:
    """Learn from the answers in the background."""
    session.message = "Learning from the answers has started." if site.refit.start() else "It runs already."
    return redirect("/")


def show_refit(request: Request, site: Site, session: Session) -> Response:
    """The state of learning, as a part of a page."""
    return page("refit.html", refit=site.refit.state, csrf=session.csrf)


def show_certificate(request: Request, site: Site, session: Session) -> Response:
    """The current certificate, as a part of a page."""
    shown = site.certificate.show(wait=30.0)
    return page(
        "certificate.html",
        certificate=shown.certificate,
        is_current=shown.is_current,
        waiting=site.job.questions.waiting(),
        before=before_learning(site.job),
        usable=None,
    )
