"""Rows of a target that also occur in its source. The ready-made Reuters matrices have many, with other labels too."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .pools import Array
from .splits import Split


class Repeated(NamedTuple):
    """Per target row: whether the source has the same row, and whether one of these has another label."""

    in_source: Array
    other_label: Array


def find_repeated(counts: Any, split: Split) -> Repeated:
    """Compare the target rows with the source rows, word by word.

    Parameters
    ----------
    counts : sparse array of shape (n_documents, n_words)
        The documents of the pool.
    split : Split
        Source and target rows and their labels.

    Returns
    -------
    repeated : Repeated
        Two boolean arrays with one element per target row.
    """
    labels: dict[bytes, set[Any]] = {}
    for row, label in zip(split.source, split.ys, strict=True):
        labels.setdefault(_key(counts, row), set()).add(label)
    same = [labels.get(_key(counts, row), set()) for row in split.target]
    in_source = np.array([bool(found) for found in same])
    other = np.array([bool(found - {y}) for found, y in zip(same, split.yt, strict=True)])
    return Repeated(in_source, other)


def _key(counts: Any, row: int) -> bytes:
    """Words and counts of a row as bytes."""
    entries = slice(counts.indptr[row], counts.indptr[row + 1])
    order = np.argsort(counts.indices[entries])
    words, values = counts.indices[entries][order], counts.data[entries][order]
    return bytes(words[values != 0].tobytes() + values[values != 0].tobytes())
