"""The rank of each label: 1 for the one that is most likely correct, 0 for a document without a label.

The labels of a pool are ranked by `ensemble/acceptance.py`, those of a single method by their confidence. Confidences
count as they are in files, with four digits, so that a file, a result and a job have the same ranks.
"""

from __future__ import annotations

import numpy as np

from ..ensemble.acceptance import score_after_answers
from ..ensemble.auto_transfer import AutoTransfer
from ..ensemble.labelled_pool import PoolInputs
from ..linalg.matrix import Array
from .held_out import rows_in_panel
from .labelling import Labelling

OUTSIDE = -1.0  # score of a document that the panel has not labelled
DIGITS = 4


def accept_ranks(documents: Labelling) -> Array:
    """The ranks of the documents of a result."""
    labelled = ~documents.estimator.transduction_empty_
    if not isinstance(documents.estimator, AutoTransfer):
        return rank_by(file_confidence(documents.confidence), labelled)
    in_panel, empty = rows_in_panel(documents), np.zeros(0, dtype=np.int64)
    rows, codes = (empty, empty) if documents.answers is None else documents.answers
    inside = in_panel.contains(rows)
    positions = in_panel.positions(rows[inside])
    return rank_pool(documents.estimator.pool_inputs_, in_panel.rows, positions, codes[inside], labelled)


def rank_pool(inputs: PoolInputs, in_panel: Array, positions: Array, codes: Array, labelled: Array) -> Array:
    """The ranks of the labels of a pool that learned from answers at these positions of the panel."""
    score = np.full(len(labelled), OUTSIDE)
    score[in_panel] = score_after_answers(inputs, positions, codes)
    return rank_by(score, labelled)


def rank_by(score: Array, labelled: Array) -> Array:
    """Ranks of the labelled documents, the largest score first; ties by row.

    >>> rank_by(np.array([0.2, 0.9, 0.5, 0.9]), np.array([True, True, False, True])).tolist()
    [3, 1, 0, 2]
    """
    rows = np.flatnonzero(labelled)
    ranks = np.zeros(len(score), dtype=np.int64)
    ranks[rows[np.argsort(-np.asarray(score)[rows], kind="stable")]] = np.arange(1, len(rows) + 1)
    return ranks


def file_confidence(confidence: Array) -> Array:
    """Confidences as files have them: in the precision of a job, with four digits."""
    rounded: Array = np.round(np.asarray(confidence, dtype=np.float32).astype(np.float64), DIGITS)
    return rounded
