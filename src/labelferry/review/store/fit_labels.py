"""Labels and confidences of a fit as arrays in memory, to filter and sort lists of documents with numpy."""

from __future__ import annotations

import numpy as np

from .records import Array

SORTS = ("number", "confidence", "-confidence")


class FitLabels:
    """Labels of the fit with this number, ready to be filtered and sorted.

    Its arrays are `labels`, `confidence`, `alternative`, `needs_review`, and `held_out/...` of an earlier answer.
    """

    def __init__(self, fit: int, arrays: dict[str, Array]) -> None:
        self.fit, self.arrays = fit, arrays
        rising = np.argsort(arrays["confidence"], kind="stable")
        self._orders = {"number": np.arange(len(rising)), "confidence": rising, "-confidence": rising[::-1]}

    def select(
        self,
        *,
        found: Array | None,
        label: int | None,
        needs_review: bool | None,
        answered: tuple[Array, bool] | None,
        sort: str,
    ) -> Array:
        """Numbers of the documents that pass all filters, in order; `found` and `answered` are numbers of documents."""
        if sort not in self._orders:
            raise ValueError(f"sort must be one of {', '.join(SORTS)}; got {sort!r}.")
        order = self._orders[sort]
        passes = np.ones(len(order), dtype=bool)
        if label is not None:
            passes &= self.arrays["labels"] == label
        if needs_review is not None:
            passes &= self.arrays["needs_review"] == needs_review
        if answered is not None:
            numbers, wanted = answered
            has_answer = np.zeros(len(order), dtype=bool)
            has_answer[numbers] = True
            passes &= has_answer == wanted
        if found is not None:
            is_found = np.zeros(len(order), dtype=bool)
            is_found[found] = True
            passes &= is_found
        return np.asarray(order[passes[order]])
