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
    """Return the values of `frame.html`.

    Parameters
    ----------
    site : Site
        The running server.
    session : Session
        The browser; its message is shown once.
    active : str
        The current entry of the navigation.

    Returns
    -------
    values : dict
        Values by name.
    """
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
            for queue in site.job.queues()
            if queue["purpose"] in QUEUES and (queue["open"] or queue["answered"])
        ],
        "certificate": shown.certificate,
        "is_current": shown.is_current,
        "waiting": site.job.waiting(),
        "refit": site.refit.state,
    }
