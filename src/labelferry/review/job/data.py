"""The result of `label` as the content of a new store."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

import numpy as np

from ...ensemble.auto_transfer import AutoTransfer
from ...ensemble.queries import typical_documents
from ...ensemble.votes import voter_arrays
from ...labelling.accept_rank import file_confidence
from ...labelling.all_rows import unknown_reason
from ...labelling.held_out import rows_in_panel
from ...labelling.labelling import Labelling
from ...labelling.multi import MultiLabelling
from ...labelling.multi_pool import pools_of
from ...linalg.matrix import Array
from ..store.records import FitData, JobData
from .other_rows import by_language, other_rows_of

N_TYPICAL = 40  # documents in the queue "group"


def job_data(labelling: Labelling, seed: int | None = None) -> JobData:
    """Documents, labels and settings of a result; the seed of the random samples is drawn at random if None."""
    if labelling.answers is not None and len(labelling.answers.rows):
        raise ValueError(
            "a review job starts with labels that did not learn from answers. Store the result of label without "
            "answers, then add the answers to the job: labelferry accept JOB SAMPLE."
        )
    inputs = labelling.inputs
    classes = labelling.estimator.classes_
    text = inputs.columns.text_name  # a column, or no column if several are joined
    codes = np.searchsorted(classes, labelling.labels)
    seed = secrets.randbelow(2**31) if seed is None else seed
    arrays = {"group": typical_order(labelling, seed), "new": new_class_order(labelling.groups)}
    columns = inputs.target.columns
    return JobData(
        texts=inputs.texts,
        own={name: values for name, values in columns.items() if name != text},
        lines=list(inputs.target.lines),
        evidence=labelling.evidence,
        source_only=labelling.source_only,
        classes=classes.tolist(),
        fit=FitData(
            method=labelling.method,
            labels=codes,
            confidence=labelling.confidence,
            alternative=np.searchsorted(classes, labelling.alternative),
            needs_review=labelling.needs_review,
            accept_rank=labelling.accept_rank,
        ),
        **pool_arrays(labelling),
        settings={
            "file": inputs.target.name,
            "text": text,
            "columns": list(columns),
            "other_rows": other_rows_of(inputs),
            "without_label": {
                "documents": np.flatnonzero(~labelling.predicted).tolist(),
                "reason": unknown_reason(labelling),
            },
            "other_languages": by_language(labelling.other_language),
            "question_seed": seed,
            "settings": plain_settings(labelling.settings),
            "estimated_balanced_accuracy": labelling.assessment.balanced_accuracy.mean,
            "estimated_accuracy": labelling.estimated_accuracy["mean"],
            "voters": [voter.name for voter in labelling.votes.voters],
            "review_all": any(fact.review_all for fact in labelling.assessment.facts),
        },
        arrays=arrays,
    )


def several_data(result: MultiLabelling, seed: int | None = None) -> JobData:
    """As `job_data`, for several labels per document: the classes of the job are sets of labels."""
    rows, pools = result.inputs.documents.rows, pools_of(result)
    one, (classes, labels, source_only) = job_data(result.any_part.documents, seed), result.coded(rows)
    several = {"form": result.form.plain(), "learned": list(result.names), "panel": list(pools.panel)}
    sure = np.nan_to_num(file_confidence(result.confidence[rows]))
    rng, nothing = np.random.default_rng(one.settings["question_seed"]), np.zeros(0, dtype=np.int64)
    return replace(
        one,
        evidence=result.words(rows),
        source_only=source_only,
        classes=classes,
        fit=FitData(
            method=one.fit.method,
            labels=labels,
            confidence=sure,
            alternative=labels,
            needs_review=result.needs_review[rows],
            accept_rank=result.accept_rank[rows],
            proba=np.nan_to_num(file_confidence(result.proba[rows])),
        ),
        members=pools.members,
        pool={"rows": pools.rows, "start": pools.start, "coordinates": pools.coordinates},
        settings={**one.settings, "several": several, "estimated_accuracy": float(sure[pools.rows].mean())},
        arrays={"group": pools.rows[typical_documents(pools.coordinates, N_TYPICAL, nothing, rng)], "new": nothing},
    )


def plain_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that JSON can contain."""
    return {name: value for name, value in settings.items() if isinstance(value, str | int | float | bool | None)}


def typical_order(labelling: Labelling, seed: int) -> Array:
    """Typical documents of groups, the largest groups first; none if the method cannot learn from answers."""
    if not isinstance(labelling.estimator, AutoTransfer):
        return np.zeros(0, dtype=np.int64)
    coordinates, excluded = labelling.estimator.pool_inputs_.coordinates, np.zeros(0, dtype=np.int64)
    typical = typical_documents(coordinates, N_TYPICAL, excluded, np.random.default_rng(seed))
    return rows_in_panel(labelling).rows[typical]


def pool_arrays(labelling: Labelling) -> dict[str, dict[str, Array]]:
    """What is needed to learn from answers: the members' probabilities, and `pool`; empty for a single method."""
    if not isinstance(labelling.estimator, AutoTransfer):
        return {"members": {}, "pool": {}}
    inputs = labelling.estimator.pool_inputs_
    pool = {"rows": rows_in_panel(labelling).rows, "start": inputs.start, "coordinates": inputs.coordinates}
    if inputs.unlimited is not None:
        pool["unlimited"] = inputs.unlimited
    return {"members": inputs.members, "pool": {**pool, **voter_arrays(inputs.voters)}}


def new_class_order(groups: Array | None) -> Array:
    """Documents that no class explains, one of each group in turn; `groups` is -1 for documents that a class explains.

    >>> new_class_order(np.array([0, -1, 0, 1])).tolist()
    [0, 3, 2]
    """
    if groups is None:
        return np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero(groups >= 0)
    rank = np.array([np.count_nonzero(groups[:row] == groups[row]) for row in rows.tolist()], dtype=np.int64)
    return np.asarray(rows[np.lexsort((groups[rows], rank))])
