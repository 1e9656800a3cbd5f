"""Any estimator, fitted and assessed: AutoTransfer assesses itself, others are compared with the same panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..assessment.assessment import Assessment, assess
from ..assessment.calibration import load_calibration
from ..assessment.facts import Languages, target_facts
from ..assessment.new_classes import NOT_MARKED
from ..assessment.proportions import Prior
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.sampling import MAX_FITTED, in_blocks
from ..linalg.matrix import Array
from .auto_transfer import AutoTransfer
from .fitted_panel import FittedPanel
from .panel import fit_panel, panel_stages
from .votes import Voter


class AssessedFit(NamedTuple):
    """A fitted estimator with what can be estimated about its labels."""

    estimator: TransductiveClassifier
    assessment: Assessment
    proba: Array  # target rows x classes, calibrated
    confidence: Array  # probability of each label to be correct
    review: Array  # target rows to review
    groups: Array  # of the target rows that no class explains; -1 for all others
    source_only: Array  # class codes of the source-only classifier; those of the answer for rows without words
    view_weight: float | None  # of the second view in co-training; None without a second view


def fit_and_assess(
    estimator: TransductiveClassifier,
    domains: Domains,
    *,
    seed: int,
    target_error: float,
    class_prior: Any = None,
    panel: FittedPanel | None = None,
    second_view: Any = None,
    languages: Languages | None = None,
    none_of_these: Sequence[int] | Array = (),
    voters: Sequence[Voter] = (),
) -> AssessedFit:
    """Fit the estimator and assess its labels.

    `class_prior` replaces the estimator's own parameter. AutoTransfer does not fit a panel again that is passed.
    `second_view` has other features of the same rows; the panel uses them. `none_of_these`: target rows that people
    found to belong to none of the classes; AutoTransfer counts their labels as wrong. `voters`: other labellers whose
    votes AutoTransfer uses, with one entry per row.
    """
    if class_prior is not None:
        estimator.set_params(class_prior=class_prior)
    if isinstance(estimator, AutoTransfer):
        auto = estimator.set_params(target_error=target_error).fit_domains(
            domains,
            panel=panel,
            second_view=second_view,
            languages=languages,
            none_of_these=none_of_these,
            voters=voters,
        )
        confidence = auto.transduction_proba_.max(axis=1)
        empty = auto.transduction_empty_[auto.in_fit_]
        confidence[auto.in_fit_] = np.where(empty, confidence[auto.in_fit_], auto.state_.assessment.p_correct)
        source_only = auto.transduction_proba_.argmax(axis=1)
        source_only[auto.in_fit_] = auto.panel_.predictions.source_only.argmax(axis=1)
        return AssessedFit(
            auto,
            auto.state_.assessment,
            auto.transduction_proba_,
            confidence,
            auto.needs_review_,
            auto.groups_,
            source_only,
            auto.panel_.predictions.view_weight,
        )
    name = type(estimator).__name__
    progress.expect(name, *panel_stages(domains))
    progress.begin(name)
    estimator.fit_domains(domains)
    used = domains.drop_empty_documents()  # as in AutoTransfer: documents without words are not assessed
    inside = np.isin(domains.target_rows, used.target_rows)
    proba = np.array(estimator.transduction_proba_, dtype=np.float64)
    known = domains.in_row_order(d.known for d in domains.targets)
    compared = in_blocks(used, MAX_FITTED)
    predictions = fit_panel(compared.hide_target_labels(), seed, second_view)
    assessment = assess(
        proba[inside],
        predictions,
        target_facts(compared).with_languages(languages),
        classes=[str(c) for c in domains.classes],
        weights={name: 1.0},
        target_error=target_error,
        calibration=load_calibration(),
        known=np.flatnonzero(known[inside]),
        prior=Prior.read(class_prior, used),
    )
    source_only = proba.argmax(axis=1)
    source_only[inside] = predictions.source_only.argmax(axis=1)
    with_words = ~estimator.transduction_empty_  # the others keep the class prior, as in AutoTransfer
    rows = with_words[inside]
    proba[with_words] = assessment.proba[rows]
    confidence, review, groups = proba.max(axis=1), np.ones(len(proba), dtype=bool), np.full(len(proba), NOT_MARKED)
    confidence[with_words], review[with_words] = assessment.p_correct[rows], assessment.review[rows]
    groups[with_words] = assessment.groups[rows]
    confidence[known], review[known] = 1, False
    return AssessedFit(estimator, assessment, proba, confidence, review, groups, source_only, predictions.view_weight)
