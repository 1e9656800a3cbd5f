"""Values that every page needs: the navigation, the queues, the certificate and the state of learning."""

from __future__ import annotations

from typing import Any

from ...certificate.search_plan import RECALLS
from ..job.job import Job
from ..job.people import seconds_per_answer
from ..sample.find_text import claim, expected, goal, unclear
from ..store.records import ACCEPT, FIND, QUEUES
from .sessions import Session
from .site import Site
from .usable_panel import LIMITS

TITLES = {
    "audit": "Random sample",
    "duel": "Disagreements",
    "group": "Typical documents",
    "new": "Possible new classes",
    "accept": "Labels to use",
    "again": "Labels to use",
    "find": "Find all of a class",
    "list": "Chosen in the list",
}


def queue_title(job: Job, purpose: str) -> str:
    """The name of a queue; the labels learn from the first answers of "accept" before any can be used."""
    learns = purpose == ACCEPT and job.questions.acceptance.learning(job.log.state()) is not None
    return "Answers to learn from" if learns else TITLES[purpose]


def frame(site: Site, session: Session, active: str, purpose: str = "") -> dict[str, Any]:
    """The values of `frame.html` by name; `active` is the current entry of the navigation, `purpose` the queue."""
    shown = site.certificate.show()
    queues = {queue["purpose"]: queue for queue in site.job.questions.queues(session.limit)}
    return {
        "name": site.name,
        "active": active,
        "reviewer": session.reviewer,
        "csrf": session.csrf,
        "message": session.take_message(),
        "classes": list(site.job.classes),
        "n_documents": site.job.n_documents,
        "queues": [
            {**queues[name], "title": queue_title(site.job, name)}
            for name in (ACCEPT, *(name for name in QUEUES if name != ACCEPT))
            if queues[name]["open"] or queues[name]["answered"] or name == purpose
        ],
        "certificate": shown.certificate,
        "is_current": shown.is_current,
        "before": before_learning(site.job),
        "waiting": site.job.questions.waiting(),
        "refit": site.refit.state,
        "usable": site.usable.panel(session.limit) if purpose == ACCEPT else None,
        "limits": sorted({*LIMITS, session.limit.error}),
        "several": site.job.several is not None,
        "finding": find_panel(site.job, session) if purpose == FIND else None,
        "guide": site.guide,
        "pace": seconds_per_answer(site.job.log.history(), session.reviewer),
    }


def before_learning(job: Job) -> dict[str, Any] | None:
    """What was certified about the labels before they learned last, and what is estimated now; None before that."""
    fits = job.store.fits.all()
    if not fits[-1].answers:
        return None
    summary = fits[-1].summary
    return {
        "certificate": summary.get("certificate_before"),
        "n_answers": summary.get("answers", len(fits[-1].answers)),
        "accuracy": summary.get("accuracy_after"),
    }


def find_panel(job: Job, session: Session) -> dict[str, Any] | None:
    """The values; None before a class is chosen. How much is left to read is estimated before the first answer only."""
    if session.find_class not in job.finding.classes:
        return None
    found = job.find(session.find_class, session.find_recall)
    values = found.as_dict(plans=not found.reads)
    n = max(values["n"], 1)
    return {
        **values,
        "goals": RECALLS,
        "claim": claim(values),
        "goal": goal(values),
        "notes": [line for line in (*expected(values), unclear(values)) if line],
        "read_share": values["n_read"] / n,
        "n_left": values["n"] - values["n_read"],
    }
