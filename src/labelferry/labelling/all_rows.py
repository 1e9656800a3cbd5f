"""A result for every row of the target, also those that could not be labelled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..assessment.new_classes import NOT_MARKED
from ..core.labels import as_labels
from ..inputs.rows import NO_FEATURES, NO_KNOWN_WORD
from .answers import AnsweredRows
from .evidence import WordLists
from .labelling import Labelling


def with_reasons(documents: Labelling) -> Labelling:
    """The result with a reason for each document without a known word: its label is not shown and not counted."""
    unknown, reason = documents.estimator.transduction_empty_.copy(), unknown_reason(documents)
    if documents.answers is not None:  # somebody named their class
        unknown[documents.answers.rows[documents.answers.named(len(documents.estimator.classes_))]] = False
    return replace(documents, reasons=[reason if is_unknown else "" for is_unknown in unknown.tolist()])


def with_all_rows(documents: Labelling, answers: AnsweredRows) -> Labelling:
    """The result of `with_reasons` with one entry per row of the target."""
    # Rows without a text or without a known word have no label and a reason. Rows of a half-labelled file that have a
    # label keep it. An answer to such a row replaces its label and its reason; nothing is learned from it.
    inputs, classes = documents.inputs, documents.estimator.classes_
    index, used = inputs.documents, np.flatnonzero(documents.predicted)
    if index.is_all and len(used) == len(index):
        return documents
    predicted = index.then(used)
    reasons = index.widen(documents.reasons, "")
    for row, reason in inputs.reasons.items():
        reasons[row] = reason
    labels = predicted.widen(documents.labels[used].tolist())
    confidence = predicted.widen_array(documents.confidence[used], np.nan)
    review = predicted.widen_array(documents.needs_review[used], True)
    given = np.zeros(index.n_rows, dtype=bool)
    if inputs.is_half_labelled:
        given[list(inputs.own_labels)] = True
        review[given] = False
        for row, label in inputs.own_labels.items():
            labels[row] = label
    named, names = answers.named(len(classes)), classes.tolist()
    for row, code in zip(answers.rows[named].tolist(), answers.codes[named].tolist(), strict=True):
        labels[row], confidence[row], review[row], reasons[row] = names[code], 1, False, ""
    lists = documents.evidence
    if isinstance(lists, WordLists):
        lists = lists.widen(used, predicted)
    else:
        lists = [words or [] for words in predicted.widen([lists[i] for i in used.tolist()])]
    others = ~index.contains(answers.rows)
    given[answers.rows[others & named]] = True
    review[answers.rows[others & (answers.codes == len(classes))]] = True
    return replace(
        documents,
        labels=as_labels(labels, classes),
        confidence=confidence,
        alternative=as_labels(predicted.widen(documents.alternative[used].tolist()), classes),
        evidence=lists,
        needs_review=review,
        other_language=index.widen(documents.other_language, ""),
        groups=predicted.widen_array(documents.groups[used], NOT_MARKED),
        answers=None if documents.answers is None else answers,
        reasons=reasons,
        given=given,
        accept_rank=index.widen_array(documents.accept_rank, 0),
        of_documents=documents,
    )


def unknown_reason(documents: Labelling) -> str:
    """Why a document without a known word has no label."""
    return NO_KNOWN_WORD if documents.features.vectorizer is not None else NO_FEATURES
