"""Everything that follows from answers: labels that learn from them, and what the answers tell about these labels.

One function for all ways in which answers arrive: a file of answers, labels of the target in `fit`, a review job. With
fewer than MIN_ANSWERS answers, or with answers to documents that were not drawn at random, the confidences are those
without answers (`assessment/confidence.py`): such answers tell less about the labels than the panel does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..assessment.calibration import load_calibration
from ..assessment.confidence import confidence, confidence_features
from ..assessment.from_answers import FromAnswers, drawn_at_random, read_from_answers
from ..linalg.matrix import Array
from .labelled_pool import (
    RIDGES,
    PoolInputs,
    fit_with_terms,
    held_out,
    make_terms,
    predict,
    starting_from,
    with_votes,
)


class AfterAnswers(NamedTuple):
    """Labels after answers. The answers are those that were passed, without unclear ones."""

    pooled: Array  # target rows x classes: probabilities before they are recalibrated; answered rows have 0 and 1
    rows: Array  # answered target rows
    codes: Array  # their answers; n_classes for none of these
    held_out: Array  # answers x classes: probabilities by fits without the answer, before they are recalibrated
    found: FromAnswers  # confidences and estimates

    @property
    def labels(self) -> Array:
        """The class codes of all target rows; answered rows have their answers."""
        return self.found.labels

    @property
    def held_out_labels(self) -> Array:
        """The class codes of the answered rows by fits that have not learned from their answers."""
        return np.asarray(self.held_out.argmax(axis=1))


def after_answers(
    inputs: PoolInputs, rows: Array, codes: Array, balanced_accuracy: float | None = None
) -> AfterAnswers:
    """Learn from answers, and estimate how good the labels are.

    `codes`: codes of the classes; n_classes for "none of these", which is not learned from but counts as a wrong
    label. Answers with negative codes (unclear) are ignored.
    `balanced_accuracy`: the estimate for the labels before the answers, on which the confidences are based if there
    are few answers. None: they are always based on the answers.
    Returns labels, confidences, estimates of accuracy and class proportions, held-out labels. The order of the
    answers does not matter. The estimates suppose that the documents were drawn at random.
    """
    rows, codes = np.asarray(rows, dtype=np.intp), np.asarray(codes, dtype=np.intp)
    if len(np.unique(rows)) < len(rows):
        raise ValueError("a document has more than one answer. Pass each answered row once.")
    order = np.argsort(rows, kind="stable")
    order = order[codes[order] >= 0]
    rows, codes = rows[order], codes[order]
    inputs = starting_from(inputs, codes)
    terms = with_votes(inputs, make_terms(inputs), rows, codes)
    P = predict(inputs, terms, fit_with_terms(inputs, terms, rows, codes, RIDGES), np.arange(len(inputs.start)))
    H = held_out(inputs, rows, codes)
    found = read_from_answers(P, H, rows, codes)._replace(at_random=drawn_at_random(inputs.start, rows))
    named = codes < inputs.n_classes
    P[rows[named]] = np.eye(inputs.n_classes)[codes[named]]
    if balanced_accuracy is not None and not found.enough:
        members = {name: member.argmax(axis=1) for name, member in inputs.members.items()}
        p = confidence(confidence_features(P, members, balanced_accuracy), load_calibration().confidence)
        p = P.max(axis=1) if inputs.voters else p  # votes are no members
        p[rows] = named
        found = found._replace(confidence=p, cautious=p, held_out_cautious=np.zeros(len(rows)))
    return AfterAnswers(P, rows, codes, H, found)
