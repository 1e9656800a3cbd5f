"""The labels of a job that can be used, as values of `usable.html`: a bar over the file, the claim, what is next."""

from __future__ import annotations

from collections import Counter, OrderedDict
from threading import Lock
from typing import Any

from ...certificate.expected import PLANS, Expected, expected_further, expected_labels, outlook
from ..job.job import Job
from ..job.state import JobState
from ..sample.frozen import ERROR, OTHER_ERROR, USUAL, Limit
from ..sample.usable import Usable
from ..sample.usable_text import ASSUMED, together, whole_file
from ..store.records import Several

LEARN, NOW, USE = "learn", "now", "use"  # answers to learn from are missing, are enough; labels are accepted
LIMITS = (ERROR, OTHER_ERROR)  # that a person can choose
KEPT = 8  # panels in memory: of the last answers, at each limit
Values = dict[str, Any]


class UsablePanels:
    """The panels of the last states of a job. A statement that is shown is recorded, once there are answers for it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._lock = Lock()
        # by fit, last answer and limit, and by the other limits at which there were statements: they share a confidence
        self._made: OrderedDict[tuple[int, int, Limit, frozenset[Limit]], Values] = OrderedDict()
        self._plans: dict[tuple[int, Limit], list[Expected]] = {}  # by fit and limit

    def first_limit(self) -> Limit:
        """The limit of earlier statements: to open the page is no second claim."""
        try:
            return self._job.questions.acceptance.strictest_limit() or USUAL
        except ValueError:
            return USUAL  # the page says what is wrong with the job

    def panel(self, limit: Limit) -> Values:
        """The values for the answers so far."""
        with self._lock:
            state = self._job.log.state()
            acceptance = self._job.questions.acceptance
            key = (*state.version, limit, acceptance.other_limits(state.fit.fit, limit))
            if key not in self._made:
                usable = acceptance.usable(limit, state=state)
                if usable.learning is None and usable.given.first:
                    usable = acceptance.issue(limit)
                values = {**panel_values(usable), "outlook": self._outlook(usable, state.fit.fit)}
                values |= {"name": limit.name, "names": acceptance.names()}
                several = self._job.several
                self._made[key] = values if several is None else values | label_values(usable, several, state)
                while len(self._made) > KEPT:
                    self._made.popitem(last=False)
            return self._made[key]

    def _outlook(self, usable: Usable, fit: int) -> str:
        """What to expect before the first answer that counts; empty after it."""
        if usable.n or usable.given.first or not usable.ladder.n_labels:
            return ""
        key = (fit, usable.limit)
        if key not in self._plans:
            accuracy = self._job.store.settings.get("estimated_accuracy") if not usable.limit.name else None
            self._plans[key] = plans(usable, accuracy)
        found, further = self._plans[key], usable.n_learned > 0
        return outlook(found, usable.n_documents, usable.error, further=further) if found else ""


def plans(usable: Usable, accuracy: float | None) -> list[Expected]:
    """Labels to expect: by the estimated accuracy, or by confidences from the random answers of the first round.

    Answers of later rounds are not random, and the estimate is older than they are: nothing is forecast.
    """
    ladder, n_learned = usable.ladder, 0 if usable.learning is None else usable.learning.of
    if usable.n_learned and usable.round_number == 1:
        p_wrong = usable.frozen.p_wrong[ladder.best_first]
        return expected_further(p_wrong, error=ladder.error, tail=ladder.tail, answers=PLANS)
    if accuracy is None or usable.n_learned:
        return []
    n, error, tail = ladder.n_labels, ladder.error, ladder.tail
    fixed = usable.frozen._replace(order=0)  # as `labelling.outlook`, whatever the random order
    known = None if n_learned else fixed.ladder(error, tail=tail)
    return expected_labels(n, accuracy, error=error, tail=tail, n_learned=n_learned, answers=PLANS, ladder=known)


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
        "claim": f"{claim} {together(values)}".strip(),
        "promises": [line for line in (whole_file(values, first=True), ASSUMED) if line],
        "n": usable.n,
        "n_answered": answered,
        "n_rest": max(n - usable.n - answered, 0),
        "next_step": None if learning or not values["needs"] or usable.out_of_reach else values["needs"][0],
        "counts": {name: (values["per_class"][name], totals[code]) for code, name in enumerate(usable.frozen.classes)},
        "warning": warning(usable),
    }


def label_values(usable: Usable, several: Several, state: JobState) -> Values:
    """Of several labels per document, what differs: usable documents by label."""
    sets = [several.form.read(text) or () for text in state.classes]

    def by_label(codes: list[int]) -> Counter[str]:
        return Counter(name for code in codes for name in sets[code])

    if usable.limit.name:
        return {"counts": {}, "warning": "", "promises": [ASSUMED]}
    labels = usable.frozen.labels
    used, total = by_label(labels[usable.accepted.rows].tolist()), by_label(labels.tolist())
    counts = {name: (used[name], total[name]) for name in several.learned if total[name]}
    missing = [name for name in counts if not used[name]] if usable.n else []
    return {"counts": counts, "warning": missing_sentence(missing)}


def warning(usable: Usable) -> str:
    """A sentence if classes are missing among the labels that can be used; empty if not."""
    missing = usable.missing_classes() if usable.n else []
    if not missing:
        return ""
    used = [name for name, count in usable.per_class().items() if count]
    if len(used) == 1:
        return f"All {usable.n:,} usable labels are {used[0]}: no other class can be used yet."
    return missing_sentence(missing)


def missing_sentence(missing: list[str]) -> str:
    """A sentence about classes of which nothing can be used; empty if there are none."""
    others = " and others" if len(missing) > 5 else ""
    return f"No label of {', '.join(missing[:5])}{others} can be used yet." if missing else ""
