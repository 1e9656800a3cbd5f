"""The documents of a job with their current labels, as a population that samples are drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...labelling.accept_rank import file_confidence, rank_by
from ...linalg.matrix import Array
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.population import Population, Ranking
from .other_rows import document_rows
from .state import JobState


def population_of_store(store: storage.Store, state: JobState) -> Population:
    """The population of a job; texts and columns are read one by one."""
    arrays = state.fit.arrays
    confidence = file_confidence(np.clip(arrays["confidence"], 0, 1))
    return Population(
        store.name,
        DocumentColumn(store),
        document_rows(store.n_documents, store.settings.get("other_rows", {})),
        arrays["labels"],
        store.fits.source_only,
        arrays["needs_review"],
        None,
        store.classes,
        state.seen,
        store.settings["text"],
        {name: DocumentColumn(store, name) for name in store.settings["own"]},
        ranking=Ranking(ranks_of(store, arrays), confidence),
    )


def ranks_of(store: storage.Store, arrays: Mapping[str, Array]) -> Array:
    """The ranks of the labels of a fit; by confidence in a job of an earlier version."""
    if "accept_rank" in arrays:
        return arrays["accept_rank"]
    return rank_by(file_confidence(arrays["confidence"]), with_label(store))


def with_label(store: storage.Store) -> Array:
    """True for the documents that have a predicted label: those with a known word."""
    without = store.settings.get("without_label") or {}
    try:
        rows = np.array([int(number) for number in without.get("documents", ())], dtype=np.int64)
        labelled = np.ones(store.n_documents, dtype=bool)
        labelled[rows] = False
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(
            f"{store.name}: the job is damaged, its documents without a label cannot be read ({error})."
        ) from None
    return labelled


class DocumentColumn(Sequence[Any]):
    """The texts of a job or one of its columns, read when they are needed."""

    def __init__(self, store: storage.Store, name: str | None = None) -> None:
        self._store, self._name = store, name

    def __len__(self) -> int:
        return self._store.n_documents

    def __getitem__(self, number: Any) -> Any:
        document = self._store.documents.one(number)
        return document.text if self._name is None else document.own[self._name]
