r"""Class proportions and recall, corrected by the answers: the predictions of all documents make the intervals narrow.

Two exact ways, both valid after every answer:

- **with predictions** (`pairs.py`): the predicted number of documents of a class, corrected by the mistakes in the
  sample. Narrow if there are few mistakes.
- **without** (`bounds.py`): the share in the sample. Narrower if there are many mistakes.

The choice may not depend on the answers. It follows the mean confidence of the labels, which was there before: with
predictions from `ENOUGH` upward, and if no confidences are passed. `ENOUGH` was chosen on 50 tasks of the review bench.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..linalg.matrix import Array
from .bounds import count_bounds
from .interval import Interval, as_interval
from .pairs import DEFAULT_ERROR, Part, pair_ranges
from .sampling import UNCLEAR_CODE

ENOUGH = 0.8  # mean confidence from which predictions are used


class ClassParts(NamedTuple):
    """The two parts of the sampled documents for one class, without answers."""

    predicted: Part
    others: Part


def class_parts(labels: Array, code: int, n_classes: int, confidence: Array | None) -> ClassParts:
    """The documents with the predicted label and the others, with the expected shares of mistakes."""
    inside = labels == code
    if confidence is None:
        errors = (DEFAULT_ERROR, DEFAULT_ERROR)
    else:
        wrong = 1 - confidence
        first = float(wrong[inside].mean()) if inside.any() else DEFAULT_ERROR
        second = float(wrong[~inside].mean()) / max(n_classes - 1, 1) if (~inside).any() else DEFAULT_ERROR
        errors = (round(first, 3), round(second, 3))
    return ClassParts(Part(int(inside.sum()), 0, 0, errors[0]), Part(int((~inside).sum()), 0, 0, errors[1]))


class ClassSample(NamedTuple):
    """One class in a random sample."""

    labels: Array  # predicted codes of the documents that the sample was drawn from
    answers: Array  # codes of the answers
    rows: Array  # positions of the answers in `labels`
    code: int  # the class; `n_classes` for none of these
    n_classes: int  # number of classes
    # probability of each label to be correct, from before the answers. The intervals are valid whatever it is
    confidence: Array | None = None

    @property
    def parts(self) -> ClassParts:
        """The two parts of the documents."""
        return class_parts(self.labels, self.code, self.n_classes, self.confidence)

    @property
    def inside(self) -> Array:
        """True for the answers whose document has the predicted label of the class."""
        return np.asarray(self.labels[self.rows] == self.code)

    @property
    def is_class(self) -> Array:
        """True for the answers that name the class."""
        return np.asarray(self.answers == self.code)

    @property
    def unclear(self) -> Array:
        """True for the answers of persons who could not decide."""
        return np.asarray(self.answers == UNCLEAR_CODE)

    @property
    def complete(self) -> bool:
        """Whether all documents have a clear answer."""
        return len(self.rows) == len(self.labels) and not self.unclear.any()


def states(sample: ClassSample) -> list[ClassParts]:
    """After each answer: the parts with the answers so far."""
    parts, inside, is_class, unclear = sample.parts, sample.inside, sample.is_class, sample.unclear
    counts = np.stack(
        [
            part & rows
            for part, wrong in ((inside, ~is_class), (~inside, is_class))
            for rows in (part, wrong & ~unclear, unclear)
        ]
    ).cumsum(axis=1)
    return [
        ClassParts(
            parts.predicted._replace(answered=t1, mistakes=u, unclear=unclear1),
            parts.others._replace(answered=t2, mistakes=v, unclear=unclear2),
        )
        for t1, u, unclear1, t2, v, unclear2 in counts.T.tolist()
    ]


def proportion_interval(
    sample: ClassSample, level: float, *, known: int = 0, n_known: int = 0, unsure: int = 0
) -> Interval:
    """Interval of the proportion of a class."""
    n, predicted, confidence = len(sample.labels), sample.parts.predicted, sample.confidence
    if predicted.n == 0 or (confidence is not None and confidence.mean() < ENOUGH):
        lows, highs = count_bounds(sample.is_class[None], n, level, sample.unclear[None])
        low, high = (int(lows[0, -1]), int(highs[0, -1])) if len(sample.rows) else (0, n)
    else:
        low, high = 0, n
        for state in states(sample):
            least, most = pair_ranges(*state, level).difference
            low, high = max(low, predicted.n + least), min(high, predicted.n + most)
    correct, missed = _estimates(sample)
    if sample.complete:  # an end that was rejected wrongly on the way is known to be so
        low = high = round(correct + missed)
    return as_interval(correct + missed + known, low + known, high + known + unsure, n + n_known)


def _estimates(sample: ClassSample) -> tuple[float, float]:
    """N_1 (1 - u / t_1) and N_2 v / t_2: documents of the class with its label, and with another one."""
    parts, is_class = sample.parts, sample.is_class
    first, second = sample.inside & ~sample.unclear, ~sample.inside & ~sample.unclear
    kept = float(is_class[first].mean()) if first.any() else 1.0
    missed = float(is_class[second].mean()) if second.any() else 0.0
    return parts.predicted.n * kept, parts.others.n * missed


def with_unsure(recall: Interval | None, least: float, n_missed: int, n_unsure: int) -> Interval | None:
    """The recall with n_missed further documents of the class that have another label, and n_unsure that may be of it.

    With T documents of the class in `recall`, at least `least`, the recall is from r T / (T + n_missed + n_unsure) to
    (r T + n_unsure) / (T + n_missed + n_unsure). Both ends are widest for the smallest T if n_missed is 0; otherwise
    the upper end is also that without the missed ones.
    """
    if recall is None or not n_missed + n_unsure:
        return recall
    total = least + n_missed + n_unsure
    low, high = recall.low * least / total, (recall.high * least + n_unsure) / max(least + n_unsure, 1)
    return Interval(float(np.clip(recall.estimate, low, high)), low, high)


def recall_interval(sample: ClassSample, level: float, *, known: int = 0) -> Interval | None:
    """Interval of the recall of a class; None if no document of the class was seen.

    `known`: number of further documents that are known to be of the class; their labels are correct.
    """
    if not sample.is_class.any() and not known:
        return None
    low, high = 0.0, 1.0
    for state in states(sample):
        least, most = pair_ranges(*state, level, known).recall
        low, high = max(low, least), min(high, most)
    correct, missed = _estimates(sample)
    total = correct + missed + known
    estimate = (correct + known) / total if total else (low + high) / 2
    if sample.complete:  # an end that was rejected wrongly on the way is known to be so
        low = high = estimate
    low, high = min(low, high), max(low, high)
    return Interval(float(np.clip(estimate, low, high)), low, high)
