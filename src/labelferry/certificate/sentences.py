"""Shares, intervals and counts in plain words."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor

from .interval import Interval


def between(interval: Interval) -> str:
    """The ends in words, rounded outward; one number if they are equal."""
    low, high = interval.low, interval.high
    return percent(low) if low == high else f"between {percent(low, floor)} and {percent(high, ceil)}"


def percent(share: float, rounding: Callable[[float], int] = round) -> str:
    """A share in percent; one digit after the point near 0 and 1, where whole numbers would hide the rest."""
    digits = 1 if min(share, 1 - share) < 0.02 else 0
    value = rounding(round(share * 10 ** (2 + digits), 6)) / 10**digits
    return f"{value:g}%"


def count(n: int, noun: str) -> str:
    """A number with its noun."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
