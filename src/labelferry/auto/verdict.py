"""May these labels be believed? A word, and the reasons for it, from what can be seen without labels of the target.

The bounds are rules of thumb: methods that know nothing of each other agree (kappa .8 and more) where the classes are
clear in the target, and part ways (below .5) where they are not. They forecast trouble, not its size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

AGREE, PART = 0.6, 0.3  # mean kappa with the other methods
FEW_WORDS, TOO_FEW = 0.4, 0.15  # share of the target's words that the source has
LEVELS = ("safe", "doubtful", "unsafe")


class Verdict(NamedTuple):
    level: str
    sentence: str
    reasons: list[str]

    def as_dict(self) -> dict[str, Any]:
        return self._asdict()


def judge(method: str, agreement: float, overlap: float) -> Verdict:
    """`agreement`: mean kappa of the method with the others; `overlap`: see `diagnosis.vocabulary_overlap`."""
    worst = max(_grade(agreement, AGREE, PART), _grade(overlap, FEW_WORDS, TOO_FEW))
    sentences = (
        f"Other methods give nearly the same labels as {method}.",
        "Use the labels with care: check a sample by hand, the least certain first.",
        "Do not rely on these labels: label a few hundred documents by hand instead.",
    )
    reasons = [
        f"The labels of {method} and of the other methods agree with kappa {agreement:.2f} on average (1 is always, 0 "
        f"is chance; {_word(agreement, AGREE, PART)}).",
        f"{overlap:.0%} of the words in the new documents occur in the old ones too "
        f"({_word(overlap, FEW_WORDS, TOO_FEW)}).",
    ]
    return Verdict(LEVELS[worst], sentences[worst], reasons)


def _grade(value: float, good: float, bad: float) -> int:
    return 0 if value >= good else 1 if value >= bad else 2


def _word(value: float, good: float, bad: float) -> str:
    return ("good", "little", "too little")[_grade(value, good, bad)]
