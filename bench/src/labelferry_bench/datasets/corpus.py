"""A corpus of texts, and counts of its documents."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import numpy as np


class Corpus(NamedTuple):
    """Texts with fields.

    Attributes
    ----------
    name : str
        Name of the corpus.
    texts : list of str
        The texts.
    fields : dict of str to array
        One array per field, one value per text.
    """

    name: str
    texts: list[str]
    fields: dict[str, np.ndarray]

    def select(self, rows: Any) -> Corpus:
        """Select texts.

        Parameters
        ----------
        rows : array of bool or of int
            A mask, or numbers of rows.

        Returns
        -------
        corpus : Corpus
            The texts of these rows, in this order.
        """
        rows = np.arange(len(self.texts))[rows]
        texts = [self.texts[row] for row in rows]
        return Corpus(self.name, texts, {name: values[rows] for name, values in self.fields.items()})


class Counts(NamedTuple):
    """Numbers of documents and, per kind of group such as "classes", of groups."""

    documents: int | None
    groups: dict[str, int]


def count_texts(corpus: Corpus, **fields: str) -> Counts:
    """Count the texts of a corpus and the different values of its fields.

    `**fields`: field per kind of group, such as `groups="group"`. The values of a field may be tuples.
    """
    return Counts(len(corpus.texts), {kind: len(different(corpus.fields[name])) for kind, name in fields.items()})


def different(values: np.ndarray) -> set[str]:
    """The different values of a field."""
    return set(chain.from_iterable(values) if values.dtype == object else values)
