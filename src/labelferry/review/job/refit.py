"""New labels for a job: the members' probabilities, which are in the store, learn from the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...assessment.confidence import needs_review
from ...certificate import Certificate
from ...certificate.sampling import LABEL
from ...ensemble.after_answers import after_answers
from ...ensemble.labelled_pool import PoolInputs
from ...ensemble.votes import Voter, check_voter, voters_of
from ...labelling.accept_rank import file_confidence, rank_by, rank_pool
from ...labelling.multi_pool import LabelPools
from ...linalg.matrix import Array
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.several import MultiCertificate
from ..store.records import FIRST_FIT, FitData
from .carried import Carried
from .other_rows import kept_languages
from .population import is_labelled
from .refit_sets import METHOD, learn_sets
from .state import JobState


def refit(
    store: storage.Store,
    state: JobState,
    new_class_rows: Array,
    carried: Carried,
    before: Certificate | MultiCertificate,
    *,
    everything: bool = False,
) -> dict[str, Any]:
    """Learn from the answers of a job, and make the result its current labels; returns what `Job.refit` returns.

    `before`: the certificate of the labels that are replaced, which stays with the new ones.
    """
    pool, members = store.pool()
    if "start" not in pool:
        raise ValueError(
            f"this job was labelled by {store.fits.all()[0].method} alone, which cannot learn from answers. Label with "
            "method 'auto' (--method auto) and start a new job."
        )
    answers = {document: row for document, row in state.decided.items() if row is not None and row.kind == LABEL}
    if not answers:
        raise ValueError("there is no answer that names a class, so nothing can be learned. Answer questions first.")
    codes = {document: code for document, code in state.codes.items() if code >= 0}
    named = {document: code for document, code in codes.items() if document in answers}
    stored = store.settings
    marked = np.union1d(new_class_rows, np.array(list(kept_languages(store)), dtype=np.int64))
    if stored.get("review_all", False):
        marked = np.arange(store.n_documents)
    settings = {**stored["settings"], "estimated_balanced_accuracy": stored.get("estimated_balanced_accuracy")}
    several, first = store.database.several, store.fits.arrays(FIRST_FIT)
    sets: dict[str, Any] = {}
    if several is not None:
        pools = LabelPools(pool["rows"], pool["start"], members, several.panel, pool["coordinates"])
        fit, classes = learn_sets(pools, several, state.classes, named, first, settings, marked)
        fit = replace(fit, accept_rank=rank_by(file_confidence(fit.confidence), is_labelled(store)))
        sets = {"sets": classes[len(store.classes) :], "after": state.fit.fit}
    else:
        inputs = stored_inputs(store)
        fit = learn(inputs, pool["rows"], codes, first, settings, marked)
        fit = replace(fit, accept_rank=ranks_after(inputs, pool["rows"], codes, store))
    accepted = carried.documents
    n_accepted = 0 if accepted is None else int(accepted.sum())
    if everything:
        carried = carried._replace(parts=())
    elif accepted is not None:
        fit = keep_accepted(fit, state.fit.arrays, accepted, np.array(list(named), dtype=np.int64))
    kept = 0 if everything else n_accepted
    summary = summarize(state.fit.arrays, fit, named) | {"kept": kept, "withdrawn": n_accepted - kept}
    summary |= {**carried.summary(), **sets}
    if before.n_answers:
        kept_of = before.as_dict()
        summary["certificate_before"] = {name: kept_of[name] for name in ("accuracy", "level", "n_answers")}
    fit = replace(fit, accepted=carried.arrays())
    held_out_arrays = {**fit.held_out, "seen": np.array(sorted(state.codes), dtype=np.int64)}
    fit = replace(fit, answers=[row.id for row in answers.values()], summary=summary, held_out=held_out_arrays)
    return {"fit": store.fits.add(fit), **summary}


def stored_inputs(store: storage.Store) -> PoolInputs:
    """What labels learn from answers with."""
    pool, members = store.pool()
    voters = stored_voters(pool, store)
    return PoolInputs(pool["start"], members, pool["coordinates"], voters, pool.get("unlimited"))


def stored_voters(pool: Mapping[str, Array], store: storage.Store) -> tuple[Voter, ...]:
    """The votes of a job; an error if another program changed them."""
    names = store.settings.get("voters", [])  # jobs of earlier versions have none
    try:
        voters = voters_of(pool, [str(name) for name in names])
        for voter in voters:
            check_voter(voter, *pool["start"].shape)
    except (KeyError, IndexError, TypeError, ValueError):
        raise ValueError(
            f"{store.name} is damaged or was changed by another program: its votes have a wrong shape or type. Restore "
            "it from a copy."
        ) from None
    return voters


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
    confidence, unless an answer names their class. The code of "none of these" is the number of classes.
    """
    position = np.full(len(first["labels"]), -1)
    position[in_panel] = np.arange(len(in_panel))
    answered = np.array(sorted(codes), dtype=np.int64)
    answers = np.array([codes[row] for row in answered.tolist()], dtype=np.int64)
    inside, named = position[answered] >= 0, answers < inputs.n_classes
    before = settings.get("estimated_balanced_accuracy")  # jobs of earlier versions do not have it
    learned = after_answers(inputs, position[answered[inside]], answers[inside], before)
    found, order = learned.found, np.argsort(-learned.pooled, axis=1, kind="stable")
    labels, alternative, confidence = (first[name].copy() for name in ("labels", "alternative", "confidence"))
    labels[in_panel], alternative[in_panel], confidence[in_panel] = order[:, 0], order[:, 1], found.confidence
    held_labels, held_cautious, held_confidence = labels[answered], confidence[answered], confidence[answered]
    held_labels[inside], held_cautious[inside] = learned.held_out_labels, found.held_out_cautious
    held_confidence[inside] = found.held_out.max(axis=1)
    known, classes = answered[named], answers[named]
    swap = alternative[known] == classes
    alternative[known] = np.where(swap, labels[known], alternative[known])
    labels[known], confidence[known] = classes, 1.0
    minimum = settings.get("min_confidence")
    review = np.ones(len(labels), dtype=bool)  # documents outside the panel stay marked
    review[in_panel] = (
        needs_review(found.cautious, settings["target_error"]) if minimum is None else found.confidence < minimum
    )
    limit = found.cautious[~review[in_panel]].min(initial=1.0)
    held_review = held_cautious < limit if minimum is None else held_confidence < minimum
    review[marked] = True
    review[answered] = ~named
    held = {"rows": known, "labels": held_labels[named], "needs_review": held_review[named]}
    return FitData(METHOD, labels, confidence, alternative, review, held_out=held)


