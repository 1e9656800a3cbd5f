"""Share of documents with a property: the exact bounds of a count, with the documents whose value is known."""

from __future__ import annotations

import numpy as np

from ..linalg.matrix import Array
from .bounds import count_bounds
from .interval import Interval


def share_interval(
    values: Array, unclear: Array, n: int, level: float, *, known: int = 0, n_known: int = 0, unsure: int = 0
) -> Interval:
    """Interval of a share, from the answers so far.

    `values`: the documents that have the property, in the order in which they were asked.
    `unsure`: number of those of them that may have the property: they count against both ends.
    Returns of the share among all n + n_known documents; the middle is the estimate if there is no clear answer.
    """
    low, high = 0, n
    if len(values):
        lows, highs = count_bounds(values[None], n, level, unclear[None])
        low, high = int(lows[0, -1]), int(highs[0, -1])
    clear = int((~unclear).sum())
    middle = n * float(values[~unclear].mean()) if clear else (low + high) / 2
    return as_interval(middle + known + unsure / 2, low + known, high + known + unsure, n + n_known)


def as_interval(estimate: float, low: float, high: float, n: int) -> Interval:
    """Counts as shares. If the ends have crossed, which happens to a missed truth only, they are exchanged."""
    low, high = min(low, high), max(low, high)
    total = max(n, 1)
    return Interval(float(np.clip(estimate, low, high)) / total, low / total, high / total)
