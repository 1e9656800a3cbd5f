r"""Members of the panel that use the second view of the documents, such as embeddings, instead of their words.

    Z  documents x features: the second view, minus the mean of its domain, scaled to unit length
    P  target documents x classes: logistic regression of the labelled documents on Z

    smooth_view         P smoothed over the graph of the nearest neighbors in Z (`labelferry.linalg.smoothing`)
    self_training_view  P, fitted again on the source and its most confident predictions (`members.self_training`)

The mean of a domain is what all of its documents share, which says nothing about the classes. A sparse view is not
centered.

Accuracy of the answer with the vectors of wordllama, by the members that use them: mean of 18 tasks (news topics, spam,
issues, politeness, reviews, technical debt, stance), and of ten tasks (newsgroups, Amazon reviews, crisis tweets). Both
columns were known when the members were chosen, so neither is an independent test.

    words alone                                  .726    .835
    P without centering                          .728    .836
    P                                            .730    .838
    smoothed                                     .730    .839
    self-training                                .730    .840
    P and smoothed                               .731    .841
    smoothed and self-training                   .732    .843
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..core.domains import Domains
from ..core.sampling import MAX_COMPARED, MAX_FITTED, sample_domains
from ..families.linear import logistic
from ..linalg.knn import neighbor_graph
from ..linalg.matrix import Array
from ..linalg.normalize import normalize_rows_l2
from ..linalg.smoothing import smooth
from .members import self_training
from .student import extend

N_NEIGHBORS, SMOOTHNESS, N_ROUNDS = 10, 0.9, 10  # the defaults of SmoothedLR


def with_view(domains: Domains, view: Any) -> Domains:
    """The domains with Z instead of their words; `view` has one row per row of the input."""
    return replace(domains, domains=tuple(replace(d, X=_centered(view[d.rows])) for d in domains))


def predict_view(seen: Domains) -> Array:
    """P, for domains of `with_view`."""
    return logistic(*seen.labelled()).proba(seen.target_documents())


def smooth_view(seen: Domains) -> Array:
    """P smoothed over the nearest neighbors in the target, for domains of `with_view`."""
    some = sample_domains(seen, MAX_COMPARED)
    X = some.target_documents()
    graph = neighbor_graph(X, n_neighbors=min(N_NEIGHBORS, max(1, X.shape[0] - 1)))
    return extend(smooth(predict_view(some), graph, SMOOTHNESS, N_ROUNDS), some, seen)


def self_training_view(seen: Domains) -> Array:
    """Self-training that starts from P, for domains of `with_view`."""
    some = sample_domains(seen, MAX_FITTED)
    return self_training(some, seen.target_documents(), predict_view(some))


def _centered(Z: Any) -> Any:
    if sp.issparse(Z):
        return normalize_rows_l2(sp.csr_array(Z, dtype=np.float64))
    Z = np.asarray(Z, dtype=np.float64)
    return normalize_rows_l2(Z - Z.mean(axis=0))
