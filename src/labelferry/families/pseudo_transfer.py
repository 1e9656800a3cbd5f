"""Transfers whose true labels are known, made of labelled documents: for the choice of a parameter without the target.

Random folds of one source have the same distribution, so they do not measure transfer. With several sources, each
source in turn is the target. A single source is divided into two halves with different topics: in each class, the
documents are sorted by their coordinate on the second singular vector, which separates the two largest topics of the
class, and divided at the median. Each half is the target once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils.extmath import randomized_svd

from ..core.domains import Domain, Domains
from ..core.labels import UNKNOWN
from ..linalg.matrix import Array, Matrix


class PseudoTransfer(NamedTuple):
    """Domains with one target made of labelled documents, and the codes of its documents."""

    domains: Domains
    codes: Array


def pseudo_transfers(domains: Domains) -> list[PseudoTransfer]:
    """Make the transfers of the module docstring; an empty list if a class has too few documents."""
    sources = domains.sources
    if len(sources) == 1:
        far = second_topic(sources[0].X, sources[0].codes)
        splits = [([_part(sources[0], ~test)], _part(sources[0], test)) for test in (far, ~far)]
    else:
        splits = [([d for d in sources if d is not target], target) for target in sources]
    complete = [(train, test) for train, test in splits if _has_all_classes(train, domains.n_classes)]
    return [
        PseudoTransfer(Domains((*train, _as_target(test)), domains.classes), test.codes)
        for train, test in complete
        if len(test.codes)
    ]


def second_topic(X: Matrix, codes: Array) -> Array:
    """True for the half of the documents of each class with the larger coordinates on its second singular vector."""
    # The sign of the vector is the one with a positive third moment.
    far = np.zeros(len(codes), dtype=bool)
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        if min(len(rows), X.shape[1]) < 2:
            continue
        z = randomized_svd(X[rows], 2, random_state=0)[0][:, 1]
        z = z * np.sign((z**3).sum())
        far[rows] = z > np.median(z)
    return far


def _part(source: Domain, rows: Array) -> Domain:
    return Domain(source.key, source.X[rows], source.codes[rows], source.rows[rows], False)


def _as_target(part: Domain) -> Domain:
    return Domain(f"{part.key} as target", part.X, np.full_like(part.codes, UNKNOWN), part.rows, True)


def _has_all_classes(parts: list[Domain], n_classes: int) -> bool:
    return len(np.unique(np.concatenate([part.codes for part in parts]))) == n_classes
