"""The hybrid graph of documents and words: what label and similarity propagation have in common.

    R_pw / sqrt(d_p d_w),   d_p, d_w  sums of row p and column w of R                                                (4)
    C_pq = 1 / sqrt(n_q)    where item p is one of the n_q of cluster q, else 0                                      (2)

    R  documents x words of one domain     C  items x clusters, C'C = 1

With degree regularisation tau (Qin and Rohe 2013) d_p + tau mean(d_p) and d_w + tau mean(d_w) stand in (4). Without it,
documents of few words and words of few documents have entries so large that they make clusters of their own.

Equation and table numbers: Wang, Song and Zhang, Knowledge Transfer on Hybrid Graph, IJCAI 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..core.domains import Domain, Domains
from ..linalg.eigen import leading_left
from ..linalg.entries import apply, scale_columns, values
from ..linalg.matrix import Array, Matrix, stack_rows
from ..linalg.multiplicative import add_up
from ..linalg.normalize import normalize_rows_l2, scale_rows
from .linear import start_labels

WEIGHTINGS = {"auto", "none", "log", "tfidf"}


class Scales(NamedTuple):
    """All that turns a document of a domain into its row of R."""

    weighting: str  # "none", "log" or "tfidf"
    idf: Array  # one a word; ones unless the weighting is "tfidf"
    floor: tuple[float, ...]  # tau mean(d_p) of each domain
    word: tuple[Array, ...]  # (d_w + tau mean(d_w))^-1/2 of each domain, 0 for words with d_w = tau = 0


def scales(domains: Domains, weighting: str, tau: float) -> Scales:
    """The scales of all domains, for a weighting that `resolve` has named."""
    idf = _idf(domains) if weighting == "tfidf" else np.ones(domains.n_words, dtype=domains.dtype)
    floor, word = [], []
    for X in (weigh(X, weighting, idf) for X in domains.X):
        d_p, d_w = _row_sums(X), _row_sums(X.T)
        floor.append(float(tau * d_p.mean()))
        word.append(_root_inverse(d_w + X.dtype.type(tau * d_w.mean())))
    return Scales(weighting, idf, tuple(floor), tuple(word))


def resolve(domains: Domains, weighting: str, for_counts: str) -> str:
    """The weighting that "auto" means: `for_counts` where all entries are whole numbers, else "none"."""
    if weighting == "auto":
        counts = all((values(X) == np.rint(values(X))).all() for X in domains.X)
        return for_counts if counts else "none"
    if weighting != "none" and any((values(X) < 1).any() for X in domains.X):
        raise ValueError(
            f'weighting="{weighting}" takes counts of words, 1 or more where a word occurs; X has entries between 0 '
            'and 1. Pass the counts (CountVectorizer), or weighting="none" to take X as it is.'
        )
    return weighting


def weigh(X: Matrix, weighting: str, idf: Array) -> Any:
    """Counts as 1 + log tf, or as that times idf with rows of unit length; or X as it is."""
    if weighting == "none":
        return X
    tf = apply(X, lambda x: 1 + np.log(x))
    return tf if weighting == "log" else normalize_rows_l2(scale_columns(tf, idf))


def relations(X: Matrix, s: Scales, d: int) -> Any:
    """R of documents of the d-th domain, whether the scales were made of them or not."""  # (4)
    R = weigh(X, s.weighting, s.idf)
    return scale_columns(scale_rows(R, document_scale(R, s, d)), s.word[d])


def document_scale(X: Matrix, s: Scales, d: int) -> Array:
    """(d_p + tau mean(d_p))^-1/2 of weighted documents of the d-th domain."""
    return _root_inverse(_row_sums(X) + X.dtype.type(s.floor[d]))


class Blocks(NamedTuple):
    """One target beside all that is labelled. Documents of the target whose label is given stand with the sources."""

    R_i: Any
    codes_i: Array
    R_o: Any


def blocks(domains: Domains, target: Domain, R: Sequence[Any]) -> Blocks:
    """R_i, its labels and R_o, from the relations of every domain, each normalised on its own."""
    labelled = [(Rd, d.codes) for Rd, d in zip(R, domains, strict=True) if not d.is_target]
    R_t = next(Rd for Rd, d in zip(R, domains, strict=True) if d is target)
    if target.known.any():
        labelled.append((R_t[target.known], target.codes[target.known]))
    R_o = R_t if open_rows(target).all() else R_t[open_rows(target)]
    return Blocks(stack_rows([Rd for Rd, _ in labelled]), np.concatenate([codes for _, codes in labelled]), R_o)


def open_rows(target: Domain) -> Array:
    """Documents of the target to be labelled: those without a label or, for want of any, all."""
    return np.full(len(target.codes), True) if target.known.all() else ~target.known


def logistic_codes(domains: Domains) -> list[Array]:
    """Logistic regression's answer for the open rows of every target, from tf-idf of X where X holds counts."""
    weighting = resolve(domains, "auto", "tfidf")
    idf = scales(domains, weighting, 0.0).idf
    seen = Domains(tuple(replace(d, X=weigh(d.X, weighting, idf)) for d in domains), domains.classes)
    V = start_labels(seen)
    return [Vd[open_rows(d)].argmax(axis=1) for Vd, d in zip(V, domains, strict=True) if d.is_target]


def indicator(codes: Array, k: int, dtype: Any) -> sp.csr_array:
    """C; a row of zeros where the code is below 0."""  # (2)
    there = np.flatnonzero(codes >= 0)
    size = np.bincount(codes[there], minlength=k)
    weight = (1 / np.sqrt(np.maximum(size, 1)))[codes[there]].astype(dtype)
    return sp.csr_array((weight, (there, codes[there])), shape=(len(codes), k))


def leading_vectors(M: Array, k: int) -> tuple[Array, Array]:
    """The leading left singular vectors U of a thin matrix, k or as many as it has rank; and the B with U = M B."""
    values, U = leading_left(M, k)
    kept = values > values.max(initial=0.0) * np.finfo(M.dtype).eps * 100
    U, values = U[:, kept], values[kept]
    return U, (M.T @ U) / values**2


def _idf(domains: Domains) -> Array:
    """log((1 + n) / (1 + documents with the word)) + 1 over all domains, as scikit-learn has it."""
    n = sum(X.shape[0] for X in domains.X)
    df = add_up(_row_sums(apply(X, np.ones_like).T) for X in domains.X)
    return np.asarray(np.log((1 + n) / (1 + df)) + 1, dtype=domains.dtype)


def _row_sums(X: Any) -> Array:
    return np.asarray(X @ np.ones(X.shape[1], dtype=X.dtype))


def _root_inverse(degree: Array) -> Array:
    return np.divide(1, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
