"""How probable it is that a document belongs to one class, by what people answered so far: the order to read in.

It changes how soon documents are found, and nothing of what is claimed (`labelferry.certificate.recall`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...ensemble.labelled_pool import PoolInputs, fit_pool, pool_labels
from ...linalg.matrix import Array

FIRST, GROWTH = 10, 5  # answers between two fits: 10, or a fifth of the answers so far


class ClassChances(NamedTuple):
    """What the probabilities of a class are made from."""

    code: int
    without: Array  # per document, without answers: used if nothing can be learned, and outside the panel
    inputs: PoolInputs | None = None
    in_panel: Array = np.zeros(0, dtype=np.int64)  # per document of the inputs, its position; -1 if it has none

    def after(self, positions: Sequence[int], codes: Sequence[int]) -> Array:
        """The probabilities after these answers, in the order in which they were given."""
        if self.inputs is None:
            return self.without
        n = learned_from(len(positions))
        place = np.full(len(self.without), -1)
        inside = self.in_panel >= 0
        place[self.in_panel[inside]] = np.flatnonzero(inside)
        rows, given = place[np.array(positions[:n], dtype=np.int64)], np.array(codes[:n], dtype=np.int64)
        rows, given = rows[rows >= 0], given[rows >= 0]
        order = np.argsort(rows, kind="stable")
        rows, given = rows[order], given[order]
        P = pool_labels(self.inputs, fit_pool(self.inputs, rows, given), rows, given)[:, self.code]
        p = np.full(len(self.without), float(P.mean()))
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
