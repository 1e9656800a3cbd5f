"""Which labels can be used: what to expect of answers, before or after the first ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..certificate.expected import Expected, expected_labels
from ..certificate.outlook import PLANS, best_plan, outlook, rough
from ..ensemble.auto_transfer import AutoTransfer
from .labelling import Labelling

LIMIT = 0.05  # allowed share of wrong labels among those that can be used


def expected_of(result: Labelling, error: float, answers: Sequence[int]) -> list[Expected]:
    """Labels that can probably be used after so many answers; empty if the accuracy cannot be estimated."""
    accuracy, n = result.estimated_accuracy["mean"], int(np.count_nonzero(result.accept_rank))
    if accuracy is None or not n:
        return []
    learns = isinstance(result.estimator, AutoTransfer) and result.answers is None
    return expected_labels(n, accuracy, error=error, answers=answers, **({} if learns else {"n_learned": 0}))


def usable_outlook(result: Labelling) -> dict[str, Any]:
    """Plain values: `error`, `sentence`, `expected` (one dict per number of answers), and the best `plan` or None."""
    expected, n = expected_of(result, LIMIT, PLANS), int(np.count_nonzero(result.accept_rank))
    best = best_plan(expected, n)
    plan = None if best is None else Expected(best.answers, *map(rough, best[1:]))
    has_learned = result.answers is not None and len(result.answers.rows) > 0
    sentence = (
        outlook(expected, n, LIMIT, further=has_learned) if expected else "Nothing can be promised without answers."
    )
    return {
        "error": LIMIT,
        "sentence": sentence,
        "expected": [row._asdict() for row in expected],
        "plan": None if plan is None else plan._asdict(),
    }
