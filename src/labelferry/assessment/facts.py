"""What is measured about the documents, whatever the answer is; `rules.py` compares it with limits."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..core.domains import Domains
from ..core.sampling import MAX_COMPARED, sample_rows
from ..linalg.knn import nearest
from ..linalg.matrix import Array, has_column, in_memory, squared_column_sums, word_counts
from .copies import nearest_others, share_of_copies
from .new_classes import Clusters, measure_clusters

N_NEAREST = 5


class Languages(NamedTuple):
    """Detected languages; empty if unknown."""

    source: str = ""
    target: str = ""
    foreign: float = 0.0  # share of the new documents in a language that the labelled documents lack


class TargetFacts(NamedTuple):
    """Measurements that do not depend on the answer."""

    n_labelled: int
    n_new: int
    least_class: int  # labelled documents of the smallest class
    known_documents: float  # share of new documents with a word that occurs in labelled documents
    known_weight: float  # share of the squared weight of the new documents on such words
    copies: float  # share of new documents that are (near-)copies of an earlier one
    to_source: Array  # mean cosine with the nearest labelled documents, per compared document
    to_target: Array  # mean cosine with the nearest other new documents, per compared document
    cluster: Array = np.zeros(0, dtype=np.intp)  # `Clusters.cluster`
    contrasts: Array = np.zeros((0, 2))  # `Clusters.contrasts`
    source_language: str = ""  # empty if unknown
    target_language: str = ""
    foreign: float = 0.0  # `Languages.foreign`
    words: float = np.inf  # median number of different words of a new document

    @property
    def clusters(self) -> Clusters:
        """The clusters of the new documents."""
        return Clusters(self.cluster, self.contrasts)

    def with_languages(self, languages: Languages | None) -> TargetFacts:
        """The facts with the languages of the documents; None: they are unknown."""
        source, target, foreign = languages or Languages()
        return self._replace(source_language=source, target_language=target, foreign=foreign)

    def as_dict(self) -> dict[str, Any]:
        """The plain numbers."""
        return {name: value for name, value in self._asdict().items() if not isinstance(value, np.ndarray)}

    def arrays(self) -> dict[str, Array]:
        """The arrays."""
        return {name: value for name, value in self._asdict().items() if isinstance(value, np.ndarray)}

    @classmethod
    def from_arrays(cls, numbers: dict[str, Any], arrays: dict[str, Array]) -> TargetFacts:
        """The facts that `as_dict` and `arrays` give."""
        values: dict[str, Any] = {**numbers, **arrays}
        return cls(**values)


def target_facts(domains: Domains, Z: Array | None = None) -> TargetFacts:
    """Measure the documents; the coordinates Z of the new ones are computed unless they are given."""
    Xs, codes = domains.labelled()
    Xt: Any = domains.target_documents()
    known = word_counts(Xs) > 0
    squares = squared_column_sums(Xt)
    some, others = (in_memory(X[sample_rows(X.shape[0], MAX_COMPARED)]) for X in (Xt, Xs))
    neighbors = nearest_others(some)
    clusters = measure_clusters(Xs, codes, Xt, domains.n_classes, Z)
    return TargetFacts(
        n_labelled=len(codes),
        n_new=Xt.shape[0],
        least_class=int(np.bincount(codes, minlength=domains.n_classes).min()),
        known_documents=float(has_column(Xt, known).mean()),
        known_weight=float(squares[known].sum() / max(squares.sum(), 1e-300)),
        copies=share_of_copies(Xt, neighbors),
        to_source=mean_largest(nearest(some, others, n_neighbors=N_NEAREST), others.shape[0]),
        to_target=mean_largest(neighbors, some.shape[0] - 1),
        cluster=clusters.cluster,
        contrasts=clusters.contrasts,
        words=float(np.median(np.asarray((some != 0).sum(axis=1)))),
    )


def mean_largest(cosines: sp.csr_array, n_others: int) -> Array:
    """Mean of the N_NEAREST largest cosines of each row, of at most `n_others`; missing ones are 0."""
    row = np.repeat(np.arange(cosines.shape[0]), np.diff(cosines.indptr))
    order = np.lexsort((-cosines.data, row))
    rank = np.arange(len(row)) - cosines.indptr[row]
    largest = np.where(rank < N_NEAREST, cosines.data[order], 0)
    return np.bincount(row, largest, minlength=cosines.shape[0]) / max(1, min(N_NEAREST, n_others))
