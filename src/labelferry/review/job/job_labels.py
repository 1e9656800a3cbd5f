"""The frozen labels of one fit of a job: which document has which place, and the answers by place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...linalg.matrix import Array
from ...tables.row_index import RowIndex
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.frozen import Frozen, freeze
from ..sample.usable import Further
from .other_rows import document_rows, labelled_documents
from .population import population_of_store
from .state import JobState


class JobLabels(NamedTuple):
    """Labels of a fit that can be accepted."""

    frozen: Frozen
    file_rows: RowIndex  # of the documents

    @property
    def documents(self) -> Array:
        """The document of each place."""
        return self.file_rows.positions(self.frozen.rows.rows)

    def documents_of(self, rows: Iterable[int]) -> list[int]:
        """The documents of rows of the user's file."""
        documents: list[int] = self.file_rows.positions(np.array(list(rows), dtype=np.int64)).tolist()
        return documents

    def given(self, state: JobState) -> Further:
        """The answers; those to documents that the labels learned from only say what people decided."""
        documents = np.fromiter(state.first_codes, dtype=np.int64)
        rows = self.file_rows.rows[documents]
        inside = self.frozen.rows.contains(rows)
        places = dict(zip(documents[inside].tolist(), self.frozen.rows.positions(rows[inside]).tolist(), strict=True))
        learned = set(self.frozen.known.rows.tolist())
        new = {document: place for document, place in places.items() if place not in learned}
        others = zip(documents[~inside].tolist(), rows[~inside].tolist(), strict=True)
        return Further(
            {place: state.first_codes[document] for document, place in new.items()},
            {place: state.again_codes.get(document, []) for document, place in new.items()},
            {row: state.codes[document] for document, row in others},
            {place: state.codes[document] for document, place in places.items()},
        )

    def mask(self, places: Array) -> Array:
        """A mask of places as a mask of documents."""
        documents = np.zeros(len(self.file_rows), dtype=bool)
        documents[self.documents[places]] = True
        return documents


def labels_of_fit(store: storage.Store, state: JobState, seed: int) -> JobLabels:
    """The frozen labels of the current fit of a job."""
    population = population_of_store(store, state, labelled_documents(store))
    rows = document_rows(store.n_documents, store.settings.get("other_rows", {}))
    return JobLabels(freeze(population, seed, list(store.settings["classes"])), rows)
