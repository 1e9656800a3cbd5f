"""Which labels can be used: what to expect of answers, before or after the first ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..certificate.expected import (
    N_LEARN,
    PLANS,
    Expected,
    best_plan,
    expected_further,
    expected_labels,
    outlook,
    rough,
)
from ..certificate.ladder import make_ladder
from ..ensemble.auto_transfer import AutoTransfer
from .accept_rank import DIGITS, file_confidence
from .held_out import count_predicted, has_learned
from .labelling import Labelling

LIMIT = 0.05  # allowed share of wrong labels among those that can be used


def expected_of(result: Labelling, error: float, answers: Sequence[int], n_learned: int) -> list[Expected]:
    """Labels that can probably be used after so many answers; empty if the accuracy cannot be estimated.

    Labels that have learned from random answers have confidences from these. Answers of `accept` are not random: the
    labels are forecast by the estimated accuracy, as before the first answer, unless more of the answers contradict
    them than are allowed. n_learned: of the answers, those to learn from first.
    """
    free, p_wrong = result.accept_rank > 0, np.round(1 - file_confidence(result.confidence), DIGITS)
    if result.answers is not None:
        free[result.answers.rows] = False
    if result.assessment.n_answers:
        best_first = np.flatnonzero(free)[np.argsort(result.accept_rank[free])]
        return expected_further(p_wrong[best_first], error=error, answers=answers)
    accuracy, n = result.estimated_accuracy["mean"], int(np.count_nonzero(free))
    if accuracy is None or not n or contradicted(result) > error:
        return []
    n_learned = n_learned if can_learn(result) else 0
    ladder = None if n_learned else make_ladder(-result.accept_rank[free], p_wrong[free], error=error)
    return expected_labels(n, accuracy, error=error, answers=answers, n_learned=n_learned, ladder=ladder)


def contradicted(result: Labelling) -> float:
    """The share of the answers that contradict the label of a fit without them; an answer "none of these" always does.

    Labels without such fits count as right.
    """
    if result.answers is None:
        return 0.0
    n, n_correct = count_predicted(result)
    n_none = int((result.answers.codes == len(result.estimator.classes_)).sum())
    n_wrong = n_none if n_correct is None else n_none + n - n_correct
    return n_wrong / max(n + n_none, 1)


def can_learn(result: Labelling) -> bool:
    """Whether labels of a job learn from its first answers: those of a panel that have not learned before."""
    return isinstance(result.estimator, AutoTransfer) and not has_learned(result)


def usable_outlook(result: Labelling, *, in_job: bool = False) -> dict[str, Any]:
    """Plain values: `error`, `sentence`, `expected` (one dict per number of answers), and the best `plan` or None.

    In a job the labels learn from the first answers; in a file they stay as they are.
    """
    n_learned = N_LEARN if in_job and can_learn(result) else 0
    expected, n = expected_of(result, LIMIT, PLANS, n_learned), int(np.count_nonzero(result.accept_rank))
    best = best_plan(expected, n)
    plan = None if best is None else Expected(best.answers, *map(rough, best[1:]))
    sentence = (
        outlook(expected, n, LIMIT, further=has_learned(result))
        if expected
        else f"How many labels can be used is not known without {'further ' * has_learned(result)}answers."
    )
    return {
        "error": LIMIT,
        "sentence": sentence,
        "expected": [row._asdict() for row in expected],
        "plan": None if plan is None else plan._asdict(),
    }
