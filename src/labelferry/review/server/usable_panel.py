"""The labels of a job that can be used, as values of `usable.html`: a bar over the file, the claim, what is next."""

from __future__ import annotations

from collections import Counter, OrderedDict
from threading import Lock
from typing import Any

from ...certificate.expected import PLANS, Expected, expected_further, expected_labels, outlook
from ..job.job import Job
from ..sample.frozen import Limit
from ..sample.usable import ERROR, OTHER_ERROR, Usable
from ..sample.usable_text import ASSUMED, whole_file

LEARN, NOW, USE = "learn", "now", "use"  # answers to learn from are missing, are enough; labels are accepted
LIMITS = (ERROR, OTHER_ERROR)  # that a person can choose
KEPT = 8  # panels in memory: of the last answers, at each limit
Values = dict[str, Any]


class UsablePanels:
    """The panels of the last states of a job. A statement that is shown is recorded, once there are answers for it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._lock = Lock()
        self._made: OrderedDict[tuple[int, int, float], Values] = OrderedDict()
        self._plans: dict[tuple[int, float], list[Expected]] = {}  # by fit and limit

    def panel(self, error: float) -> Values:
        """The values for the answers so far."""
        with self._lock:
            state = self._job.log.state()
            key = (*state.version, error)
            if key not in self._made:
                acceptance, limit = self._job.questions.acceptance, Limit(error)
                usable = acceptance.usable(limit, state=state)
                if usable.learning is None and usable.given.first:
                    usable = acceptance.issue(limit)
                self._made[key] = {**panel_values(usable), "outlook": self._outlook(usable, state.fit.fit)}
                while len(self._made) > KEPT:
                    self._made.popitem(last=False)
            return self._made[key]

    def _outlook(self, usable: Usable, fit: int) -> str:
        """What to expect before the first answer that counts; empty after it."""
        if usable.n or usable.given.first or not usable.ladder.n_labels:
            return ""
        key = (fit, usable.error)
        if key not in self._plans:
            self._plans[key] = plans(usable, self._job.store.settings.get("estimated_accuracy"))
        found, further = self._plans[key], usable.n_learned > 0
        return outlook(found, usable.n_documents, usable.error, further=further) if found else ""


def plans(usable: Usable, accuracy: float | None) -> list[Expected]:
    """Labels to expect: by their confidences if they have learned, otherwise by the estimated accuracy."""
    ladder, n_learned = usable.ladder, 0 if usable.learning is None else usable.learning.of
    if usable.n_learned:
        p_wrong = usable.frozen.p_wrong[ladder.best_first]
        return expected_further(p_wrong, error=ladder.error, tail=ladder.tail, answers=PLANS)
    if accuracy is None:
        return []
    return expected_labels(usable.n_documents, accuracy, error=usable.error, n_learned=n_learned, answers=PLANS)


def panel_values(usable: Usable) -> Values:
    """The values of the panel; `step` is LEARN, NOW or USE."""
    values, text = usable.as_dict(), usable.text().splitlines()
    learning, n = usable.learning, usable.n_documents
    answered = learning.answers if learning is not None else values["n_answered"]
    totals = Counter(usable.frozen.labels.tolist())
    first, _, claim = text[0].partition(". ")
    return {
        **values,
        "step": USE if learning is None else NOW if learning.now else LEARN,
        "headline": first.removesuffix("."),
        "claim": claim,
        "promises": [line for line in (whole_file(values), ASSUMED) if line],
        "n": usable.n,
        "n_answered": answered,
        "n_rest": max(n - usable.n - answered, 0),
        "next_step": None if learning or not values["needs"] or usable.out_of_reach else values["needs"][0],
        "counts": {name: (values["per_class"][name], totals[code]) for code, name in enumerate(usable.frozen.classes)},
        "warning": warning(usable),
    }


def warning(usable: Usable) -> str:
    """A sentence if classes are missing among the labels that can be used; empty if not."""
    missing = usable.missing_classes() if usable.n else []
    if not missing:
        return ""
    used = [name for name, count in usable.per_class().items() if count]
    if len(used) == 1:
        return f"All {usable.n:,} usable labels are {used[0]}: no other class can be used yet."
    return f"No label of {', '.join(missing[:5])}{' and others' if len(missing) > 5 else ''} can be used yet."
