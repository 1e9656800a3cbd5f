"""Find all documents of one class: choose it, read, and see when enough is found."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from ...certificate.search_plan import RECALLS
from ..store.records import FIND
from .frame import frame
from .pages import page
from .question_page import question_page
from .sessions import Session
from .site import Form, Site, redirect, value


def show_find(request: Request, site: Site, session: Session) -> Response:
    """The next document to read; before that, the classes to choose from."""
    if session.find_class not in site.job.finding.classes:
        values = {**frame(site, session, FIND, FIND), "classes": site.job.finding.classes}
        return page("find.html", **values, purpose=FIND)
    question = site.job.finding.next(session.find_class, session.reviewer, skip=session.skipped.get(FIND, []))
    return question_page(site, session, question, FIND)


def choose(form: Form, site: Site, session: Session) -> Response:
    """Choose the class and the goal; an empty class shows the classes again."""
    name, goal = value(form, "class"), value(form, "recall")
    if name and name not in site.job.finding.classes:
        raise ValueError(f"There is no class {name[:60]!r}.")
    goals = [recall for recall in RECALLS if f"{recall:g}" == goal]
    if goal and not goals:
        raise ValueError(f"recall must be one of {', '.join(f'{recall:g}' for recall in RECALLS)}.")
    if name != session.find_class:
        session.skipped.pop(FIND, None)
    session.find_class, session.find_recall = name, goals[0] if goals else session.find_recall
    return redirect("/find")
