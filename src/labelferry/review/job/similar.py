"""Documents that are like another one, so that one answer can be given to several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...linalg.matrix import Array

N_SIMILAR = 20
LEAST = 0.7  # cosine


class Places(NamedTuple):
    """Where documents are among the others."""

    documents: Array  # their numbers
    coordinates: Array  # documents x coordinates, of length 1; no document has a place in a job of a single method


def places_of(pool: Mapping[str, Array]) -> Places:
    """The coordinates that the labels learn with; `pool`: what a job needs to learn."""
    if "coordinates" not in pool:
        return Places(np.zeros(0, dtype=np.int64), np.zeros((0, 0)))
    C = pool["coordinates"]
    return Places(pool["rows"], C / np.maximum(np.linalg.norm(C, axis=1, keepdims=True), 1e-12))


def similar(places: Places, document: int) -> list[int]:
    """Numbers of the documents nearest to one, the nearest first; no label and no answer is used."""
    (found,) = np.nonzero(places.documents == document)
    if not len(found):
        return []
    cosine = places.coordinates @ places.coordinates[found[0]]
    cosine[found[0]] = 0
    near = np.flatnonzero(cosine >= LEAST)
    order = near[np.argsort(-cosine[near], kind="stable")][:N_SIMILAR]
    return [int(number) for number in places.documents[order]]
