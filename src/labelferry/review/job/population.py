"""The documents of a job with a predicted label, as a population that samples are drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...labelling.accept_rank import file_confidence, rank_by
from ...linalg.matrix import Array
from ...tables.row_index import RowIndex
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.population import Population, Ranking
from .other_rows import document_rows, labelled_documents
from .state import JobState, among


def population_of_store(store: storage.Store, state: JobState, labelled: RowIndex) -> Population:
    """The population of a job: its `labelled` documents. Texts and columns are read one by one."""
    arrays, known = state.fit.arrays, among(labelled, state.seen)
    confidence = np.clip(arrays["confidence"][labelled.rows], 0, 1)
    return Population(
        store.name,
        DocumentColumn(store, labelled.rows),
        document_rows(store.n_documents, store.settings.get("other_rows", {})).then(labelled.rows),
        arrays["labels"][labelled.rows],
        store.fits.source_only[labelled.rows],
        arrays["needs_review"][labelled.rows],
        None if len(known.rows) else confidence,
        store.classes,
        known,
        store.settings["text"],
        {name: DocumentColumn(store, labelled.rows, name) for name in store.settings["own"]},
        ranking=Ranking(ranks_of(store, arrays)[labelled.rows], file_confidence(confidence)),
    )


def ranks_of(store: storage.Store, arrays: Mapping[str, Array]) -> Array:
    """The ranks of the labels of a fit; by confidence in a job of an earlier version."""
    if "accept_rank" in arrays:
        return arrays["accept_rank"]
    return rank_by(file_confidence(arrays["confidence"]), is_labelled(store))


def is_labelled(store: storage.Store) -> Array:
    """True for the documents with a predicted label."""
    mask = np.zeros(store.n_documents, dtype=bool)
    mask[labelled_documents(store).rows] = True
    return mask


class DocumentColumn(Sequence[Any]):
    """The texts of a job or one of its columns, read when they are needed."""

    def __init__(self, store: storage.Store, numbers: Array, name: str | None = None) -> None:
        self._store, self._numbers, self._name = store, numbers, name

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, position: Any) -> Any:
        document = self._store.documents.one(int(self._numbers[position]))
        return document.text if self._name is None else document.own[self._name]
