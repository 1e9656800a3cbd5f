"""Verdicts in words, with the numbers behind them: on the whole answer, on members of the panel, and on classes.

A member of the panel is compared with the final answer: it is unsafe if it agrees with the answer less than the
source-only classifier does, by more than five points. Then it is likely to be worse than no transfer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..linalg.matrix import Array
from .cluster_evidence import MIN_AGREEMENT, MIN_STABILITY, SOURCE_ONLY, ClusterEvidence

MEMBER_TOLERANCE = 0.05
SAFE_FROM, UNSAFE_BELOW = 0.85, 0.65  # estimated accuracy
MIN_LOWER_BOUND = 0.6  # lower end of the interval below which an answer is not called safe


class Level(NamedTuple):
    """A level, and what is said of it: after labeling, before it (`diagnose`), and in the title of a page."""

    name: str
    sentence: str
    before: str
    title: str
    color: str


LEVELS = {
    level.name: level
    for level in (
        Level(
            "safe",
            "These labels can be used as they are; check those marked for review.",
            "Labels can be transferred: other methods would predict nearly the same.",
            "Safe to use",
            "green",
        ),
        Level(
            "doubtful",
            "Use these labels with care: check a sample by hand, the least confident first.",
            "Labels can be transferred with care: many of them will have to be checked.",
            "Use with care",
            "yellow",
        ),
        Level(
            "unsafe",
            "Do not rely on these labels: label some documents by hand, or use a more similar source.",
            "Labels can hardly be transferred: label some of the new documents by hand.",
            "Do not rely on it",
            "red",
        ),
    )
}


class Verdict(NamedTuple):
    level: str
    sentence: str
    reasons: list[str]

    def as_dict(self) -> dict[str, Any]:
        return self._asdict()


def judge_members(proba: Mapping[str, Array], answer: Array) -> dict[str, str]:
    """A level per member, from its probabilities and the labels of the answer."""
    agreement = {name: float((P.argmax(axis=1) == answer).mean()) for name, P in proba.items()}
    floor = agreement[SOURCE_ONLY]
    return {
        name: "unsafe" if share < floor - MEMBER_TOLERANCE else "doubtful" if share < floor else "safe"
        for name, share in agreement.items()
    }


def judge_classes(p_correct: Array, answer: Array, n_classes: int) -> list[str]:
    """A level per class, from the confidence of its labels; unsafe if no document has it."""
    means = [p_correct[answer == c].mean() if (answer == c).any() else 0.0 for c in range(n_classes)]
    return [level_of(mean) for mean in means]


def level_of(accuracy: float) -> str:
    return "safe" if accuracy >= SAFE_FROM else "doubtful" if accuracy >= UNSAFE_BELOW else "unsafe"


def judge(accuracy: float, interval: tuple[float, float], evidence: ClusterEvidence | None) -> Verdict:
    """The verdict on the whole answer, with its reasons. `evidence` is None if it could not be computed."""
    level = level_of(accuracy)
    reasons = [
        f"About {accuracy:.0%} of the labels are likely to be correct (between {interval[0]:.0%} and "
        f"{interval[1]:.0%}), estimated from how often similar new documents got the same label, and from "
        "cross-validation on the labelled documents."
    ]
    if level == "safe" and interval[0] < MIN_LOWER_BOUND:
        level = "doubtful"
        reasons.append(
            f"The verdict is not safe because the lower end of this range, {interval[0]:.0%}, is below "
            f"{MIN_LOWER_BOUND:.0%}: many labels differ from those of the source-only classifier, or few documents "
            "are labelled."
        )
    if evidence is None:
        reasons.append(
            "The features have negative values, so the mixture models could not be fitted; the labels follow a "
            "classifier trained on the labelled documents."
        )
    elif evidence.classes_are_clusters:
        reasons.append(
            "The classes are groups of documents that share words: a model that learns from the new documents finds "
            f"the same groups with different settings (kappa {evidence.em_stability:.2f}), and they match the given "
            "labels."
        )
    else:
        failed = ["changes with its settings"] if evidence.em_stability < MIN_STABILITY else []
        if evidence.em_agreement < MIN_AGREEMENT:
            failed += ["contradicts confident predictions of the source-only classifier"]
        reasons.append(
            f"The classes are not clear groups of the new documents: a clustering model {' and '.join(failed)} "
            f"(kappa {evidence.em_stability:.2f}, agreement {max(evidence.em_agreement, 0):.0%}). The labels follow "
            "the source-only classifier."
        )
    return Verdict(level, LEVELS[level].sentence, reasons)
