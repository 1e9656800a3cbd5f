r"""Confidence per document, calibrated over corpora.

    P(label i is correct) = expit(b_0 + b_1 logit(a) + b_2 votes_i + b_3 rank_i),      b_1, b_2, b_3 >= 0            (1)

    a       estimated balanced accuracy of all labels (`estimate.py`)
    votes   share of the members of the panel that predict the label
    rank    rank of the margin of the answer among all documents, from 0 to 1

The coefficients are fitted on documents of many corpora (`labelferry bench calibrate`). The level of the confidence
depends on a, so it is as uncertain as a.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import rankdata

from ..linalg.matrix import Array
from .agreement import margin

A_RANGE = (0.02, 0.98)


class ConfidenceCoefficients(NamedTuple):
    """The letters of (1)."""

    constant: float
    balanced_accuracy: float
    votes: float
    rank: float


def confidence_features(P: Array, members: Mapping[str, Array], balanced_accuracy: float) -> Array:
    """Documents x 3: what (1) multiplies by b_1, b_2 and b_3. `members`: the labels of the members."""
    codes = P.argmax(axis=1)
    votes = np.mean([member == codes for member in members.values()], axis=0)
    rank = (rankdata(margin(P)) - 0.5) / len(P)
    return np.stack([np.full(len(P), logit(np.clip(balanced_accuracy, *A_RANGE))), votes, rank], axis=1)


def confidence(F: Array, c: ConfidenceCoefficients) -> Array:
    """(1), for the features of `confidence_features`."""
    p: Array = expit(c.constant + F @ [c.balanced_accuracy, c.votes, c.rank])
    return p


def needs_review(p_correct: Array, target_error: float) -> Array:
    """True for the labels to review, so that the expected error of the others is at most `target_error`.

    The least confident labels are marked, as few as possible (the risk-coverage curve).
    """
    order = np.argsort(-p_correct, kind="stable")
    error = np.cumsum(1 - p_correct[order]) / np.arange(1, len(p_correct) + 1)
    within = np.flatnonzero(error <= target_error)
    review = np.ones(len(p_correct), dtype=bool)
    if len(within):
        review[order[: within[-1] + 1]] = False
    return review
