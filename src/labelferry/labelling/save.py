"""A labelling as a model for later documents."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike

import numpy as np

from ..assessment.reference import make_reference
from ..core.sampling import MAX_COMPARED, sample_rows
from ..ensemble.auto_transfer import AutoTransfer
from ..families.divergence import center
from ..tables.sequences import picked
from .evidence import word_evidence
from .labelling import Labelling
from .model import Model
from .view_student import fit_view_student


def save_model(result: Labelling, path: str | PathLike[str]) -> None:
    """Save the estimator with its vocabulary and what later documents are compared with."""
    features, domains, estimator = result.features, result.domains, result.estimator
    if features.vectorizer is None:
        raise ValueError("a model of your own features has no vocabulary; save the estimator: result.estimator.")
    documents, texts = result.documents, result.inputs.texts
    codes = np.searchsorted(estimator.classes_, documents.labels)
    student = None
    if isinstance(estimator, AutoTransfer) and estimator.panel_.predictions.view_weight:  # 0 if it was left out
        student = fit_view_student(features.view_name, features.view, domains, codes)
    scores = word_evidence(domains, estimator.transduction_proba_, features.shown).score.astype(np.float32)
    model = Model(
        estimator,
        features.vectorizer,
        {name: result.settings[name] for name in ("html", "headers", "signatures")},
        result.typical,
        text=result.inputs.columns.text_target,
        word_scores=scores,
        center=center(features.Xt),
        view=student,
    )
    reference = make_reference(
        result.assessment,
        labels=codes,
        confidence=documents.confidence,
        P=model.proba(texts) if student else estimator.predict_proba(features.Xt),
        known_words=model.known_share(picked(texts, sample_rows(len(texts), MAX_COMPARED))),
        empty=estimator.transduction_empty_,
        target_error=result.settings["target_error"],
        min_confidence=result.settings["min_confidence"],
    )
    replace(model, reference=reference).save(path)
