r"""Are the labels better than those of the source-only classifier?

Only the documents on which the two differ matter, n of them. Per document +1 if the label is correct, -1 if the
source-only classifier is, 0 if both are wrong; D is the sum. The difference of accuracies is D / (number of all
documents).

Two statements, and they are not the same:

- **verdict**: "yes" if D > 0 with the given confidence, "no" if D <= 0, else "not yet known". Valid after every answer.
  D = 0 is a "no": the labels are not better. It is proven if all documents on which the two differ have an answer.
- **leader**: who is ahead so far. No confidence is attached; with few answers it is often wrong.

Two classes: D >= 2 W - n with W the number of documents with +1, and D <= n - 2 L with L those with -1, so the exact
bounds of a count apply (`bounds.py`). More classes: bets (`betting.py`), since many documents have 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .betting import sum_bounds
from .bounds import count_bounds
from .interval import Interval, as_interval
from .sampling import UNCLEAR_CODE, Answers, keep

YES, NO, UNKNOWN = "yes", "no", "not yet known"
LABELS, SOURCE_ONLY, TIE = "labels", "source-only classifier", "tie"


class Duel(NamedTuple):
    """The comparison with the source-only classifier.

    Attributes
    ----------
    verdict : str
        "yes", "no" or "not yet known": are the labels better? Equal accuracies are a "no".
    leader : str
        "labels", the rival or "tie": who is ahead, without a guarantee.
    n_answers : int
        Answers that were used.
    n_different : int
        Documents on which the two differ.
    difference : Interval
        Accuracy of the labels minus that of the source-only classifier, among all documents.
    rival : str
        Whom the labels are compared with: the source-only classifier, or another labeller.
    """

    verdict: str
    leader: str
    n_answers: int
    n_different: int
    difference: Interval
    rival: str = SOURCE_ONLY

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**self._asdict(), "difference": self.difference.as_dict()}


def scores(labels: Array, source_only: Array, codes: Array) -> Array:
    """+1 where only the label is correct, -1 where only the source-only classifier is, else 0."""
    result: Array = np.subtract(labels == codes, source_only == codes, dtype=int)
    return result


def difference_bounds(d: Array, n: int, n_classes: int, level: float, unclear: Array) -> tuple[Array, Array]:
    """Ends of D after each answer, for paths of scores of shape (n_paths, n_answers)."""
    if n_classes > 2:
        return sum_bounds(d, n, level, unclear)
    wins, _ = count_bounds(d == 1, n, level, unclear)
    losses, _ = count_bounds(d == -1, n, level, unclear)
    return 2 * wins - n, n - 2 * losses


def compare(
    labels: Array,
    source_only: Array,
    duel: Answers,
    n_classes: int,
    level: float,
    *,
    known: Answers,
    rival: str = SOURCE_ONLY,
) -> Duel:
    """Compare the labels with those of the source-only classifier, or of another rival.

    `known`: answers that the labels learned from; these documents count exactly, and are not sampled.
    """
    different = labels != source_only
    sampled = different.copy()
    sampled[known.rows] = False
    answers = keep(duel, sampled)
    n, rows, unsure = int(sampled.sum()), known.rows, int((different[known.rows] & (known.codes == UNCLEAR_CODE)).sum())
    won = int(scores(labels[rows], source_only[rows], known.codes).sum())
    d = scores(labels[answers.rows], source_only[answers.rows], answers.codes)
    unclear = answers.codes == UNCLEAR_CODE
    low, high, middle = -n, n, 0.0
    if len(d):
        lows, highs = difference_bounds(d[None], n, n_classes, level, unclear[None])
        low, high = int(lows[0, -1]), int(highs[0, -1])
        middle = n * float(d[~unclear].mean()) if (~unclear).any() else 0.0
    difference = as_interval(middle + won, low + won - unsure, high + won + unsure, len(labels))
    verdict = YES if difference.low > 0 else NO if difference.high <= 0 else UNKNOWN
    leader = LABELS if middle + won > 0 else rival if middle + won < 0 else TIE
    return Duel(verdict, leader, len(d), int(different.sum()), difference, rival)
