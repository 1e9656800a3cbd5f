r"""Estimates of accuracy without labels of the target, with intervals over corpora.

    v' = (v - 1/K) / (1 - 1/K)                       accuracy v corrected for chance, K classes
    b' = c_0 + c_1 h k + c_2 confident + c_3 v,      c_1, c_2, c_3 >= 0                                              (1)
    b -+ q,   b -+ r q if |h - k| > .35,    r >= 1                                                                   (2)

h is the held-out accuracy on the labelled documents, k the agreement of the panel with the answer: both must be high.
The signals are those of `signals.py`. The coefficients are fitted by least squares over the tasks of many corpora,
every corpus with weight one; q is the 90% quantile of the errors on corpora that c has not seen. r q is the same for
tasks whose signals h and k contradict each other. The coverage of the intervals is measured, not guaranteed:
`calibration.json` has it. b' is clipped to 0 ... .98. `labelferry bench calibrate` writes the coefficients to
`calibration.json`. Balanced accuracy is estimated first: accuracy depends on the class proportions of the target, which
cannot be known without labels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .signals import Signals

MAX_ESTIMATE = 0.98  # corrected for chance; no more can be claimed without labels


class EstimateCoefficients(NamedTuple):
    """The letters of (1) and (2)."""

    constant: float
    product: float
    confident: float
    views: float
    two_sided: float  # q of an interval with 90%
    one_sided: float  # q of a lower end with 90%
    conflict: float  # r


class Estimate(NamedTuple):
    """An estimate with its 90% interval, and a lower end that holds alone with 90%."""

    mean: float
    low: float
    high: float
    lower: float

    def as_dict(self) -> dict[str, float]:
        """`mean`, `low` and `high`."""
        return {"mean": self.mean, "low": self.low, "high": self.high}


NO_ESTIMATE: dict[str, float | None] = {"mean": None, "low": None, "high": None}


def features(signals: Signals) -> Array:
    """What (1) multiplies by c_1, c_2 and c_3."""
    return np.array([max(signals.held_out, 0.0) * max(signals.agreement, 0.0), signals.confident, signals.views])


def estimate(signals: Signals, n_classes: int, c: EstimateCoefficients) -> Estimate:
    """Estimate accuracy, or balanced accuracy, from the signals."""
    widening = c.conflict if signals.contradict else 1.0
    q, q_one = c.two_sided * widening, c.one_sided * widening
    value = c.constant + features(signals) @ [c.product, c.confident, c.views]  # (1)
    mean = 1 / n_classes + (1 - 1 / n_classes) * float(np.clip(value, 0, MAX_ESTIMATE))
    return Estimate(mean, max(0.0, mean - q), min(1.0, mean + q), max(0.0, mean - q_one))  # (2)
