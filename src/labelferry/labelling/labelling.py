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


@dataclass(frozen=True, repr=False)
class Labelling:
    """Predictions for the rows of the target, in their order.

    There is one entry per row. A row that cannot be read (`skip_bad`), without a text or without a known word has the
    label None, the confidence NaN and a reason. A row of a half-labelled file that has a label keeps it, with the
    confidence NaN.

    Attributes
    ----------
    labels : array of shape (n_target,)
        The predicted labels.
    confidence : array of shape (n_target,)
        Probability of each label to be correct, estimated without labels of the target.
    alternative : array of shape (n_target,)
        The second most probable label.
    evidence : sequence of list of str
        The words that support each label.
    typical : dict of str to list of str
        Per class, the words that distinguish it from the others.
    needs_review : array of bool, shape (n_target,)
        True for the least confident labels, so that the expected error of the others is at most `target_error`; with
        `min_confidence`, for those below it. True also for documents without known words, for `none_of_these` and for
        documents with an `other_language`.
    groups : array of int, shape (n_target,)
        Groups of documents that no class explains: 0, 1, ...; -1 for all other documents.
    group_words : list of list of str
        Per group, the words that distinguish it from all other documents.
    estimator : TransductiveClassifier
        The fitted estimator.
    assessment : Assessment
        Everything that was estimated about the labels.
    settings : dict
        The settings of the run.
    seconds : dict
        Seconds per stage.
    other_language : list of str
        The language of each document if the labelled documents lack it, such as "german"; "" for all others.
    answers : AnsweredRows or None
        The answers that the labels learned from: `rows` of the target and `codes` of the classes.
    reasons : list of str
        Why a row has no predicted label, such as "no text" or "line 12: 3 fields where the header has 2"; "" for all
        others.
    given : array of bool, shape (n_target,)
        True for the rows of a half-labelled file that had a label, and for rows without a text that were answered.
    accept_rank : array of int, shape (n_target,)
        1 for the label that is most likely correct, then 2, 3, ...; 0 for rows without a predicted label.
    source_only : array of int
        Class codes of the documents by the classifier that learned from the labelled documents only.
    inputs, features, domains : Inputs, Features, Domains
        What the labels were made from.
    of_documents : Labelling or None
        The same for the documents only; None if every row is a document.
    """

    labels: Array
    confidence: Array
    alternative: Array
    evidence: Sequence[list[str]]
    typical: dict[str, list[str]]
    needs_review: Array
    groups: Array
    group_words: list[list[str]]
    estimator: TransductiveClassifier
    assessment: Assessment
    settings: dict[str, Any]
    seconds: dict[str, float]
    other_language: list[str]
    source_only: Array
    inputs: Inputs
    features: Features
    domains: Domains
    answers: AnsweredRows | None = None
    reasons: list[str] = field(default_factory=list)
    given: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))
    accept_rank: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    of_documents: Labelling | None = None

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
        """Estimated accuracy of all labels: `mean`, and the 90 % interval from `low` to `high`; None if unknown."""
        return self.assessment.estimated("accuracy")

    @property
    def estimated_balanced_accuracy(self) -> dict[str, float | None]:
        """Estimated mean accuracy of the classes: `mean`, `low` and `high`. The verdict is based on it."""
        return self.assessment.estimated("balanced_accuracy")

    @property
    def members(self) -> list[dict[str, Any]]:
        """One dict per fitted method: `method`, `weight`, `agreement`, `level`, `seconds`."""
        return self.assessment.members.rows()
