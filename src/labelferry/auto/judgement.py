"""May these labels be believed? Words for members, for classes and for the whole, with the numbers behind them.

A member is judged by the answer of the coalition: it is unsafe where it agrees with the answer less than the source's
own classifier does, by more than five points, since then it is likely to be worse than no transfer at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..linalg.matrix import Array
from .blend import KEPT, SOURCE, STABLE

UNSAFE = 0.05
GOOD, POOR = 0.85, 0.65  # estimated accuracy of a whole answer that is safe, and below which it is unsafe
LEAST = 0.6  # the lower end of its interval, below which an answer is not called safe
LEVELS = ("safe", "doubtful", "unsafe")
SENTENCES = (
    "These labels can be used as they are; look at those marked for review.",
    "Use these labels with care: check a sample by hand, the least certain first.",
    "Do not rely on these labels: label some documents by hand, or find a nearer source.",
)


class Verdict(NamedTuple):
    level: str
    sentence: str
    reasons: list[str]

    def as_dict(self) -> dict[str, Any]:
        return self._asdict()


def judge_members(panel: Mapping[str, Array], answer: Array) -> dict[str, str]:
    """A level for every member, from its labels and those of the answer."""
    agreement = {name: float((P.argmax(axis=1) == answer).mean()) for name, P in panel.items()}
    floor = agreement[SOURCE]
    return {
        name: "unsafe" if alike < floor - UNSAFE else "doubtful" if alike < floor else "safe"
        for name, alike in agreement.items()
    }


def judge_classes(right: Array, answer: Array, n_classes: int) -> list[str]:
    """A level for every class, from the chances of its labels to be right; unsafe where no document has it."""
    means = [right[answer == c].mean() if (answer == c).any() else 0.0 for c in range(n_classes)]
    return [level(mean) for mean in means]


def level(accuracy: float) -> str:
    return LEVELS[0] if accuracy >= GOOD else LEVELS[1] if accuracy >= POOR else LEVELS[2]


def judge(accuracy: float, interval: tuple[float, float], clusters: bool | None, stable: float, kept: float) -> Verdict:
    """The whole answer, with its reasons in words. `clusters`: None where nobody could be asked."""
    word = level(accuracy)
    if word == "safe" and interval[0] < LEAST:
        word = "doubtful"
    reasons = [
        f"About {accuracy:.0%} of the labels are likely to be right (between {interval[0]:.0%} and {interval[1]:.0%}), "
        "judged by the labels of their nearest documents and by how well the old labels can be foretold at home."
    ]
    if clusters is None:
        reasons.append(
            "Features below 0 are no counts of words, so no model could say whether the classes are groups of the new "
            "documents: a classifier of the old documents is the guide."
        )
    elif clusters:
        reasons.append(
            "The classes are groups of documents that share words: a model that learns from the new documents finds "
            f"the same groups however it is set (kappa {stable:.2f}), and they fit the labels of the old ones."
        )
    else:
        failed = ["changes with its settings"] if stable < STABLE else []
        failed += ["leaves what the old documents say"] if kept < KEPT else []
        reasons.append(
            "The classes are no clear groups of the new documents: a model that follows such groups "
            f"{' and '.join(failed)} (kappa {stable:.2f}, kept {max(kept, 0):.0%}). A classifier of the old documents "
            "is the better guide there."
        )
    return Verdict(word, SENTENCES[LEVELS.index(word)], reasons)
