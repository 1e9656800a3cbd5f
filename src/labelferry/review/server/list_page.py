"""The list of documents: search, filter, sort, or what is similar to one; and one answer for several documents."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from ..store.records import QUEUES, NewAnswer
from .frame import frame
from .pages import page
from .question_page import NAMES, checked_back, parse_choice
from .sessions import Session
from .site import Form, Site, number, redirect, value

LIMIT = 50  # documents per page
MAX_SEARCH = 200
STATES = {"": "all documents", "review": "needs review", "answered": "answered", "open": "not answered"}
SORTS = {"confidence": "least confident first", "-confidence": "most confident first", "number": "order of the file"}


class Filters(NamedTuple):
    """What the list shows."""

    search: str = ""  # part of the text
    label: str = ""  # predicted label; empty for all
    state: str = ""  # a key of STATES
    sort: str = "confidence"  # a key of SORTS
    page: int = 1  # from 1
    like: str = ""  # number of a document: only those that are similar to it
    queue: str = ""  # to which the list of similar documents returns

    def query(self, **changes: Any) -> str:
        """The URL of the list with these filters and changes; values that are the default are omitted."""
        values = self._replace(**changes)._asdict()
        default = Filters()._asdict()
        changed = {name: given for name, given in values.items() if given != default[name]}
        return f"/list?{urlencode(changed)}" if changed else "/list"


def read_filters(parameters: QueryParams, classes: list[str], *, is_blind: bool = False) -> Filters:
    """The filters of a URL; unknown values are ignored, and those that show predictions if these are hidden."""
    if is_blind:
        kept = ("search", "page") if parameters.get("state") == "review" else ("search", "page", "state")
        parameters = QueryParams({**{name: parameters[name] for name in kept if name in parameters}, "sort": "number"})
    label, state, sort, like, queue = (parameters.get(name, "") for name in ("label", "state", "sort", "like", "queue"))
    page_number = parameters.get("page", "")
    return Filters(
        search=parameters.get("search", "").strip()[:MAX_SEARCH],
        label=label if label in classes else "",
        state=state if state in STATES else "",
        sort=sort if sort in SORTS else "confidence",
        page=max(1, number(page_number, "page")) if page_number else 1,
        like=str(number(like)) if like else "",
        queue=queue if like and queue in QUEUES else "",
    )


def show_list(request: Request, site: Site, session: Session) -> Response:
    """A page of the list."""
    job = site.job
    filters = read_filters(request.query_params, list(job.classes), is_blind=session.is_blind)
    is_blind = session.is_blind or bool(filters.like)  # the question that led here may be a blind one
    rows, total = find(site, filters)
    answers: dict[int, list[str]] = {row.number: [] for row in rows}
    for answer in job.log.answers():
        if answer.document in answers:
            answers[answer.document].append(NAMES.get(answer.kind, answer.answer or ""))
    return page(
        "list.html",
        **frame(site, session, "list"),
        rows=rows,
        answers=answers,
        total=total,
        filters=filters,
        states={key: name for key, name in STATES.items() if not (is_blind and key == "review")},
        sorts=SORTS,
        is_blind=is_blind,
        sets=sorted(job.log.state().classes) if job.several is not None else [],
        like=job.store.documents.one(int(filters.like)) if filters.like else None,
        max_search=MAX_SEARCH,
        first=(filters.page - 1) * LIMIT + 1,
        n_pages=-(-total // LIMIT),
    )


def find(site: Site, filters: Filters) -> tuple[list[Any], int]:
    """The documents of one page, and the number of all that match; or those similar to one, the nearest first."""
    if filters.like:
        similar = site.job.similar(int(filters.like))
        return site.job.store.documents.some(similar), len(similar)
    found = site.job.store.documents.page(
        filters.search,
        label=filters.label or None,
        needs_review=True if filters.state == "review" else None,
        answered={"answered": True, "open": False}.get(filters.state),
        sort=filters.sort,
        offset=(filters.page - 1) * LIMIT,
        limit=LIMIT,
    )
    return list(found.rows), found.total


def answer_selected(form: Form, site: Site, session: Session) -> Response:
    """Give all selected documents one answer."""
    documents = sorted({number(text) for text in form.get("document", [])})
    back = checked_back(value(form, "back")) or "/list"
    if not documents:
        session.message = "Select documents first."
        return redirect(back)
    answer, kind = parse_choice(form, site.job)
    is_blind = session.is_blind or value(form, "blind") == "yes"
    shown = dict.fromkeys(documents) if is_blind else shown_labels(form, site, documents)
    site.job.log.add([NewAnswer(row, answer, kind, "list", session.reviewer, label) for row, label in shown.items()])
    what = "1 document is" if len(documents) == 1 else f"{len(documents)} documents are"
    session.message = f"Saved: {what} {NAMES.get(kind, answer)}."
    return redirect(back)


def shown_labels(form: Form, site: Site, documents: list[int]) -> dict[int, str | None]:
    """Per selected document, the label that the list showed; the current one if the form does not contain it."""
    shown: dict[int, str | None] = {row.number: row.label for row in site.job.store.documents.some(documents)}
    for entry in form.get("shown", []):
        row, _, label = entry.partition(":")
        if label in site.job.store.database.allowed and number(row) in shown:
            shown[number(row)] = label
    return shown
