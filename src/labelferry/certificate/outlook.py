"""What to say before the first answer: nothing is promised, and how many answers will probably be worth their time."""

from __future__ import annotations

from collections.abc import Sequence

from .expected import Expected

PLANS = (40, 60, 80, 100, 120, 160, 200)  # numbers of answers to choose from
SECONDS = 10  # per answer, for people who plan their time
FEW = 0.02  # of the labels: fewer are not worth a plan


def best_plan(plans: Sequence[Expected], n: int) -> Expected | None:
    """The plan with most unseen labels per answer; None if no plan releases more than a few of n labels.

    >>> best_plan([Expected(40, 0, 0, 0, 0), Expected(80, 400, 0, 900, 340), Expected(160, 600, 0, 1400, 450)], 2000)
    Expected(answers=80, n=400, low=0, high=900, unseen=340)
    """
    worth = [plan for plan in plans if plan.unseen > FEW * n]
    return max(worth, key=lambda plan: plan.unseen / plan.answers, default=None)


def outlook(plans: Sequence[Expected], n: int, error: float, *, further: bool = False) -> str:
    """One sentence about n labels of which nobody has checked any; `further`: they have learned from answers.

    >>> outlook([Expected(80, 400, 0, 900, 340)], 2000, 0.05)  # doctest: +NORMALIZE_WHITESPACE
    'Nothing can be promised without answers: about 80 answers (13 minutes) will probably release 400 of 2,000 labels
    (range 0 to 900), 340 of them unseen, at most 5% wrong.'
    """
    plan, limit = best_plan(plans, n), f"at most {error:.0%} wrong"
    begin = "Expected" if further else "Nothing can be promised without answers"
    more = "further answers" if further else "answers"
    if plan is None:
        return f"{begin}: {max(PLANS)} {more} will probably release few of the {n:,} labels, {limit}."
    return (
        f"{begin}: about {plan.answers} {more} ({minutes(plan.answers)}) will "
        f"probably release {rough(plan.n):,} of {n:,} labels (range {rough(plan.low):,} to {rough(plan.high):,}), "
        f"{rough(plan.unseen):,} of them unseen, {limit}."
    )


def minutes(answers: int) -> str:
    """The time for so many answers, in words."""
    whole = max(1, round(answers * SECONDS / 60))
    return f"{whole} minute{'s' if whole > 1 else ''}"


def rough(n: int) -> int:
    """An expected number with two digits: more would look exact.

    >>> rough(1386), rough(57), rough(0)
    (1400, 57, 0)
    """
    return round(n, -max(len(str(n)) - 2, 0))
