"""Class proportions of the target: an estimate with a range, or "unknown".

No estimator tells the class proportions of a target reliably if the words differ from the source. The range is that of
the members of the panel and of the source; if it is wide, the proportions are unknown until there are labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array

MAX_RANGE = 0.3  # a wider range means "unknown"


class Proportions(NamedTuple):
    """One entry per class."""

    mean: Array
    low: Array
    high: Array

    @property
    def known(self) -> bool:
        """Whether the estimators agree."""
        return bool((self.high - self.low).max() <= MAX_RANGE)

    def rows(self, classes: Array) -> list[dict[str, Any]]:
        """One plain dict per class."""
        columns = (classes.tolist(), self.mean.tolist(), self.low.tolist(), self.high.tolist())
        return [{"class": c, "mean": m, "low": a, "high": b} for c, m, a, b in zip(*columns, strict=True)]


def estimate_proportions(codes: Array, members: Mapping[str, Array], source: Array) -> Proportions:
    """The proportions of the answer, with the range of the members and of the source."""
    shares = [np.bincount(c, minlength=len(source)) / len(c) for c in (codes, *members.values())]
    return Proportions(shares[0], np.min([*shares, source], axis=0), np.max([*shares, source], axis=0))
