"""The result of `label` as the content of a new store."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ensemble.auto_transfer import AutoTransfer
from ..ensemble.queries import typical_documents
from ..linalg.matrix import Array
from . import questions
from .all_rows import unknown_reason
from .job_languages import keep_languages
from .other_rows import keep_other_rows

if TYPE_CHECKING:
    from ..store import JobData
    from .labelling import Labelling


def job_data(labelling: Labelling, seed: int | None = None) -> JobData:
    """Documents, labels and settings of a result.

    Parameters
    ----------
    labelling : Labelling
        Labels of the documents.
    seed : int, default=None
        Seed of the random samples; drawn at random if None.

    Returns
    -------
    job : JobData
        What a new store contains.
    """
    from ..store import FitData, JobData

    if labelling.answers is not None and len(labelling.answers.rows):
        raise ValueError(
            "a review job starts with labels that did not learn from answers. Store the result of label without "
            "answers, then add the answers to the job: labelferry certify JOB SAMPLE."
        )
    inputs = labelling._inputs
    classes = labelling.estimator.classes_
    text = inputs.columns.text_name  # a column, or no column if several are joined
    codes = np.searchsorted(classes, labelling.labels)
    seed = secrets.randbelow(2**31) if seed is None else seed
    arrays = {"group": typical_order(labelling, seed), "new": questions.new_class_order(labelling.groups)}
    columns = inputs.target.columns
    return JobData(
        texts=inputs.texts,
        own={name: values for name, values in columns.items() if name != text},
        lines=list(inputs.target.lines),
        evidence=labelling.evidence,
        source_only=labelling._source_only,
        classes=classes.tolist(),
        fit=FitData(
            method=labelling.method,
            labels=codes,
            confidence=labelling.confidence,
            alternative=np.searchsorted(classes, labelling.alternative),
            needs_review=labelling.needs_review,
        ),
        **pool_arrays(labelling),
        settings={
            "file": inputs.target.name,
            "text": text,
            "columns": list(columns),
            "other_rows": keep_other_rows(inputs),
            "without_label": {
                "documents": np.flatnonzero(~labelling.predicted).tolist(),
                "reason": unknown_reason(labelling),
            },
            "other_languages": keep_languages(labelling.other_language),
            "question_seed": seed,
            "settings": plain_settings(labelling.settings),
            "estimated_balanced_accuracy": labelling.assessment.balanced_accuracy.mean,
            "review_all": any(fact.review_all for fact in labelling.assessment.facts),
        },
        arrays=arrays,
    )


def plain_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that JSON can contain."""
    return {name: value for name, value in settings.items() if isinstance(value, str | int | float | bool | None)}


def rows_in_panel(labelling: Labelling) -> Array:
    """The documents that the panel has labelled: those with words."""
    in_fit = getattr(labelling.estimator, "in_fit_", None)
    return np.arange(len(labelling.labels)) if in_fit is None else np.flatnonzero(in_fit)


def typical_order(labelling: Labelling, seed: int) -> Array:
    """Typical documents of groups, the largest groups first; none if the method cannot learn from answers."""
    if not isinstance(labelling.estimator, AutoTransfer):
        return np.zeros(0, dtype=np.int64)
    coordinates, excluded = labelling.estimator.pool_inputs_.coordinates, np.zeros(0, dtype=np.int64)
    typical = typical_documents(coordinates, questions.N_TYPICAL, excluded, np.random.default_rng(seed))
    return rows_in_panel(labelling)[typical]


def pool_arrays(labelling: Labelling) -> dict[str, dict[str, Array]]:
    """What is needed to learn from answers: the members' probabilities, and `pool`; empty for a single method."""
    if not isinstance(labelling.estimator, AutoTransfer):
        return {"members": {}, "pool": {}}
    inputs = labelling.estimator.pool_inputs_
    pool = {"rows": rows_in_panel(labelling), "start": inputs.start, "coordinates": inputs.coordinates}
    return {"members": inputs.members, "pool": pool}
