"""How probable it is that a document belongs to one class, by what people answered so far: the order to read in.

It changes how soon documents are found, and nothing of what is claimed (`labelferry.certificate.recall`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...ensemble.labelled_pool import PoolInputs, fit_pool, pool_labels
from ...linalg.matrix import Array

FIRST, GROWTH = 10, 5  # answers between two fits: 10, or a fifth of the answers so far


@dataclass(frozen=True, eq=False)
class ClassChances:
    """What the probabilities of a class are made from."""

    code: int
    without: Array  # per document, without answers: used if nothing can be learned
    inputs: PoolInputs | None = None
    in_panel: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # of the inputs: position, or -1
    _last: dict[bytes, Array] = field(default_factory=dict)  # the last probabilities, by the answers

    def after(self, positions: Sequence[int], codes: Sequence[int]) -> Array:
        """The probabilities after these answers, in the order in which they were given."""
        if self.inputs is None:
            return self.without
        n = learned_from(len(positions))
        given = np.array([positions[:n], codes[:n]], dtype=np.int64)
        given = given[:, np.argsort(given[0], kind="stable")]
        if (key := given.tobytes()) not in self._last:
            learned = self._learn(self.inputs, *given)
            self._last.clear()
            self._last[key] = learned
        return self._last[key]

    def _learn(self, inputs: PoolInputs, positions: Array, codes: Array) -> Array:
        inside = self.in_panel >= 0
        place = np.full(len(self.without), -1)
        place[self.in_panel[inside]] = np.flatnonzero(inside)
        rows = place[positions]
        rows, codes = rows[rows >= 0], codes[rows >= 0]
        P = pool_labels(inputs, fit_pool(inputs, rows, codes), rows, codes)[:, self.code]
        p = np.full(len(self.without), float(P.mean()))  # a document outside the panel is as any
        p[self.in_panel[inside]] = P[inside]
        return p


def learned_from(n: int) -> int:
    """How many of n answers the order has learned from: it learns again when there are enough new ones.

    >>> [learned_from(n) for n in (9, 10, 59, 60, 71, 72)]
    [0, 10, 50, 60, 60, 72]
    """
    learned = 0
    while (more := learned + max(FIRST, learned // GROWTH)) <= n:
        learned = more
    return learned


def chances_by_label(labels: Array, alternative: Array, confidence: Array, code: int, n_classes: int) -> Array:
    """Probabilities of a class by label, second choice and confidence alone.

    >>> chances_by_label(np.array([0, 1, 1]), np.array([1, 0, 2]), np.array([0.9, 0.6, 0.6]), 0, 3).round(2).tolist()
    [0.9, 0.4, 0.13]
    """
    rest = 1 - np.clip(confidence, 0, 1)
    return np.where(labels == code, 1 - rest, np.where(alternative == code, rest, rest / n_classes))
