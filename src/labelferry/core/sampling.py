"""Samples of rows: the same ones every time, so that a result can be reproduced.

Work that grows with the square of the number of documents uses at most MAX_COMPARED of them. The panel of AutoTransfer
is fitted on at most MAX_FITTED documents of each domain, and predicts the labels of all. More documents are visited
block by block, so that nothing of the size of their matrix is computed beside it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ..linalg.backends import Threads
from ..linalg.blocks import Blocks
from ..linalg.matrix import Array, in_memory, is_blocked
from .domains import Domain, Domains

MAX_COMPARED = (
    5_000  # documents of a domain that are compared with each other; tasks of the calibration have at most so many
)
MAX_FITTED = 100_000  # documents of a domain that a panel is fitted on


def sample_rows(n: int, size: int) -> Array:
    """All rows if there are at most `size`; otherwise a random sample in their order."""
    return np.arange(n) if n <= size else np.sort(np.random.default_rng(0).choice(n, size, replace=False))


def sample_per_class(codes: Array, size: int) -> Array:
    """All rows if there are at most `size`; otherwise a random share of each class, at least one row of it."""
    if len(codes) <= size:
        return np.arange(len(codes))
    rows = [np.flatnonzero(codes == c) for c in np.unique(codes)]
    share = size / len(codes)
    return np.sort(np.concatenate([r[sample_rows(len(r), max(1, round(share * len(r))))] for r in rows]))


def sample_domains(domains: Domains, size: int) -> Domains:
    """The domains, each with at most about `size` documents, in memory."""
    # Of a source, the share of each class stays; of a target, all documents with a given label are kept.
    if all(len(d.codes) <= size and not is_blocked(d.X) for d in domains):
        return domains

    def sample(d: Domain) -> Domain:
        if d.is_target:
            unknown = np.flatnonzero(~d.known)
            rows = np.union1d(np.flatnonzero(d.known), unknown[sample_rows(len(unknown), size)])
        else:
            rows = sample_per_class(d.codes, size)
        return replace(d, X=in_memory(d.X[rows]), codes=d.codes[rows], rows=d.rows[rows])

    return replace(domains, domains=tuple(map(sample, domains)))


def in_blocks(domains: Domains, size: int) -> Domains:
    """The domains as blocks of rows if one has more than `size` documents and all are sparse; nothing is copied."""
    # Blocks are visited one after the other: the members of a panel use all threads.
    if all(len(d.codes) <= size for d in domains) or not all(map(sp.issparse, domains.X)):
        return domains
    return replace(domains, domains=tuple(replace(d, X=Blocks.of(d.X, backend=Threads(1))) for d in domains))
