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
from ..ensemble.auto_transfer import AutoTransfer
from .accept_rank import DIGITS, file_confidence
from .labelling import Labelling

LIMIT = 0.05  # allowed share of wrong labels among those that can be used


def expected_of(result: Labelling, error: float, answers: Sequence[int], n_learned: int) -> list[Expected]:
    """Labels that can probably be used after so many answers; empty if the accuracy cannot be estimated.

    Labels that have learned have confidences from the answers. Others, if they can, learn from n_learned of them.
    """
    free, n = result.accept_rank > 0, int(np.count_nonzero(result.accept_rank))
    if result.answers is not None and len(result.answers.rows):
        free[result.answers.rows] = False
        best_first = np.flatnonzero(free)[np.argsort(result.accept_rank[free])]
        return expected_further(
            np.round(1 - file_confidence(result.confidence)[best_first], DIGITS), error=error, answers=answers
        )
    accuracy = result.estimated_accuracy["mean"]
    if accuracy is None or not n:
        return []
    can_learn = isinstance(result.estimator, AutoTransfer)
    return expected_labels(n, accuracy, error=error, answers=answers, n_learned=n_learned if can_learn else 0)


def usable_outlook(result: Labelling, *, in_job: bool = False) -> dict[str, Any]:
    """Plain values: `error`, `sentence`, `expected` (one dict per number of answers), and the best `plan` or None.

    In a job the labels learn from the first answers; in a file they stay as they are.
    """
    n_learned = N_LEARN if in_job else 0
    expected, n = expected_of(result, LIMIT, PLANS, n_learned), int(np.count_nonzero(result.accept_rank))
    best = best_plan(expected, n)
    further = result.answers is not None and len(result.answers.rows) > 0
    plan = None if best is None else Expected(best.answers, *map(rough, best[1:]))
    sentence = (
        outlook(expected, n, LIMIT, further=further)
        if expected
        else "How many labels can be used is not known without answers."
    )
    return {
        "error": LIMIT,
        "sentence": sentence,
        "expected": [row._asdict() for row in expected],
        "plan": None if plan is None else plan._asdict(),
    }
