"""Values that every page needs: the navigation, the queues, the certificate and the state of learning."""

from __future__ import annotations

from typing import Any

from ..store.records import QUEUES
from .sessions import Session
from .site import Site

TITLES = {
    "audit": "Random sample",
    "duel": "Disagreements",
    "group": "Typical documents",
    "new": "Possible new classes",
    "list": "Chosen in the list",
}


def queue_title(purpose: str) -> str:
    """Name of a queue for people."""
    return TITLES[purpose]


def frame(site: Site, session: Session, active: str) -> dict[str, Any]:
    """The values of `frame.html` by name; `active` is the current entry of the navigation."""
    shown = site.certificate.show()
    return {
        "name": site.name,
        "active": active,
        "reviewer": session.reviewer,
        "csrf": session.csrf,
        "message": session.take_message(),
        "classes": list(site.job.classes),
        "n_documents": site.job.n_documents,
        "queues": [
            {**queue, "title": TITLES[queue["purpose"]]}
            for queue in site.job.questions.queues()
            if queue["purpose"] in QUEUES and (queue["open"] or queue["answered"])
        ],
        "certificate": shown.certificate,
        "is_current": shown.is_current,
        "waiting": site.job.questions.waiting(),
        "refit": site.refit.state,
    }
