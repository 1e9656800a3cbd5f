"""The documents of a job with a predicted label: as a population that samples are drawn from, and as frozen labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...inputs.label_form import Form
from ...labelling.accept_rank import file_confidence, rank_by
from ...labelling.multi import SetColumns
from ...linalg.matrix import Array
from ...tables.row_index import RowIndex
from ...tables.sequences import OnDemand
from .. import store as storage  # its classes are imported on first use: they need the extra `review`
from ..sample.frozen import Frozen, freeze
from ..sample.one_label import freeze_label, further, said_of_label, says
from ..sample.population import Population, Ranking
from ..sample.usable import Further
from ..store.decisions import standing_answers
from ..store.records import Several
from .other_rows import file_rows, labelled_documents
from .state import JobState, among


def population_of_store(store: storage.Store, state: JobState) -> Population:
    """The population of a job: its documents with a predicted label. Texts and columns are read one by one."""
    labelled, arrays = labelled_documents(store), state.fit.arrays
    known = among(labelled, state.seen)
    confidence, several = np.clip(arrays["confidence"][labelled.rows], 0, 1), store.database.several
    proba = file_confidence(arrays.get("proba", np.zeros((0, 0))))
    return Population(
        store.name,
        DocumentColumn(store, labelled.rows),
        file_rows(store).then(labelled.rows),
        arrays["labels"][labelled.rows],
        store.fits.source_only[labelled.rows],
        arrays["needs_review"][labelled.rows],
        None if len(known.rows) else confidence,
        list(state.classes),
        known,
        store.settings["text"],
        {name: DocumentColumn(store, labelled.rows, name) for name in store.settings["own"]},
        ranking=Ranking(ranks_of(store, arrays)[labelled.rows], file_confidence(confidence)),
        several=None if several is None else SetColumns(several.form, several.learned, proba[labelled.rows]),
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


class DocumentColumn(OnDemand):
    """The texts of a job or one of its columns, read when they are needed."""

    def __init__(self, store: storage.Store, numbers: Array, name: str | None = None) -> None:
        self._store, self._numbers, self._name = store, numbers, name

    def __len__(self) -> int:
        return len(self._numbers)

    def read(self, start: int, stop: int) -> list[Any]:
        """The values of some documents."""
        rows = self._store.documents.some(self._numbers[start:stop].tolist())
        return [row.text if self._name is None else row.own[self._name] for row in rows]


class JobLabels(NamedTuple):
    """Labels of a fit that can be accepted."""

    frozen: Frozen
    file_rows: RowIndex  # of the documents
    name: str = ""  # of several labels per document: the label whose documents these are; empty: all labels
    several: Several | None = None

    @property
    def documents(self) -> Array:
        """The document of each place."""
        return self.file_rows.positions(self.frozen.rows.rows)

    def documents_of(self, rows: Iterable[int]) -> list[int]:
        """The documents of rows of the user's file."""
        documents: list[int] = self.file_rows.positions(np.array(list(rows), dtype=np.int64)).tolist()
        return documents

    def now(self, state: JobState) -> Frozen:
        """The labels with all classes that there are now: people may have answered other sets of labels."""
        if self.several is None or self.name:
            return self.frozen
        return self.frozen._replace(classes=list(state.classes), values=list(state.classes))

    def given(self, state: JobState) -> Further:
        """The answers; those to documents that the labels learned from only say what people decided."""
        if self.several is not None and self.name:
            return self._of_label(self.several.form, state)
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

    def _of_label(self, form: Form, state: JobState) -> Further:
        """What all answers that were not taken back say about one label."""
        rows, known = self.file_rows.rows, self.frozen.known.rows
        said = said_of_label(
            (int(rows[answer.document]), answer.purpose, says(form, self.name, answer.answer))
            for answer in standing_answers(state.log)
        )
        decided = [state.decided.get(document) for document in self.documents[known].tolist()]
        now = [says(form, self.name, None if answer is None else answer.answer) for answer in decided]
        return further(self.frozen, said)._replace(decided=dict(zip(known.tolist(), now, strict=True)))

    def mask(self, places: Array) -> Array:
        """A mask of places as a mask of documents."""
        documents = np.zeros(len(self.file_rows), dtype=bool)
        documents[self.documents[places]] = True
        return documents


def labels_of_fit(store: storage.Store, state: JobState, seed: int, name: str = "") -> JobLabels:
    """The frozen labels of the current fit of a job, or those of the documents that have one of several labels."""
    several, population = store.database.several, population_of_store(store, state)
    values = None if several is not None else list(store.settings["classes"])
    frozen = freeze_label(population, name, seed) if name else freeze(population, seed, values)
    return JobLabels(frozen, file_rows(store), name, several)
