r"""Estimate accuracy and confidence without labels of the target, from the labels of neighbors.

    n_i  majority label of the 10 nearest documents of the target, weighted by the cosine; a_i if there are none
    h    accuracy of the source-only classifier on held-out documents of the source

If documents of one class resemble each other, a wrong label differs from the labels of its neighbors. So

    accuracy      is estimated by  the share of documents with n_i = a_i among those with neighbors, at most h + .05 (1)
    proportions   are estimated by the shares of the classes among the n_i                                           (2)
    P(a_i is correct)  by isotonic regression of [n_i = a_i] on the margin of the prediction                         (3)

(3) is shrunk towards chance where h limits (1). The result grows with the margin and is right on average if (1) is.

Neighbors detect single labels that differ from those of similar documents. They cannot detect a whole cluster with the
wrong class. If the source assigns the wrong class to a cluster, the estimate is too high (Reuters: .94 instead of .76).
The interval therefore goes down to the agreement with the source-only classifier.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.isotonic import IsotonicRegression

from ..linalg.knn import nearest
from ..linalg.matrix import Array
from .agreement import margin

N_NEIGHBORS = 10
TARGET_MARGIN = 0.05  # the target may be easier than the source by this much
ALWAYS_REVIEW_BELOW = 0.6  # a label with a smaller chance of being correct is always marked for review
TIE_BREAK = 1e-3  # difference between the first and the last of documents with equal confidence
HALF_WIDTH = 0.1  # the interval ends so far above (1), and so far below it or the agreement with the source


class ConfidenceEstimate(NamedTuple):
    accuracy: float
    interval: tuple[float, float]
    proportions: Array  # of the classes in the target
    p_correct: Array  # probability of each label to be correct


def neighbor_similarities(X: Any) -> Any:
    """Cosines of each document with its nearest other documents (sparse, not symmetric)."""
    return nearest(X, n_neighbors=N_NEIGHBORS)


def estimate_confidence(P: Array, similarities: Any, source_only: Array, ceiling: float = 1.0) -> ConfidenceEstimate:
    """Estimate how many labels are correct, and the confidence of each.

    Parameters
    ----------
    P : array, shape (n_documents, n_classes)
        The predicted probabilities.
    similarities : sparse array, shape (n_documents, n_documents)
        See `neighbor_similarities`.
    source_only : array, shape (n_documents,)
        Codes predicted by the source-only classifier.
    ceiling : float, default=1.0
        Its accuracy on held-out source documents: labels that cannot be predicted there cannot be transferred.
    """
    n, c = P.shape
    codes, margins = P.argmax(axis=1), margin(P)
    votes = similarities @ np.eye(c)[codes]
    has_neighbors = votes.sum(axis=1) > 0
    neighbors = np.where(has_neighbors, votes.argmax(axis=1), codes)
    equal = neighbors == codes
    agreement = float(equal[has_neighbors].mean()) if has_neighbors.any() else 1 / c
    accuracy = min(agreement, ceiling + TARGET_MARGIN)  # (1)
    proportions = np.bincount(neighbors, minlength=c) / n  # (2)
    p_correct = np.full(n, max(agreement, 1 / c))
    if has_neighbors.any():
        curve = IsotonicRegression(y_min=1 / c, y_max=1 - 0.5 / n, out_of_bounds="clip")
        p_correct = curve.fit(margins[has_neighbors], equal[has_neighbors]).predict(margins)  # (3)
    p_correct = 1 / c + (p_correct - 1 / c) * max(accuracy - 1 / c, 0) / max(agreement - 1 / c, 1e-12)
    p_correct = p_correct - TIE_BREAK * (
        1 - rankdata(margins) / n
    )  # the curve has steps; keep the order of the margins
    low = min(accuracy, float((codes == source_only).mean())) - HALF_WIDTH
    interval = (max(low, 0.0), min(accuracy + HALF_WIDTH, 1.0))
    return ConfidenceEstimate(accuracy, interval, proportions, np.clip(p_correct, 1 / c, 1))


def needs_review(p_correct: Array, target_error: float) -> Array:
    """True for the labels to review, so that the expected error of the others is at most `target_error`.

    The least confident labels are marked, as few as possible (the risk-coverage curve), and all below
    ALWAYS_REVIEW_BELOW.
    """
    order = np.argsort(-p_correct, kind="stable")
    error = np.cumsum(1 - p_correct[order]) / np.arange(1, len(p_correct) + 1)
    within = np.flatnonzero(error <= target_error)
    review = np.ones(len(p_correct), dtype=bool)
    if len(within):
        review[order[: within[-1] + 1]] = False
    return review | (p_correct < ALWAYS_REVIEW_BELOW)
