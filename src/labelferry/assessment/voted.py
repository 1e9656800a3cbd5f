"""What is said about labels that lean on votes of other labellers (`labelferry.ensemble.votes`).

Without answers nobody can know whether a voter that was good on the labelled documents is good on the new ones: three
of ten voters that turn bad (right in 80% at home, in 30% on new documents) pass every test without labels. So labels
with votes are at best doubtful until MIN_SAFE_ANSWERS random answers have confirmed them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..linalg.matrix import Array
from .agreement import set_top_probability
from .assessment import Assessment, judge_classes, overrule
from .calibration import Calibration
from .confidence import needs_review
from .estimate import MAX_ESTIMATE, Estimate
from .new_classes import NOT_MARKED
from .rules import MIN_SAFE_ANSWERS, Fact

NOT_CONFIRMED, CONTRADICT = "votes not confirmed", "the guesses contradict the other labels"


def not_confirmed(names: Sequence[str], n_answers: int) -> tuple[Fact, ...]:
    """A fact if the labels lean on these voters and there are few answers."""
    if not names or n_answers >= MIN_SAFE_ANSWERS:
        return ()
    shown = ", ".join(map(repr, names))
    return (
        Fact(
            NOT_CONFIRMED,
            f"The labels lean on the guesses in {shown}. How good these are was measured on the labelled documents; on "
            "the new documents they may be worse, and no estimate without answers can tell.",
            f"Answer at least {MIN_SAFE_ANSWERS} questions about documents that are drawn at random.",
            False,
        ),
    )


def contradiction(name: str, agreement: float, expected: float) -> Fact:
    """The fact that a voter does not fit the labels of the panel, although it fits the labelled documents."""
    return Fact(
        CONTRADICT,
        f"The guesses in {name!r} fit the labelled documents but contradict the other labels of the new documents: "
        f"their agreement with these is {agreement:.2f}, and about {expected:.2f} is expected (kappa). Either can be "
        "wrong; the guesses are not used.",
        "Check a random sample by hand: with answers the guesses are used for what they are worth.",
        False,
    )


def with_facts(a: Assessment, facts: Sequence[Fact], calibration: Calibration) -> Assessment:
    """The assessment with further facts, which can only lower its level."""
    level = overrule(a.level, facts)
    codes = a.proba.argmax(axis=1)
    levels = judge_classes(a.p_correct, codes, a.proba.shape[1], level, calibration)
    return a._replace(facts=(*a.facts, *facts), level=level, class_levels=levels)


def without_answers(a: Assessment, P: Array, target_error: float, calibration: Calibration) -> Assessment:
    """The assessment of labels P after votes: probabilities are confidences, and estimates are their means.

    The agreement of the labels with the panel says little then: votes change labels that the panel agrees on. The
    intervals are as wide as those without votes. The level is decided by the caller's facts: never safe.
    """
    K, codes, top = P.shape[1], P.argmax(axis=1), P.max(axis=1)
    mass = P.sum(axis=0)
    recall = np.bincount(codes, weights=top, minlength=K) / np.maximum(mass, 1e-12)
    review = needs_review(top, target_error) | (a.groups != NOT_MARKED)
    if any(fact.review_all for fact in a.facts):
        review = np.ones(len(P), dtype=bool)
    balanced, limits = moved(a.balanced_accuracy, float(recall.mean())), calibration.levels
    level = "unsafe" if balanced.mean < limits.unsafe_below or any(f.unsafe for f in a.facts) else "doubtful"
    return a._replace(
        proba=set_top_probability(P, np.clip(top, 1 / K, 1)),
        p_correct=top,
        review=review,
        balanced_accuracy=balanced,
        accuracy=moved(a.accuracy, float(top.mean())),
        class_precision=np.array([top[codes == c].mean() if (codes == c).any() else np.nan for c in range(K)]),
        class_levels=judge_classes(top, codes, K, level, calibration),
        level=level,
    )


def moved(estimate: Estimate, mean: float) -> Estimate:
    """An interval of the same width around another mean."""
    mean = min(mean, MAX_ESTIMATE)
    low, high, lower = (mean + end - estimate.mean for end in (estimate.low, estimate.high, estimate.lower))
    return Estimate(mean, max(0.0, low), min(1.0, high), max(0.0, lower))
