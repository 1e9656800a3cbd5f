r"""Confidences that fit answers: the log-odds of the labels are shifted and stretched, with an offset per label.

    x_i   log-odds of the probability of label i, by a fit that has not learned from answer i
    y_i   1 if label i equals answer i, otherwise 0
    c_i   label i

    P(label i is correct) = expit(t + s x_i + o_c_i)                                                                 (1)
    min  - sum_i log P(y_i) + t^2 / (2 .35^2) + (s - 1)^2 / (2 .5^2) + sum_c o_c^2 / (2 .35^2)                       (2)
    V    inverse of the Hessian of (2): the uncertainty of t, s, o
    expit(eta_i - k sqrt(f_i' V f_i)),   eta_i = f_i'(t, s, o),   k = CAUTION sqrt(1 + FEW / m) for m answers        (3)

(1) are the confidences, (3) their lower ends, by which labels are marked for review. Without answers (2) leaves the
probabilities as they are. It is strictly convex.

The widths, CAUTION and FEW were chosen with results on 85 tasks of 17 corpora in view. The widths hardly matter: from
.25 to 1 for t, .3 to .5 for s and .35 to .7 for o the released share changes by at most .012, the error of the
estimates (`from_answers.py`) by at most .007. `python -m benchmarks.after_answers` has the figures, also with CAUTION
and FEW chosen on the other corpora.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, logit

from ..linalg.matrix import Array

SHIFT, STRETCH, OFFSET = 0.35, 0.5, 0.35  # standard deviations in (2)
CAUTION, FEW = 0.5, 20
LEAST = 1e-3  # probabilities are cut to LEAST ... 1 - LEAST
MAX_STEPS, TOLERANCE = 100, 1e-9


class Recalibration(NamedTuple):
    """The letters of (1), and V."""

    coefficients: Array  # t, s, o
    covariance: Array  # V
    n_answers: int  # m

    def confidence(self, probability: Array, labels: Array) -> Array:
        """(1)."""
        p: Array = expit(self._features(probability, labels) @ self.coefficients)
        return p

    def cautious(self, probability: Array, labels: Array, caution: float = CAUTION, few: float = FEW) -> Array:
        """(3)."""
        F = self._features(probability, labels)
        spread = np.sqrt(np.einsum("ij,ij->i", F @ self.covariance, F))
        k = caution * np.sqrt(1 + few / max(self.n_answers, 1))
        p: Array = expit(F @ self.coefficients - k * spread)
        return p

    def _features(self, probability: Array, labels: Array) -> Array:
        return features(probability, labels, len(self.coefficients) - 2)


def features(probability: Array, labels: Array, n_classes: int) -> Array:
    """f: a one, x, and the label as indicators."""
    x = logit(np.clip(probability.astype(np.float64), LEAST, 1 - LEAST))
    return np.column_stack([np.ones(len(x)), x, np.eye(n_classes)[labels]])


def recalibrate(probability: Array, labels: Array, correct: Array, n_classes: int) -> Recalibration:
    """Fit (2) to answered documents."""
    F, y = features(probability, labels, n_classes), np.asarray(correct, dtype=np.float64)
    prior = np.append([0.0, 1.0], np.zeros(n_classes))
    penalty = np.append([SHIFT, STRETCH], np.full(n_classes, OFFSET)) ** -2.0

    def loss(theta: Array) -> float:
        eta = F @ theta
        return float(0.5 * penalty @ (theta - prior) ** 2 - y @ log_expit(eta) - (1 - y) @ log_expit(-eta))

    def hessian(theta: Array) -> Array:
        p = expit(F @ theta)
        return np.asarray((F * (p * (1 - p))[:, None]).T @ F + np.diag(penalty))

    theta = prior
    for _ in range(MAX_STEPS):  # Newton's method; half the step until the loss is not larger
        gradient = F.T @ (expit(F @ theta) - y) + penalty * (theta - prior)
        step = np.linalg.solve(hessian(theta), gradient)
        if np.abs(step).max() <= TOLERANCE:
            break
        while loss(theta - step) > loss(theta) and np.abs(step).max() > TOLERANCE:
            step = step / 2
        theta = theta - step
    return Recalibration(theta, np.linalg.inv(hessian(theta)), len(y))