def keep_accepted(fit: FitData, before: Mapping[str, Array], accepted: Array, answered: Array) -> FitData:
    """The fit with the earlier labels of the documents that are accepted, unless people named their class."""
    rows = accepted.copy()
    rows[answered] = False
    return replace(
        fit,
        labels=np.where(rows, before["labels"], fit.labels),
        confidence=np.where(rows, before["confidence"], fit.confidence),
        alternative=np.where(rows, before["alternative"], fit.alternative),
        needs_review=np.where(rows, before["needs_review"], fit.needs_review),
        proba=None if fit.proba is None else np.where(rows[:, None], before["proba"], fit.proba),
    )


def ranks_after(inputs: PoolInputs, in_panel: Array, codes: Mapping[int, int], store: storage.Store) -> Array:
    """The ranks of the labels that learned from these answers."""
    answered = np.array(sorted(codes), dtype=np.int64)
    inside = answered[np.isin(answered, in_panel)]
    positions = np.searchsorted(in_panel, inside)
    answers = np.array([codes[row] for row in inside.tolist()], dtype=np.int64)
    return rank_pool(inputs, in_panel, positions, answers, is_labelled(store))


def summarize(before: Mapping[str, Array], fit: FitData, codes: dict[int, int]) -> dict[str, Any]:
    """What changed, and the accuracy on the answered documents by fits that did not learn from them."""
    known = fit.held_out["rows"]
    truth = np.array([codes[row] for row in known.tolist()])
    was, is_now = (labels == truth for labels in (not_learned(before)[0][known], fit.held_out["labels"]))
    n_before, n_after, n_changed = int(was.sum()), int(is_now.sum()), int((was != is_now).sum())
    warning = (
        f"The new labels may be worse: {n_after} of {len(known)} answered documents are predicted correctly without "
        f"their answer, {n_before} with the labels before. Answer more questions of the random sample and learn again."
    )
    return {
        "answers": len(known),
        "changed": int((before["labels"] != fit.labels).sum()),
        "accuracy_before": n_before / len(known),
        "accuracy_after": n_after / len(known),
        "warning": warning if n_before - n_after > n_changed**0.5 else "",  # one document more or less is chance
    }


def not_learned(arrays: Mapping[str, Array]) -> tuple[Array, Array]:
    """Labels and review marks in which no document has learned from its own answer."""
    labels, review = arrays["labels"].copy(), arrays["needs_review"].copy()
    if "held_out/rows" in arrays:
        rows = arrays["held_out/rows"]
        labels[rows], review[rows] = arrays["held_out/labels"], arrays["held_out/needs_review"]
    return labels, review
