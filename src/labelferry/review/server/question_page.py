"""One question at a time: the document, why it is asked, the answer, skip and undo."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from ...certificate.sampling import LABEL, NO_CLASS, NONE_OF_THESE, UNCLEAR
from ..job.job import Job
from ..job.questions import Question
from ..job.reasons import reason_without_labels
from ..store.records import ACCEPT, AGAIN, FIND, PURPOSES, QUEUES
from .frame import frame, queue_title
from .pages import at_most, page
from .sessions import Session
from .site import Form, Site, number, redirect, value
from .usable_panel import LIMITS, NOW, USE

N_KEYS = 9  # classes with a key of their own
MAX_SHOWN = 12_000  # characters of a text before the rest is folded
NAMES = {NONE_OF_THESE: NO_CLASS, UNCLEAR: UNCLEAR}
TICKED = "ticked"  # several labels per document: those with a tick


def home(request: Request, site: Site, session: Session) -> Response:
    """Go to the labels to use, or to the first queue with open questions if nothing is left to ask about them."""
    is_open = {queue["purpose"]: queue["open"] for queue in site.job.questions.queues(session.limit)}
    is_open[ACCEPT] = is_open[ACCEPT] or site.usable.panel(session.limit)["step"] != USE
    return redirect(f"/questions/{next((purpose for purpose in (ACCEPT, *QUEUES) if is_open[purpose]), ACCEPT)}")


def show_question(request: Request, site: Site, session: Session) -> Response:
    """The next question of a queue."""
    purpose = request.path_params["purpose"]
    if purpose not in QUEUES:
        raise ValueError(f"There is no queue {purpose[:40]!r}; the queues are {', '.join(QUEUES)}.")
    usable = site.usable.panel(session.limit) if purpose == ACCEPT else None
    if usable is not None and usable["step"] == NOW:  # kept: the labels may learn while the page is made
        return page("learn.html", **{**frame(site, session, "questions", ACCEPT), "usable": usable}, purpose=ACCEPT)
    skipped = session.skipped.get(purpose, [])  # by this browser; they come again after the last open question
    question = site.job.questions.next(purpose, session.reviewer, skip=skipped, limit=session.limit)
    return question_page(site, session, question, purpose)


def show_document(request: Request, site: Site, session: Session) -> Response:
    """One document of the list, as a question."""
    document = number(request.path_params["document"])
    purpose, queue = (request.query_params.get(name, "list") for name in ("purpose", "queue"))
    question = site.job.questions.about(document, purpose if purpose in PURPOSES else "list")
    back = checked_back(request.query_params.get("back", ""))
    return question_page(site, session, question, queue if queue in (*QUEUES, FIND) else "list", back=back)


def question_page(site: Site, session: Session, question: Question | None, purpose: str, back: str = "") -> Response:
    """The page of a question of the queue `purpose`; without one, the page says that the queue is empty."""
    active = purpose if purpose in ("list", FIND) else "questions"
    values = {**frame(site, session, active, purpose), "purpose": purpose, "back": back}
    if question is None:
        return page("empty.html", **values)
    text = question.text
    must_be_blind = purpose == ACCEPT or question.purpose in (ACCEPT, AGAIN, FIND)
    is_blind = session.is_blind or must_be_blind
    return page(
        "question.html",
        **values,
        question=question,
        reason=why(question, purpose, is_blind=is_blind),
        queue=queue_title(site.job, ACCEPT if purpose == ACCEPT else question.purpose),
        text=text[:MAX_SHOWN],
        rest=text[MAX_SHOWN:],
        n_keys=N_KEYS,
        is_blind=is_blind,
        must_be_blind=must_be_blind,
        has_similar=bool(site.job.similar(question.document)),
        own_answer="" if question.purpose == AGAIN else own_answer(site, question.document, session.reviewer),
        chances={} if is_blind else predicted_labels(site.job, question),
    )


def predicted_labels(job: Job, question: Question) -> dict[str, float]:
    """Of several labels per document: those that are predicted for a document, with their chances."""
    if job.several is None:
        return {}
    chances = dict(zip(job.several.learned, job.log.state().fit.arrays["proba"][question.document], strict=True))
    return {name: float(chances.get(name, 1.0)) for name in job.several.form.read(question.label) or ()}


def why(question: Question, queue: str, *, is_blind: bool) -> str:
    """Why a document is shown."""
    if queue == ACCEPT and question.purpose not in (ACCEPT, AGAIN):
        return "Chosen at random. The labels learn from your answer."
    return reason_without_labels(question.purpose) if is_blind else question.reason


def own_answer(site: Site, document: int, reviewer: str) -> str:
    """What this person answered before; empty if nothing."""
    rows = [row for row in site.job.log.answers() if (row.document, row.reviewer) == (document, reviewer)]
    return NAMES.get(rows[0].kind, rows[0].answer or "") if rows else ""


def give_answer(form: Form, site: Site, session: Session) -> Response:
    """Store an answer. The response is sent after the store has committed it."""
    document, purpose = number(value(form, "document")), checked_purpose(value(form, "purpose"))
    if value(form, "choice") == TICKED and not form.get("label"):
        session.message = "Not saved: tick the labels of the document, or choose None of these."
        return redirect(f"/documents/{document}?{urlencode({'purpose': purpose, 'queue': queue_of(form)})}")
    answer, kind = parse_choice(form, site.job)
    shown = value(form, "shown") or None
    site.job.answer(document, answer, kind=kind, purpose=purpose, reviewer=session.reviewer, shown=shown)
    session.message = f"Saved: document {document + 1:,} is {NAMES.get(kind, answer)}."
    return redirect(checked_back(value(form, "back")) or next_path(queue_of(form)))


def skip(form: Form, site: Site, session: Session) -> Response:
    """Show another question; this one stays open."""
    document, purpose = number(value(form, "document")), checked_purpose(value(form, "purpose"))
    session.skipped.setdefault(queue_of(form), []).append(document)
    session.message = f"Skipped: document {document + 1:,} stays open."
    if purpose == "audit":
        session.message += " The certificate counts the answers up to the first open document, so answer it later."
    return redirect(checked_back(value(form, "back")) or next_path(queue_of(form)))


def undo(form: Form, site: Site, session: Session) -> Response:
    """Take back the last answer of this person, and show its document again."""
    row = site.job.log.undo(session.reviewer)
    if row is None:
        session.message = "There is no answer to undo."
        return redirect(next_path(queue_of(form)))
    session.message = f"Undone: document {row.document + 1:,} is open again."
    return redirect(f"/documents/{row.document}?{urlencode({'purpose': row.purpose, 'queue': queue_of(form)})}")


def set_blind(form: Form, site: Site, session: Session) -> Response:
    """Show or hide predictions in this browser."""
    session.is_blind = value(form, "blind") == "yes"
    session.message = "Predictions are hidden." if session.is_blind else "Predictions are shown."
    return redirect(next_path(queue_of(form)))


def set_limit(form: Form, site: Site, session: Session) -> Response:
    """Choose the allowed share of wrong labels among those that can be used, and of several labels the one to use."""
    name = value(form, "name")
    if "error" in form:
        chosen = [limit for limit in (*LIMITS, session.limit.error) if f"{limit:g}" == value(form, "error")]
        if not chosen:
            raise ValueError(f"error must be one of {', '.join(f'{limit:g}' for limit in LIMITS)}.")
        session.limit = session.limit._replace(error=chosen[0])
        session.message = f"At most {at_most(chosen[0])} of the usable labels may be wrong."
    else:
        if name and name not in site.job.questions.acceptance.names():
            raise ValueError(f"No document has the label {name[:60]!r}.")
        tested = site.job.questions.acceptance.strictest_limit(name)  # another limit would be a second claim
        session.limit = tested or session.limit._replace(name=name)
        session.message = f"Questions are about documents with the label {name}." if name else ""
    return redirect(next_path(ACCEPT))


def queue_of(form: Form) -> str:
    """The queue from which a form was sent: the random sample is also asked from the labels to use."""
    return checked_purpose(value(form, "queue") or value(form, "purpose"))


def next_path(purpose: str) -> str:
    """Where the next question of a queue is."""
    if purpose in ("list", FIND):
        return f"/{purpose}"
    return f"/questions/{ACCEPT if purpose == AGAIN else purpose}"


def parse_choice(form: Form, job: Job) -> tuple[str | None, str]:
    """The button of a form as an answer and its kind. Labels have a prefix, so that a class may be called unclear."""
    choice = value(form, "choice")
    prefix, _, label = choice.partition(":")
    if prefix == LABEL and label in job.store.database.allowed:
        return label, LABEL
    if job.several is not None and choice in (TICKED, NONE_OF_THESE):
        names = form.get("label", []) if choice == TICKED else []
        if set(names) <= set(job.classes):
            return job.several.form.text(names), LABEL
    if choice in NAMES:
        return None, choice
    raise ValueError("Choose one of the answers.")


def checked_purpose(purpose: str) -> str:
    """A purpose of a form."""
    if purpose not in PURPOSES:
        raise ValueError(f"purpose must be one of {', '.join(PURPOSES)}; got {purpose[:40]!r}.")
    return purpose


def checked_back(path: str) -> str:
    """The list or the queue to which a page returns; anything else is ignored: no form can lead to another site."""
    queues = [f"/questions/{queue}" for queue in QUEUES]
    return path if path in ("/list", *queues) or path.startswith("/list?") else ""
