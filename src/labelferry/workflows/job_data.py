"""The result of `label` as the content of a new store."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ensemble.panel import SOURCE_ONLY
from ..linalg.matrix import Array
from . import questions

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

    inputs = labelling._inputs
    classes = labelling.estimator.classes_
    text = inputs.columns.text
    codes = np.searchsorted(classes, labelling.labels)
    members = member_probabilities(labelling)
    arrays: dict[str, Array] = {"group": questions.disputed(members)}
    if members:
        arrays["votes"] = np.array([P.argmax(axis=1) for P in members.values()], dtype=np.int16)
    columns = inputs.target.columns
    return JobData(
        texts=inputs.texts,
        own={name: values for name, values in columns.items() if name != text},
        lines=list(inputs.target.lines),
        evidence=labelling.evidence,
        source_only=source_only_codes(labelling),
        classes=classes.tolist(),
        fit=FitData(
            method=labelling.method,
            labels=codes,
            confidence=labelling.confidence,
            alternative=np.searchsorted(classes, labelling.alternative),
            needs_review=labelling.needs_review,
        ),
        members=members,
        settings={
            "file": inputs.target.name,
            "text": text,
            "columns": list(columns),
            "question_seed": secrets.randbelow(2**31) if seed is None else seed,
            "settings": plain_settings(labelling.settings),
        },
        arrays=arrays,
    )


def plain_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that JSON can contain."""
    return {name: value for name, value in settings.items() if isinstance(value, str | int | float | bool | None)}


def source_only_codes(labelling: Labelling) -> Array:
    """Class codes of the source-only classifier; the label itself for documents that the panel has not seen."""
    codes = np.searchsorted(labelling.estimator.classes_, labelling.labels)
    members = labelling.assessment.members
    codes[rows_in_panel(labelling)] = members.codes[members.names.index(SOURCE_ONLY)]
    return codes


def rows_in_panel(labelling: Labelling) -> Array:
    """The documents that the panel has labelled: those with words."""
    in_fit = getattr(labelling.estimator, "in_fit_", None)
    return np.arange(len(labelling.labels)) if in_fit is None else np.flatnonzero(in_fit)


def member_probabilities(labelling: Labelling) -> dict[str, Array]:
    """Probabilities of each member, documents x classes."""
    members, rows = labelling.assessment.members, rows_in_panel(labelling)
    n_classes = len(labelling.estimator.classes_)
    proba = {}
    for name, codes in zip(members.names, members.codes, strict=True):
        P = np.full((len(labelling.labels), n_classes), 1 / n_classes, dtype=np.float32)
        P[rows] = 0.1 / n_classes + 0.9 * np.eye(n_classes, dtype=np.float32)[codes]
        proba[name] = P
    return proba
