"""Any estimator, fitted and assessed: AutoTransfer assesses itself, others are compared with the same panel."""

from __future__ import annotations

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


class AssessedFit(NamedTuple):
    """A fitted estimator with what can be estimated about its labels."""

    estimator: TransductiveClassifier
    assessment: Assessment
    proba: Array  # target rows x classes, calibrated
    confidence: Array  # probability of each label to be correct
    review: Array  # target rows to review
    groups: Array  # of the target rows that no class explains; -1 for all others
    source_only: Array  # class codes of the source-only classifier; those of the answer for rows without words


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
) -> AssessedFit:
    """Fit the estimator and assess its labels.

    `class_prior` replaces the estimator's own parameter. AutoTransfer does not fit a panel again that is passed.
    `second_view` has other features of the same rows; the panel uses them.
    """
    if class_prior is not None:
        estimator.set_params(class_prior=class_prior)
    if isinstance(estimator, AutoTransfer):
        auto = estimator.set_params(target_error=target_error).fit_domains(
            domains, panel=panel, second_view=second_view, languages=languages
        )
        confidence = auto.transduction_proba_.max(axis=1)
        empty = auto.transduction_empty_[auto.in_fit_]
        confidence[auto.in_fit_] = np.where(empty, confidence[auto.in_fit_], auto.state_.assessment.p_correct)
        source_only = auto.transduction_proba_.argmax(axis=1)
        source_only[auto.in_fit_] = auto.panel_.predictions.source_only.argmax(axis=1)
        return AssessedFit(
            auto,
            _with_empty(auto),
            auto.transduction_proba_,
            confidence,
            auto.needs_review_,
            auto.groups_,
            source_only,
        )
    name = type(estimator).__name__
    progress.expect(name, *panel_stages(domains))
    progress.begin(name)
    estimator.fit_domains(domains)
    P = np.asarray(estimator.transduction_proba_, dtype=np.float64)
    known = np.flatnonzero(domains.in_row_order(d.known for d in domains.targets))
    compared = in_blocks(domains, MAX_FITTED)
    predictions = fit_panel(compared.hide_target_labels(), seed, second_view)
    assessment = assess(
        P,
        predictions,
        target_facts(compared).with_languages(languages),
        classes=[str(c) for c in domains.classes],
        weights={name: 1.0},
        target_error=target_error,
        calibration=load_calibration(),
        known=known,
        prior=Prior.read(class_prior, domains),
    )
    empty = estimator.transduction_empty_  # these keep the class prior, as in AutoTransfer
    proba = np.where(empty[:, None], estimator.transduction_proba_, assessment.proba)
    confidence = np.where(empty, proba.max(axis=1), assessment.p_correct)
    review, groups = assessment.review | empty, np.where(empty, NOT_MARKED, assessment.groups)
    confidence[known], review[known] = 1, False
    source_only = predictions.source_only.argmax(axis=1)
    return AssessedFit(estimator, assessment, proba, confidence, review, groups, source_only)


def _with_empty(auto: AutoTransfer) -> Assessment:
    """The assessment, with class proportions that count the documents without words too."""
    assessment, outside = auto.state_.assessment, ~auto.in_fit_
    codes = auto.transduction_proba_.argmax(axis=1)[outside]
    return assessment._replace(proportions=assessment.proportions.with_more(codes, int(auto.in_fit_.sum())))
