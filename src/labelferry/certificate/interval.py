"""An estimate with its interval, and the interval of Clopper & Pearson (1934) for a share.

The latter is valid if the number of answers is chosen before the first one and the interval is read once, at the end.
If it is read after every answer, it fails too often.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from ..linalg.matrix import Array

LEVEL = 0.95  # of certificates, unless another one is chosen


class Interval(NamedTuple):
    """An estimate with the ends of its interval.

    Attributes
    ----------
    estimate : float
        Share in the sample, or its correction by the predictions.
    low, high : float
        The ends.
    """

    estimate: float
    low: float
    high: float

    def as_dict(self) -> dict[str, float]:
        """Plain values."""
        return {name: float(value) for name, value in self._asdict().items()}


def clopper_pearson(k: Array | int, t: Array | int, level: float = LEVEL) -> tuple[Array, Array]:
    """Ends of the Clopper-Pearson interval for a share, for a sample size that was chosen before the first answer.

    Parameters
    ----------
    k : int or array of int
        Documents in the sample with the property.
    t : int or array of int
        Size of the sample.
    level : float, default=0.95
        Confidence level.

    Returns
    -------
    low, high : tuple of array
        The ends.
    """
    k, t, tail = np.asarray(k, dtype=float), np.asarray(t, dtype=float), (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(k > 0, beta.ppf(tail, k, t - k + 1), 0.0)
        high = np.where(k < t, beta.isf(tail, k + 1, t - k), 1.0)
    return low, high
