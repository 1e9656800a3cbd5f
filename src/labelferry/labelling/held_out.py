"""Labels of answered rows by fits that did not learn from their answers, for a result of `label`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..ensemble.auto_transfer import AutoTransfer
from ..ensemble.labelled_pool import held_out
from ..linalg.matrix import Array

if TYPE_CHECKING:
    from .labelling import Labelling


def rows_in_panel(labelling: Labelling) -> Array:
    """The documents that the panel has labelled: those with words."""
    in_fit = getattr(labelling.estimator, "in_fit_", None)
    return np.arange(len(labelling.labels)) if in_fit is None else np.flatnonzero(in_fit)


def held_out_codes(result: Labelling) -> tuple[Array, Array | None]:
    """The rows whose answers were learned from, and their codes by fits without them; None if there are no such fits.

    Parameters
    ----------
    result : Labelling
        Labels, with or without answers.

    Returns
    -------
    rows : array of int
        Target rows with an answer that names a class.
    codes : array of int or None
        Their class codes. A document without words has the most frequent class of the sources.
    """
    n_classes = len(result.estimator.classes_)
    if result.answers is None or not result.answers.named(n_classes).any():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    named = result.answers.named(n_classes)
    rows, codes = result.answers.rows[named], result.answers.codes[named]
    if not isinstance(result.estimator, AutoTransfer):
        return rows, None
    in_panel = rows_in_panel(result)
    inside = np.isin(rows, in_panel)
    frequent = np.bincount(result._domains.labelled()[1], minlength=n_classes).argmax()
    without = np.full(len(rows), frequent)
    positions = np.searchsorted(in_panel, rows[inside])
    without[inside] = held_out(result.estimator.pool_inputs_, positions, codes[inside]).argmax(axis=1)
    return rows, without


def learned_message(result: Labelling) -> list[str]:
    """How many answers were learned from, and how many of them the other answers predict."""
    rows, codes = held_out_codes(result)
    if result.answers is None or not len(rows):
        return []
    if codes is None:
        return [f"learned from {len(rows)} answers"]
    named = result.answers.named(len(result.estimator.classes_))
    n_correct = int((codes == result.answers.codes[named]).sum())
    return [f"learned from {len(rows)} answers; {n_correct} of them are predicted correctly by fits without them"]
