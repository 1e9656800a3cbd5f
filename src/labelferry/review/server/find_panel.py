"""The search of a browser for all documents of one class, as values of `finding.html`."""

from __future__ import annotations

from typing import Any

from ...certificate.search_plan import RECALLS
from ..job.job import Job
from ..sample.find_text import claim, expected, goal, unclear
from .sessions import Session


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
