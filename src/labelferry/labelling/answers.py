"""Answers: what people said about target documents, checked and put into the domains.

An answer is a class label, "none of these" (the document has a class that the source lacks) or "unclear".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..certificate.sampling import NO_CLASS, UNCLEAR
from ..core.domains import Domains
from ..core.labels import UNKNOWN
from ..linalg.matrix import Array
from .cells import Given, read_answer

__all__ = ["NO_CLASS", "UNCLEAR", "AnsweredRows", "read_answers", "with_answers"]


class AnsweredRows(NamedTuple):
    """Checked answers."""

    rows: Array  # of the target, increasing
    codes: Array  # of the classes; the number of classes for none of these, -1 for unclear

    def named(self, n_classes: int) -> Array:
        """True for the answers that name a class."""
        return np.asarray((self.codes >= 0) & (self.codes < n_classes))


def read_answers(answers: Any, classes: Array, n_documents: int) -> AnsweredRows:
    """Check answers.

    Parameters
    ----------
    answers : mapping of int to label, or sequence of labels
        Row of the target (from 0) to answer, or one entry per target row; None, NaN and "" mean no answer.
    classes : array
        The classes.
    n_documents : int
        Number of target rows.

    Returns
    -------
    answers : AnsweredRows
        Rows and codes.
    """
    if isinstance(answers, Mapping):
        pairs = list(answers.items())
    else:
        values = list(answers)
        if len(values) != n_documents:
            raise ValueError(
                f"answers must have one entry per target row, {n_documents}; got {len(values)}. Pass a mapping of row "
                "to answer for some rows."
            )
        pairs = list(enumerate(values))
    names = [str(label) for label in classes.tolist()]
    by_row: dict[int, Given] = {}
    for row, value in pairs:
        given = read_answer(value, names, f"the answer to row {row}")
        if given is not None:
            by_row[_row(row, n_documents)] = given
    rows = sorted(by_row)
    return AnsweredRows(
        np.array(rows, dtype=np.intp), np.array([by_row[row].code(names) for row in rows], dtype=np.intp)
    )


def with_answers(domains: Domains, answers: AnsweredRows) -> Domains:
    """The domains with the answers that name a class as labels of the target."""
    named = answers.named(domains.n_classes)
    rows, codes = domains.target_rows[answers.rows[named]], answers.codes[named]

    def labelled(target: Any) -> Any:
        inside = np.isin(rows, target.rows)
        known = np.full_like(target.codes, UNKNOWN)
        known[np.searchsorted(target.rows, rows[inside])] = codes[inside]
        return replace(target, codes=known)

    return replace(domains, domains=tuple(labelled(d) if d.is_target else d for d in domains))


def _row(row: Any, n_documents: int) -> int:
    if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < n_documents:
        raise ValueError(f"the rows of answers must be integers from 0 to {n_documents - 1}; got {row!r}.")
    return int(row)
