"""What a loader of texts returns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Corpus(NamedTuple):
    """Texts, and what is known of each: `fields` has one array a field, with one value a text."""

    name: str
    texts: list[str]
    fields: dict[str, np.ndarray]

    def select(self, rows: Any) -> Corpus:
        """The texts of these rows, a mask or row numbers, in the order given."""
        rows = np.arange(len(self.texts))[rows]
        texts = [self.texts[row] for row in rows]
        return Corpus(self.name, texts, {name: values[rows] for name, values in self.fields.items()})
