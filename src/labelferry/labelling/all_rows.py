"""A result for every row of the target, also those that could not be labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..inputs.rows import NO_FEATURES, NO_KNOWN_WORD
from ..linalg.matrix import Array
from .answers import AnsweredRows
from .evidence import WordLists
from .labelling import Labelling


def spread(values: Sequence[Any], rows: Sequence[int], n_rows: int, fill: Any = None) -> list[Any]:
    """Values of some rows as values of all rows.

    Parameters
    ----------
    values : sequence
        One value per entry of `rows`.
    rows : sequence of int
        Positions of the values.
    n_rows : int
        Number of all rows.
    fill : object, default=None
        Value of the other rows.

    Returns
    -------
    spread : list
        One value per row.

    Examples
    --------
    >>> spread(["a", "b"], [0, 2], 3)
    ['a', None, 'b']
    """
    all_values = [fill] * n_rows
    for row, value in zip(rows, values, strict=True):
        all_values[row] = value
    return all_values


def with_reasons(documents: Labelling) -> Labelling:
    """The result with a reason for each document without a known word: its label is not shown and not counted."""
    unknown, reason = without_known_words(documents), unknown_reason(documents)
    return replace(documents, reasons=[reason if is_unknown else "" for is_unknown in unknown.tolist()])


def with_all_rows(documents: Labelling, answers: AnsweredRows) -> Labelling:
    """The result with one entry per row of the target.

    Parameters
    ----------
    documents : Labelling
        Labels of the documents: the rows of the target that have a text; after `with_reasons`.
    answers : AnsweredRows
        Answers to rows of the target, also to rows without a text.

    Returns
    -------
    result : Labelling
        Rows without a text or without a known word have no label and a reason. Rows of a half-labelled file that have a
        label keep it. An answer to such a row replaces its label and its reason; nothing is learned from it.
    """
    inputs, classes = documents.inputs, documents.estimator.classes_
    n_rows, kept = len(inputs.all_rows), inputs.new_rows
    unknown = ~documents.predicted
    if len(kept) == n_rows and not unknown.any():
        return documents
    used = np.flatnonzero(~unknown)
    rows = kept[used]
    reasons = [""] * n_rows
    for row, reason in inputs.reasons.items():
        reasons[row] = reason
    for row, reason in zip(kept.tolist(), documents.reasons, strict=True):
        reasons[row] = reason
    given = np.zeros(n_rows, dtype=bool)
    labels = spread(documents.labels[used].tolist(), rows.tolist(), n_rows)
    confidence, review = np.full(n_rows, np.nan), np.ones(n_rows, dtype=bool)
    confidence[rows], review[rows] = documents.confidence[used], documents.needs_review[used]
    if inputs.is_half_labelled:
        given[list(inputs.own_labels)] = True
        review[given] = False
        for row, label in inputs.own_labels.items():
            labels[row] = label
    named = answers.named(len(classes))
    for row, code in zip(answers.rows[named].tolist(), answers.codes[named].tolist(), strict=True):
        labels[row], confidence[row], review[row], reasons[row] = classes.tolist()[code], 1, False, ""
    others = ~np.isin(answers.rows, kept)
    given[answers.rows[others & named]] = True
    review[answers.rows[others & (answers.codes == len(classes))]] = True
    groups = np.full(n_rows, -1)
    groups[rows] = documents.groups[used]
    return replace(
        documents,
        labels=as_labels(labels, classes),
        confidence=confidence,
        alternative=as_labels(spread(documents.alternative[used].tolist(), rows.tolist(), n_rows), classes),
        evidence=spread_lists(documents.evidence, used, rows, n_rows),
        needs_review=review,
        other_language=spread(documents.other_language, kept.tolist(), n_rows, ""),
        groups=groups,
        answers=None if documents.answers is None else answers,
        reasons=reasons,
        given=given,
        of_documents=documents,
    )


def spread_lists(lists: Sequence[list[str]], used: Array, rows: Array, n_rows: int) -> Sequence[list[str]]:
    """The lists of the `used` documents at these rows; empty ones elsewhere."""
    if isinstance(lists, WordLists):
        return lists.spread(used, rows, n_rows)
    return [words or [] for words in spread([lists[i] for i in used], rows.tolist(), n_rows)]


def without_known_words(documents: Labelling) -> Array:
    """True for documents without a known word whose class nobody answered."""
    unknown: Array = documents.estimator.transduction_empty_.copy()
    if documents.answers is not None:
        named = documents.answers.named(len(documents.estimator.classes_))
        unknown[documents.answers.rows[named]] = False
    return unknown


def unknown_reason(documents: Labelling) -> str:
    """Why the documents of `without_known_words` have no label."""
    return NO_KNOWN_WORD if documents.features.vectorizer is not None else NO_FEATURES


def as_labels(labels: list[Any], classes: Array) -> Array:
    """Labels as an array of the type of the classes; of objects if some are missing."""
    return np.array(labels, dtype=object if any(label is None for label in labels) else classes.dtype)
