"""Graphs given by the user: links between documents, a thesaurus, neighbors in an embedding."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..core.domains import Domain, Domains
from ..core.ordering import Ordering
from ..linalg.knn import symmetric
from ..linalg.laplacian import Graph, graph
from ..linalg.matrix import Array

logger = logging.getLogger(__name__)


def sort_graphs(doc_graph: Any, word_graph: Any, ordering: Ordering) -> dict[str, Any]:
    """The graphs of sorted documents and words."""
    domains = ordering.given
    rows = [d.rows[places] for d, places in zip(domains, ordering.documents, strict=True)]
    whole = {"doc_graph": np.concatenate(rows), "word_graph": ordering.words}
    of_domain = {
        "doc_graph": {d.key: places for d, places in zip(domains, ordering.documents, strict=True)},
        "word_graph": {d.key: ordering.words for d in domains},
    }

    def sort(given: Any, name: str) -> Any:
        if isinstance(given, dict):
            places = of_domain[name]
            return {k: _sorted(W, places[k], f"{name}[{k!r}]") if k in places else W for k, W in given.items()}
        return None if given is None else _sorted(given, whole[name], name)

    return {"doc_graph": sort(doc_graph, "doc_graph"), "word_graph": sort(word_graph, "word_graph")}


def _sorted(W: Any, places: Array, name: str) -> sp.csr_array:
    return sp.csr_array(_affinity(W, len(places), name)[places][:, places])


def doc_graphs(given: Any, domains: Domains, weight: float) -> list[Graph] | None:
    """One graph per domain from affinities of all rows, or from a dict with one matrix per domain. None stays None."""
    if given is None:
        return None
    if isinstance(given, dict):
        return [_of_domain(given, d, len(d.rows), "doc_graph", domains, weight) for d in domains]
    W = _affinity(given, sum(len(d.rows) for d in domains), "doc_graph")
    blocks = [W[d.rows][:, d.rows] for d in domains]
    dropped = W.nnz - sum(block.nnz for block in blocks)
    if dropped:
        logger.info("doc_graph: %d links between documents of different domains are not used", dropped // 2)
    return [graph(block, domains.dtype, weight) for block in blocks]


def word_graphs(given: Any, domains: Domains, weight: float) -> list[Graph] | None:
    """One graph per domain from affinities of the words: the same for all domains, or a dict with one per domain."""
    if given is None:
        return None
    if isinstance(given, dict):
        return [_of_domain(given, d, domains.n_words, "word_graph", domains, weight) for d in domains]
    shared = graph(_affinity(given, domains.n_words, "word_graph"), domains.dtype, weight)
    return [shared for _ in domains]


def _of_domain(
    given: dict[Any, Any], domain: Domain, n_nodes: int, name: str, domains: Domains, weight: float
) -> Graph:
    if domain.key not in given:
        raise ValueError(
            f"{name} has no graph for the domain {domain.key!r}; it has {list(given)}. Pass one for each of "
            f"{[d.key for d in domains]}, an empty sparse matrix if there are no links."
        )
    return graph(_affinity(given[domain.key], n_nodes, f"{name}[{domain.key!r}]"), domains.dtype, weight)


def _affinity(W: Any, n_nodes: int, name: str) -> sp.csr_array:
    W = sp.csr_array(W)
    if W.shape != (n_nodes, n_nodes):
        raise ValueError(f"{name} must have shape ({n_nodes}, {n_nodes}), one row per node; got {W.shape}.")
    if not np.isfinite(W.data).all() or (W.data < 0).any():
        raise ValueError(
            f"{name} must contain affinities, finite and >= 0; got entries from {W.data.min():.3g}. Clip them."
        )
    W = symmetric(W)
    W.setdiag(0)
    W.eliminate_zeros()
    return W
