r"""What answers tell about labels: confidences, accuracy, balanced accuracy and class proportions of the target.

    P_ic  probabilities by a fit that has learned from all answers, and H_ic by fits without answer i
    c_i   label: the largest of P_ic; h_i the largest of H_ic
    q_ic  P_ic with the probability of the label recalibrated (`recalibration.py`); g_ic the same of H_ic
    N, A  all documents, and those with an answer y_i; q_ic is 0 or 1 in A

    n_c = sum_i q_ic,   r_c = sum_i [c_i = c] q_ic / n_c                                                             (1)
    proportions n_c / N,   accuracy sum_i q_ic_i / N,   balanced accuracy: mean of r_c                               (2)

Each of the three is a mean of a value u(label, class) over documents: [class = c], [label = class], and
([label = class] - r_class) N / (n_class K) for balanced accuracy, whose change it is to first order. Its error is
estimated by the answers,

    e_i = u(h_i, y_i) - sum_c g_ic u(h_i, c),   i in A                                                               (3)
    sd^2 = ((N - |A|) / N)^2 (sum_i e_i^2 + 1/2) / |A|^2 + sum_{i not in A} Var_q(u) / N^2                           (4)

and the interval is (2) -+ QUANTILE sd. 1/2 is half an error more than was seen. All of this needs answers to documents
that were drawn at random, or at least not chosen for their labels: otherwise e_i is that of other documents. If they
clearly were not (`drawn_at_random`), the estimates are those without answers.

Accuracy and balanced accuracy are those of all labels. Answered documents have correct labels, except those that belong
to none of the classes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import mannwhitneyu

from ..linalg.matrix import Array
from .agreement import set_top_probability
from .estimate import Estimate
from .proportions import Proportions
from .recalibration import recalibrate

QUANTILE, ONE_SIDED = 1.645, 1.282  # of a normal distribution: 90% in the interval, 90% above a lower end
UNSEEN = 0.5  # 1/2 in (4)
MIN_ANSWERS = 10  # of fewer, estimates without answers are better
CHOSEN = 0.001


class FromAnswers(NamedTuple):
    """What answers tell. Rows are those of the target."""

    proba: Array  # q: target rows x classes
    confidence: Array  # probability of each label to be correct: 1 for an answer, 0 if it is none of the classes
    cautious: Array  # lower end of `confidence`, by which labels are marked for review
    held_out: Array  # g: answers x classes
    held_out_cautious: Array  # lower ends of the confidences of the held-out labels
    accuracy: Estimate
    balanced_accuracy: Estimate
    proportions: Proportions
    n_answers: int
    n_none: int = 0  # answers that name none of the classes
    at_random: bool = True  # False: the answered documents are clearly more, or less, certain than the others

    @property
    def labels(self) -> Array:
        """The class codes of the labels."""
        return np.asarray(self.proba.argmax(axis=1))

    @property
    def enough(self) -> bool:
        """Whether the estimates are better than those without answers."""
        return self.n_answers >= MIN_ANSWERS and self.at_random


def drawn_at_random(P: Array, rows: Array) -> bool:
    """Whether the answered documents can be a random sample, by their largest probabilities before the answers.

    False for the questions of `accept`, which are about the most certain labels. The test of Mann and Whitney calls one
    random sample in 1 / CHOSEN chosen; it then costs its estimate, nothing else.
    """
    certainty = P.max(axis=1)
    others = np.delete(certainty, rows)
    if not len(rows) or not len(others):
        return True
    return bool(mannwhitneyu(certainty[rows], others, method="asymptotic").pvalue >= CHOSEN)


def read_from_answers(P: Array, H: Array, rows: Array, codes: Array) -> FromAnswers:
    """What answers tell about the labels P.

    `H`: for each answer, the probabilities of its document by a fit that has not learned from it.
    """
    n_classes, held_labels = P.shape[1], H.argmax(axis=1)
    fitted = recalibrate(H.max(axis=1), held_labels, held_labels == codes, n_classes)
    named = codes < n_classes
    top, labels = P.max(axis=1), P.argmax(axis=1)
    confidence, cautious = fitted.confidence(top, labels), fitted.cautious(top, labels)
    q = _with_top(P, confidence)
    confidence[rows] = cautious[rows] = named
    q[rows[named]] = np.eye(n_classes)[codes[named]]
    g = _with_top(H, fitted.confidence(H.max(axis=1), held_labels))
    sample = Sample(q, q.argmax(axis=1), g, rows, codes)
    return FromAnswers(
        proba=q,
        confidence=confidence,
        cautious=cautious,
        held_out=g,
        held_out_cautious=fitted.cautious(H.max(axis=1), held_labels),
        accuracy=sample.accuracy(),
        balanced_accuracy=sample.balanced_accuracy(),
        proportions=sample.proportions(),
        n_answers=len(rows),
        n_none=int((~named).sum()),
    )


def _with_top(P: Array, top: Array) -> Array:
    return set_top_probability(P, np.clip(top, 1 / P.shape[1], 1))


class Sample(NamedTuple):
    """Documents of which some are answered, for (1) to (4)."""

    q: Array  # target rows x classes
    labels: Array  # of the target rows
    g: Array  # answers x classes
    rows: Array
    codes: Array

    def accuracy(self) -> Estimate:
        """The share of correct labels."""
        mean = float(self._mass()[np.arange(len(self.q)), self.labels].mean())
        return interval(mean, self.spread(np.eye(self.q.shape[1])))

    def balanced_accuracy(self) -> Estimate:
        """The mean recall of the classes."""
        mass, K = self._mass(), self.q.shape[1]
        n = mass.sum(axis=0)
        hits = np.bincount(self.labels, weights=mass[np.arange(len(mass)), self.labels], minlength=K)
        recall = np.divide(hits, n, out=np.zeros(K), where=n > 0)
        change = (np.eye(K) - recall) * len(mass) / (np.maximum(n, 1.0) * K)
        return interval(float(recall[n > 0].mean()), self.spread(change))

    def proportions(self) -> Proportions:
        """The class proportions of the target."""
        mean, K = self._mass().mean(axis=0), self.q.shape[1]
        spread = np.array([self.spread(np.tile(np.eye(K)[c], (K, 1))) for c in range(K)])
        return Proportions(mean, np.maximum(mean - QUANTILE * spread, 0), np.minimum(mean + QUANTILE * spread, 1))

    def spread(self, u: Array) -> float:
        """sd in (4) of a mean of u: labels x classes. A class that the labels lack has the value 0."""
        with_none = np.column_stack([u, np.zeros(len(u))])
        held_labels, m, n = self.g.argmax(axis=1), len(self.rows), len(self.q)
        e = with_none[held_labels, self.codes] - (self.g * u[held_labels]).sum(axis=1)  # (3)
        free = np.ones(n, dtype=bool)
        free[self.rows] = False
        q, values = self.q[free], u[self.labels[free]]
        variance = (q * values**2).sum() - ((q * values).sum(axis=1) ** 2).sum()
        return float(np.sqrt((free.sum() / n / m) ** 2 * (e @ e + UNSEEN) + variance / n**2))

    def _mass(self) -> Array:
        """q, and 0 for answers that name none of the classes."""
        none = self.rows[self.codes >= self.q.shape[1]]
        if not len(none):
            return self.q
        mass = self.q.copy()
        mass[none] = 0
        return mass


def interval(mean: float, sd: float) -> Estimate:
    """The estimate with its 90% interval."""
    low, high = mean - QUANTILE * sd, mean + QUANTILE * sd
    return Estimate(mean, max(0.0, low), min(1.0, high), max(0.0, mean - ONE_SIDED * sd))
