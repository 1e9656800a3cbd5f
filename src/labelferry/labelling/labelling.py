"""The result of a transfer as a plain value: labels, confidences, the words behind them, and what was estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..assessment.assessment import Assessment
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..inputs.features import Features
from ..inputs.inputs import Inputs
from ..linalg.matrix import Array
from .answers import AnsweredRows
from .opinions import NO_VOTES, Votes, opinion_rows


@dataclass(frozen=True, repr=False)
class Labelling:
    """Predictions for the rows of the target, in their order.

    There is one entry per row. A row that cannot be read (`skip_bad`), without a text or without a known word has the
    label None, the confidence NaN and a reason. A row of a half-labelled file that has a label keeps it, with the
    confidence NaN.
    """

    labels: Array  # the predicted labels
    confidence: Array  # probability of each label to be correct, estimated without labels of the target
    alternative: Array  # the second most probable label
    evidence: Sequence[list[str]]  # the words that support each label
    typical: dict[str, list[str]]  # per class, the words that distinguish it from the others
    # true for the least confident labels, so that the expected error of the others is at most `target_error`;
    # with `min_confidence`, for those below it. True also for documents without known words, for `none_of_these`
    # and for documents with an `other_language`
    needs_review: Array
    groups: Array  # groups of documents that no class explains: 0, 1, ...; -1 for all other documents
    group_words: list[list[str]]  # per group, the words that distinguish it from all other documents
    estimator: TransductiveClassifier  # the fitted estimator
    assessment: Assessment  # everything that was estimated about the labels
    settings: dict[str, Any]  # the settings of the run
    seconds: dict[str, float]  # seconds per stage
    # the language of each document if the labelled documents lack it, such as "german"; "" for all others
    other_language: list[str]
    source_only: Array  # class codes of the documents by the classifier that learned from the labelled documents only
    inputs: Inputs  # what the labels were made from
    features: Features  # what the labels were made from
    domains: Domains  # what the labels were made from
    # the answers that the labels learned from: `rows` of the target and `codes` of the classes
    answers: AnsweredRows | None = None
    # why a row has no predicted label, such as "no text" or "line 12: 3 fields where the header has 2"; "" for
    # all others
    reasons: list[str] = field(default_factory=list)
    # true for the rows of a half-labelled file that had a label, and for rows without a text that were answered
    given: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))
    # 1 for the label that is most likely correct, then 2, 3, ...; 0 for rows without a predicted label
    accept_rank: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    votes: Votes = NO_VOTES  # opinions of other labellers that the labels use
    # of parents (`parents.py`): per document, the most probable child of its label, and the probability of this child
    children: tuple[Array, Array] | None = None
    of_documents: Labelling | None = None  # the same for the documents only; None if every row is a document

    def __post_init__(self) -> None:
        if not self.reasons:
            object.__setattr__(self, "reasons", [""] * len(self.labels))
            object.__setattr__(self, "given", np.zeros(len(self.labels), dtype=bool))

    @property
    def documents(self) -> Labelling:
        """The same result for the documents only: the rows of the target that have a text and no given label.

        A document without a known word has a class in `labels` here; `predicted` is False for it.
        """
        return self if self.of_documents is None else self.of_documents

    @property
    def predicted(self) -> Array:
        """True for the rows whose label was predicted: not for given labels, and not for rows with a reason."""
        return np.asarray(~self.given & np.array([not reason for reason in self.reasons], dtype=bool))

    @property
    def method(self) -> str:
        """Name of the estimator."""
        return type(self.estimator).__name__

    @property
    def none_of_these(self) -> Array:
        """True for documents that no class explains: they may belong to a class that the labelled documents lack."""
        return self.groups >= 0

    @property
    def estimated_accuracy(self) -> dict[str, float | None]:
        """Estimated accuracy of all labels: `mean`, and the 90% interval from `low` to `high`; None if unknown."""
        return self.assessment.estimated("accuracy")

    @property
    def estimated_balanced_accuracy(self) -> dict[str, float | None]:
        """Estimated mean accuracy of the classes: `mean`, `low` and `high`. The verdict is based on it."""
        return self.assessment.estimated("balanced_accuracy")

    @property
    def opinions(self) -> list[dict[str, Any]]:
        """One dict per opinion: `name`, `guesses`, `measured` (labelled documents), `accuracy` on these, `trust`."""
        return opinion_rows(self.estimator.pool_inputs_.voters) if self.votes.voters else []

    @property
    def members(self) -> list[dict[str, Any]]:
        """One dict per fitted method: `method`, `weight`, `agreement`, `level`, `seconds`."""
        return self.assessment.members.rows()
