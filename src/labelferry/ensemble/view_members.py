r"""The members of the panel that use the second view of the documents, such as embeddings.

    Z      documents x features: the second view, minus the mean of its domain, scaled to unit length
    W, V   target documents x classes: probabilities by words and by Z
    a      weight of the view, from 0 to 1

    P proportional to W^(1 - a) V^a                                                                                  (1)

*Co-training*: W and V are logistic regressions, each fitted on the labelled documents and on the same most confident
predictions of (1), which then chooses the next ones: `members.train_together` with two views. Words and vectors err on
different documents, so that each learns from the other; either view alone repeats its own errors.

*Self-training on Z* is the same with this one view. It shares no feature with the members by words: how far they
agree is evidence that both find the classes (`pool.py`, `assessment/signals.py`).

a is the value of WEIGHTS whose (1), raised to one of POWERS, has the largest class-balanced likelihood for held-out
labelled documents. So a view that does not fit the documents, such as English vectors of Chinese texts, gets the weight
0 and is left out: the labels are those of the words alone. The mean of a domain is what all of its documents share,
which says nothing about the classes. A sparse view is not centered.

Paper: Blum and Mitchell, Combining Labeled and Unlabeled Data with Co-Training, COLT 1998 (with one common choice of
documents per round instead of one per view).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax, softmax

from ..assessment.assessment import WithView
from ..core.domains import Domains
from ..core.sampling import MAX_FITTED, sample_domains
from ..families.linear import balanced_weights
from ..linalg.matrix import Array
from ..linalg.normalize import normalize_rows_l2
from .members import CURRICULUM, SourceFit, View, fit_source, self_training, train_together
from .student import rows_of

WEIGHTS = tuple(i / 10 for i in range(11))  # a
POWERS = (1.0, 1.5, 2.0)
EVEN = 0.5  # a without held-out documents
MIN_PROBABILITY = 1e-9


class ViewFit(NamedTuple):
    """Co-training, self-training on Z, and what they started from."""

    proba: Array | None  # target documents x classes; None if the view is left out
    alone: Array | None  # the same by self-training on Z
    start: WithView  # (1) of models of the labelled documents alone

    @property
    def weight(self) -> float:
        """a."""
        return self.start.weight


def with_view(domains: Domains, view: Any) -> Domains:
    """The domains with Z instead of their words; `view` has one row per row of the input."""
    return replace(domains, domains=tuple(replace(d, X=_centered(view[d.rows])) for d in domains))


def co_training(domains: Domains, seen: Domains, source: SourceFit) -> ViewFit:
    """Co-training of the words in `domains` and of Z in `seen`; `source`: SourceLR of all target documents."""
    some, some_seen = sample_domains(domains, MAX_FITTED), sample_domains(seen, MAX_FITTED)
    X, Z = domains.target_documents(), seen.target_documents()
    by_view = fit_source(some_seen, Z)
    a = view_weight(source.held_out, by_view.held_out, source.codes)
    start, held_out = (combine_views(*pair, a) for pair in zip(source[:2], by_view[:2], strict=True))
    if not a:
        return ViewFit(None, None, WithView(a, start, held_out))
    rows = rows_of(some, domains)
    views = [view for view in (View.of(some, X, 1 - a), View.of(some_seen, Z, a)) if view.weight]
    P = train_together(views, source.codes, start[rows], CURRICULUM)
    alone = self_training(some_seen, Z, by_view.proba[rows])
    return ViewFit(P, alone, WithView(a, start, held_out))


def combine_views(W: Array, V: Array, a: float) -> Array:
    """(1)."""
    P: Array = softmax(_log(W) * (1 - a) + _log(V) * a, axis=1)
    return P


def view_weight(W: Array, V: Array, codes: Array) -> float:
    """a, from held-out probabilities of the labelled documents; EVEN without any."""
    if not (len(W) and len(V)):
        return EVEN
    each, weight = np.arange(len(codes)), balanced_weights(codes)

    def likelihood(a: float) -> float:
        mixed = _log(W) * (1 - a) + _log(V) * a
        return max(float(weight @ log_softmax(power * mixed, axis=1)[each, codes]) for power in POWERS)

    return max(WEIGHTS, key=likelihood)


def _log(P: Array) -> Array:
    return np.asarray(np.log(np.maximum(P, MIN_PROBABILITY)))


def _centered(Z: Any) -> Any:
    if sp.issparse(Z):
        return normalize_rows_l2(sp.csr_array(Z, dtype=np.float64))
    Z = np.asarray(Z, dtype=np.float64)
    return normalize_rows_l2(Z - Z.mean(axis=0))
