"""An estimate with its interval: of a share by the answers so far, and in plain words.

The interval of Clopper & Pearson (1934) is valid if the number of answers is chosen before the first one and the
interval is read once, at the end. If it is read after every answer, it fails too often: it serves plans only.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor
from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from ..linalg.matrix import Array
from .bounds import count_bounds

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


def as_interval(estimate: float, low: float, high: float, n: int) -> Interval:
    """Counts as shares. If the ends have crossed, which happens to a missed truth only, they are exchanged."""
    low, high = min(low, high), max(low, high)
    total = max(n, 1)
    return Interval(float(np.clip(estimate, low, high)) / total, low / total, high / total)


def share_interval(
    values: Array, unclear: Array, n: int, level: float, *, known: int = 0, n_known: int = 0, unsure: int = 0
) -> Interval:
    """The share of n + n_known documents that have a property, by the exact bounds of a count.

    `values`: the sampled documents that have it, in the order in which they were asked. Of the n_known other documents,
    `known` have it and `unsure` may have it. The middle is the estimate if there is no clear answer.
    """
    low, high = 0, n
    if len(values):
        lows, highs = count_bounds(values[None], n, level, unclear[None])
        low, high = int(lows[0, -1]), int(highs[0, -1])
    clear = int((~unclear).sum())
    middle = n * float(values[~unclear].mean()) if clear else (low + high) / 2
    return as_interval(middle + known + unsure / 2, low + known, high + known + unsure, n + n_known)


def clopper_pearson(k: Array | int, t: Array | int, level: float = LEVEL) -> tuple[Array, Array]:
    """Ends of the Clopper-Pearson interval for a share: k of t sampled documents have the property."""
    k, t, tail = np.asarray(k, dtype=float), np.asarray(t, dtype=float), (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(k > 0, beta.ppf(tail, k, t - k + 1), 0.0)
        high = np.where(k < t, beta.isf(tail, k + 1, t - k), 1.0)
    return low, high


def between(interval: Interval) -> str:
    """The ends in words, rounded outward; one number if they are equal."""
    low, high = interval.low, interval.high
    return percent(low) if low == high else f"between {percent(low, floor)} and {percent(high, ceil)}"


def span(low: float, high: float) -> str:
    """The ends as a range, rounded outward; one number if they are equal.

    >>> span(0.914, 1.0)
    '91% to 100%'
    """
    return percent(low) if low == high else f"{percent(low, floor)} to {percent(high, ceil)}"


def percent(share: float, rounding: Callable[[float], int] = round, digits: int | None = None) -> str:
    """A share in percent, with one digit after the point near 0 and 1, where whole numbers would hide the rest.

    Plain numbers are rounded to the nearest. So that nothing is promised that is not true, bounds of errors are rounded
    up (`ceil`), and confidences and lower ends are rounded down (`floor`). `digits`: at most so many.

    >>> percent(0.0537), percent(0.0537, ceil), percent(0.0537, ceil, 1), percent(0.9987, floor)
    ('5%', '6%', '5.4%', '99.8%')
    """
    if digits is None:
        digits = 1 if min(share, 1 - share) < 0.02 else 0
    value = rounding(round(share * 10 ** (2 + digits), 6)) / 10**digits
    return f"{value:g}%"


def count(n: int, noun: str) -> str:
    """A number with its noun."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
