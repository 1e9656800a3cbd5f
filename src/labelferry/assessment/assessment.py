"""Everything that can be estimated about an answer without labels of the target: of one method or of the ensemble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.domains import Domains
from ..families.linear import held_out_source_accuracy
from ..linalg.matrix import Array, Matrix
from .agreement import mean_kappas, set_top_probability
from .cluster_evidence import SOURCE_ONLY, ClusterEvidence, cluster_evidence
from .confidence import estimate_confidence, needs_review, neighbor_similarities
from .verdict import LEVELS, Verdict, judge, judge_classes, judge_members


class PanelPredictions(NamedTuple):
    """What the members of a panel predict."""

    proba: dict[str, Array]  # per member: target rows x classes, in row order
    seconds: dict[str, float]


class Members(NamedTuple):
    """The members of the panel, one entry per member."""

    names: tuple[str, ...]
    codes: Array  # members x target rows
    weights: Array  # in the answer
    agreement: Array  # mean kappa with the other members
    seconds: Array
    levels: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One plain dict per member."""
        columns = (self.names, self.weights.tolist(), self.agreement.tolist(), self.levels, self.seconds.tolist())
        return [
            {"method": name, "weight": weight, "agreement": agreement, "level": level, "seconds": seconds}
            for name, weight, agreement, level, seconds in zip(*columns, strict=True)
        ]


class Assessment(NamedTuple):
    """Arrays and plain values only, so that it can be saved."""

    proba: Array  # target rows x classes, in row order; calibrated
    uncalibrated: Array  # the same before calibration
    p_correct: Array  # probability of each label to be correct
    review: Array  # True for the labels to review
    accuracy: tuple[float, float, float]  # estimate, and the two ends of its interval
    proportions: Array  # of the classes in the target
    members: Members
    class_levels: tuple[str, ...]
    evidence: ClusterEvidence | None

    @property
    def estimated_accuracy(self) -> dict[str, float]:
        return dict(zip(("mean", "low", "high"), self.accuracy, strict=True))

    def verdict(self) -> Verdict:
        mean, low, high = self.accuracy
        return judge(mean, (low, high), self.evidence)


def assess(
    P: Array,
    predictions: PanelPredictions,
    domains: Domains,
    X: Matrix,
    weights: Mapping[str, float],
    target_error: float,
    known: Sequence[int] | Array = (),
) -> Assessment:
    """Assess the answer P.

    Parameters
    ----------
    P : array, shape (n_target, n_classes)
        The answer, in the row order of the targets.
    predictions : PanelPredictions
        Of the panel; the source-only classifier must be a member.
    domains : Domains
        The labelled documents, for cross-validation.
    X : matrix, shape (n_target, n_words)
        The documents of the targets, in row order.
    weights : mapping of str to float
        Weights of the members in the answer.
    target_error : float
        Expected share of wrong labels that is allowed among those not marked for review.
    known : array of int, default=()
        Target rows with a given label, which is correct.
    """
    source_only = predictions.proba[SOURCE_ONLY].argmax(axis=1)
    estimate = estimate_confidence(P, neighbor_similarities(X), source_only, held_out_source_accuracy(domains))
    p_correct = estimate.p_correct.copy()
    p_correct[np.asarray(known, dtype=np.intp)] = 1
    calibrated = set_top_probability(P, p_correct)
    codes, names = calibrated.argmax(axis=1), tuple(predictions.proba)
    member_codes = np.array([p.argmax(axis=1) for p in predictions.proba.values()])
    levels = judge_members(predictions.proba, codes)
    return Assessment(
        proba=calibrated.astype(X.dtype),
        uncalibrated=P.astype(np.float32),
        p_correct=p_correct,
        review=needs_review(p_correct, target_error),
        accuracy=(estimate.accuracy, *estimate.interval),
        proportions=estimate.proportions,
        members=Members(
            names=names,
            codes=member_codes,
            weights=np.array([weights.get(name, 0.0) for name in names]),
            agreement=np.array(mean_kappas(list(member_codes))),
            seconds=np.array([predictions.seconds[name] for name in names]),
            levels=tuple(levels[name] for name in names),
        ),
        class_levels=tuple(judge_classes(p_correct, codes, P.shape[1])),
        evidence=cluster_evidence(predictions.proba),
    )


__all__ = ["LEVELS", "Assessment", "Members", "PanelPredictions", "assess"]
