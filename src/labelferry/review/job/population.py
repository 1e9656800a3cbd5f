"""The documents of a job with a predicted label: as a population that samples are drawn from, and as frozen labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...labelling.accept_rank import file_confidence, rank_by
from ...linalg.matrix import Array
from ...tables.row_index import RowIndex
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.frozen import Frozen, freeze
from ..sample.population import Population, Ranking
from ..sample.usable import Further
from .other_rows import file_rows, labelled_documents
from .state import JobState, among


def population_of_store(store: storage.Store, state: JobState) -> Population:
    """The population of a job: its documents with a predicted label. Texts and columns are read one by one."""
    labelled, arrays = labelled_documents(store), state.fit.arrays
    known = among(labelled, state.seen)
    confidence = np.clip(arrays["confidence"][labelled.rows], 0, 1)
    return Population(
        store.name,
        DocumentColumn(store, labelled.rows),
        file_rows(store).then(labelled.rows),
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
    frozen = freeze(population_of_store(store, state), seed, list(store.settings["classes"]))
    return JobLabels(frozen, file_rows(store))
