"""New labels for a job with several labels per document: each label learns from yes and no in the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...labelling.multi import SetColumns, least_confident
from ...labelling.multi_pool import LabelPools, learn_labels
from ...linalg.matrix import Array
from ..store.records import FitData, Several

METHOD = "learned from answers"


def learn_sets(
    pools: LabelPools,
    several: Several,
    classes: Sequence[str],
    codes: Mapping[int, int],
    first: Mapping[str, Array],
    settings: Mapping[str, Any],
    marked: Array,
) -> tuple[FitData, list[str]]:
    """Labels of all documents that have learned from answers (`codes` of `classes`), and all classes with new ones.

    Held-out labels are those of fits without the answer. Documents outside the pools keep the labels of the `first`
    fit; the `marked` ones need review, unless they have an answer.
    """
    indicator = SetColumns(several.form, several.learned, pools.start).indicator(classes)
    answered = np.array(sorted(codes), dtype=np.int64)
    answers = np.array([codes[row] for row in answered.tolist()], dtype=np.int64)
    inside = np.isin(answered, pools.rows)
    positions = np.searchsorted(pools.rows, answered[inside])
    learned = learn_labels(pools, positions, indicator[answers[inside]])
    proba = np.asarray(first["proba"], dtype=np.float64).copy()
    proba[pools.rows] = learned.proba
    held = proba[answered]
    held[inside] = learned.held_out
    proba[answered] = indicator[answers]
    known = {text: code for code, text in enumerate(classes)}

    def codes_of(P: Array) -> Array:
        names = np.array(several.learned)
        texts = [several.form.text(set(names[row].tolist())) for row in P > 0.5]
        return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)

    labels, held_labels = first["labels"].astype(np.int64), codes_of(held)
    labels[pools.rows] = codes_of(proba[pools.rows])
    labels[answered] = answers
    confidence, held_sure = (np.prod(np.maximum(P, 1 - P), axis=1) for P in (proba, held))
    review = np.ones(len(labels), dtype=bool)  # documents outside the pools stay marked
    review[pools.rows] = least_confident(confidence[pools.rows], {"min_confidence": None, **settings})
    limit = confidence[pools.rows][~review[pools.rows]].min(initial=1.0)
    review[marked], review[answered] = True, False
    held_out = {"rows": answered, "labels": held_labels, "needs_review": held_sure < limit}
    return FitData(METHOD, labels, confidence, labels, review, held_out=held_out, proba=proba), list(known)
