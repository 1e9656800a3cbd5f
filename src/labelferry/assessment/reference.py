"""What a saved model keeps of its assessment, so that later documents can be compared with those of the fit.

Its verdict, the class proportions of its labels, how many words were known, and the confidence of a label as a function
of the margin of the model's prediction.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.isotonic import IsotonicRegression

from ..linalg.matrix import Array
from .agreement import margin
from .assessment import Assessment
from .estimate import NO_ESTIMATE, Estimate
from .verdict import LEVELS, Verdict

N_KNOTS = 21  # of the confidence as a function of the margin


class Reference(NamedTuple):
    """What a saved model keeps of its assessment."""

    level: str
    reasons: tuple[str, ...]
    balanced_accuracy: Estimate | None
    accuracy: Estimate | None
    proportions: tuple[float, ...]  # class proportions of the labels at fitting
    known_documents: float  # share of the documents at fitting that had known words
    known_words: float  # share of their words that are known
    margins: tuple[float, ...]
    confidence: tuple[float, ...]  # at these margins; increasing
    mean_confidence: float
    review_all: bool  # did all labels need review?
    target_error: float
    min_confidence: float | None

    @property
    def verdict(self) -> Verdict:
        """The verdict at fitting."""
        return Verdict(self.level, LEVELS[self.level].sentence, list(self.reasons))

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return self._asdict()

    def estimated(self, name: str) -> dict[str, float | None]:
        """`mean`, `low` and `high` of "accuracy" or "balanced_accuracy" at fitting; None if it was not estimated."""
        value: Estimate | None = getattr(self, name)
        return dict(NO_ESTIMATE) if value is None else {**value.as_dict()}

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Self:
        """The reference that `as_dict` gave; ValueError, TypeError or KeyError if it is damaged."""
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
        values |= {name: tuple(float(v) for v in values[name]) for name in ("proportions", "margins", "confidence")}
        for name in ("balanced_accuracy", "accuracy"):
            values[name] = None if values[name] is None else Estimate(*(float(v) for v in values[name]))
        if values["level"] not in LEVELS or len(values["margins"]) != len(values["confidence"]):
            raise ValueError("its reference for later documents is damaged")
        return cls(**values)


def make_reference(
    assessment: Assessment,
    *,
    labels: Array,
    confidence: Array,
    P: Array,
    known_words: float,
    empty: Array,
    target_error: float,
    min_confidence: float | None,
) -> Reference:
    """What to keep of an assessment."""
    n_classes = P.shape[1]
    used = ~empty if not empty.all() else np.ones(len(P), dtype=bool)
    same = P.argmax(axis=1) == labels
    correct = np.where(same, confidence, (1 - confidence) / (n_classes - 1))[used]
    curve = IsotonicRegression(out_of_bounds="clip").fit(margin(P)[used], correct)
    margins = np.quantile(margin(P)[used].astype(np.float64), np.linspace(0, 1, N_KNOTS))
    return Reference(
        level=assessment.level,
        reasons=tuple(assessment.verdict().reasons),
        balanced_accuracy=assessment.balanced_accuracy if assessment.can_estimate else None,
        accuracy=assessment.accuracy if assessment.can_estimate else None,
        proportions=tuple((np.bincount(labels[used], minlength=n_classes) / used.sum()).tolist()),
        known_documents=float(1 - empty.mean()),
        known_words=known_words,
        margins=tuple(margins.tolist()),
        confidence=tuple(np.clip(curve.predict(margins), 0, 1).tolist()),
        mean_confidence=float(confidence[used].mean()),
        review_all=any(fact.review_all for fact in assessment.facts),
        target_error=target_error,
        min_confidence=min_confidence,
    )
