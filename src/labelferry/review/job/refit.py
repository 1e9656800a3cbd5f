"""New labels for a job: the members' probabilities, which are in the store, learn from the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from ...assessment.confidence import needs_review
from ...certificate.sampling import LABEL
from ...ensemble.labelled_pool import PoolInputs, fit_pool, held_out, pool_labels
from ...linalg.matrix import Array
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..store.records import FIRST_FIT, FitData
from .other_rows import kept_languages
from .state import JobState

METHOD = "learned from answers"
MAX_SHIFT = 10.0  # of log-odds
LEAST = 1e-4  # probability that is not shifted to 0


def refit(store: storage.Store, state: JobState, new_class_rows: Array) -> dict[str, Any]:
    """Learn from the answers of a job, and make the result its current labels; returns what `Job.refit` returns."""
    pool = store.database.arrays("pool")
    if "start" not in pool:
        raise ValueError(
            f"this job was labelled by {store.fits.all()[0].method} alone, which cannot learn from answers. Label with "
            "method 'auto' (--method auto) and start a new job."
        )
    answers = {document: row for document, row in state.decided.items() if row is not None and row.kind == LABEL}
    if not answers:
        raise ValueError("there is no answer that names a class, so nothing can be learned. Answer questions first.")
    inputs = PoolInputs(pool["start"], store.database.arrays("members"), pool["coordinates"])
    codes = {document: store.classes.index(str(row.answer)) for document, row in answers.items()}
    marked = np.union1d(new_class_rows, np.array(list(kept_languages(store)), dtype=np.int64))
    if store.settings.get("review_all", False):
        marked = np.arange(store.n_documents)
    fit = learn(inputs, pool["rows"], codes, store.fits.arrays(FIRST_FIT), store.settings["settings"], marked)
    summary = summarize(state.fit.arrays, fit, codes)
    held_out_arrays = {**fit.held_out, "seen": np.array(sorted(state.codes), dtype=np.int64)}
    fit = replace(fit, answers=[row.id for row in answers.values()], summary=summary, held_out=held_out_arrays)
    return {"fit": store.fits.add(fit), **summary}


def learn(
    inputs: PoolInputs,
    in_panel: Array,
    codes: dict[int, int],
    first: dict[str, Array],
    settings: dict[str, Any],
    marked: Array,
) -> FitData:
    """Labels of all documents that have learned from answers (`codes`), and held-out labels of the answered ones.

    Documents outside the panel keep the labels of the `first` fit. The `marked` ones need review whatever their
    confidence, unless an answer names their class.
    """
    position = np.full(len(first["labels"]), -1)
    position[in_panel] = np.arange(len(in_panel))
    known = np.array(sorted(codes), dtype=np.int64)
    classes = np.array([codes[row] for row in known.tolist()], dtype=np.int64)
    inside = position[known] >= 0
    rows, learned = position[known[inside]], classes[inside]
    P = pool_labels(inputs, fit_pool(inputs, rows, learned), rows, learned)
    H = held_out(inputs, rows, learned)
    order = np.argsort(-P, axis=1, kind="stable")
    labels, alternative, confidence = (first[name].copy() for name in ("labels", "alternative", "confidence"))
    labels[in_panel], alternative[in_panel], confidence[in_panel] = order[:, 0], order[:, 1], P.max(axis=1)
    held_labels, held_confidence = labels[known], confidence[known]
    held_labels[inside], held_confidence[inside] = H.argmax(axis=1), H.max(axis=1)
    shift = confidence_shift(held_confidence, held_labels == classes)
    confidence, held_confidence = shifted(confidence, shift), shifted(held_confidence, shift)
    swap = alternative[known] == classes
    alternative[known] = np.where(swap, labels[known], alternative[known])
    labels[known], confidence[known] = classes, 1.0
    minimum = settings.get("min_confidence")
    review = needs_review(confidence, settings["target_error"]) if minimum is None else confidence < minimum
    outside = np.setdiff1d(np.arange(len(labels)), in_panel)
    review[outside] = True
    review[marked] = True
    review[known] = False
    limit = minimum if minimum is not None else confidence[~review].min(initial=1.0)
    held = {"rows": known, "labels": held_labels, "needs_review": held_confidence < limit}
    return FitData(METHOD, labels, confidence, alternative, review, held_out=held)


def confidence_shift(confidence: Array, correct: Array) -> float:
    """The shift of the log-odds that fits the answered documents best, drawn to 0 by one answer's weight.

    min over c:  - sum_i log P(correct_i | expit(logit(confidence_i) + c)) + c^2 / 2

    >>> confidence_shift(np.full(50, 0.99), np.arange(50) < 25) < -3
    True
    """

    def loss(c: float) -> float:
        p = shifted(confidence, c)
        return float(0.5 * c * c - np.log(np.where(correct, p, 1 - p)).sum())

    return float(minimize_scalar(loss, bounds=(-MAX_SHIFT, MAX_SHIFT), method="bounded").x)


def shifted(confidence: Array, shift: float) -> Array:
    """Probabilities with shifted log-odds."""
    p: Array = expit(logit(np.clip(confidence, LEAST, 1 - LEAST)) + shift)
    return p


def summarize(before: Mapping[str, Array], fit: FitData, codes: dict[int, int]) -> dict[str, Any]:
    """What changed, and the accuracy on the answered documents by fits that did not learn from them."""
    known = fit.held_out["rows"]
    truth = np.array([codes[row] for row in known.tolist()])
    n_before, n_after = (
        int((labels == truth).sum()) for labels in (not_learned(before)[0][known], fit.held_out["labels"])
    )
    warning = (
        f"The new labels may be worse: {n_after} of {len(known)} answered documents are predicted correctly without "
        f"their answer, {n_before} with the labels before. Answer more questions of the random sample and learn again."
    )
    return {
        "answers": len(known),
        "changed": int((before["labels"] != fit.labels).sum()),
        "accuracy_before": n_before / len(known),
        "accuracy_after": n_after / len(known),
        "warning": warning if n_after < n_before else "",
    }


def not_learned(arrays: Mapping[str, Array]) -> tuple[Array, Array]:
    """Labels and review marks in which no document has learned from its own answer."""
    labels, review = arrays["labels"].copy(), arrays["needs_review"].copy()
    if "held_out/rows" in arrays:
        rows = arrays["held_out/rows"]
        labels[rows], review[rows] = arrays["held_out/labels"], arrays["held_out/needs_review"]
    return labels, review
