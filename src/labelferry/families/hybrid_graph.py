"""The hybrid graph of documents and words: shared parts of label and similarity propagation.

    R_pw / sqrt(d_p d_w),   d_p, d_w  sums of row p and column w of R                                                (4)
    C_pq = 1 / sqrt(n_q)    if item p is one of the n_q items of cluster q, else 0                                   (2)

    R  documents x words of one domain     C  items x clusters, C'C = 1

With degree regularization tau (Qin and Rohe 2013), (4) has d_p + tau mean(d_p) and d_w + tau mean(d_w). Without it,
documents with few words and words in few documents have such large entries that they form clusters of their own.

Equation and table numbers: Wang, Song and Zhang, Knowledge Transfer on Hybrid Graph, IJCAI 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..core.domains import Domain, Domains
from ..linalg.eigen import leading_left
from ..linalg.entries import apply, every
from ..linalg.matrix import Array, Matrix, stack_rows
from ..linalg.multiplicative import add_up
from ..linalg.normalize import normalize_rows_l2, scale_columns, scale_rows
from .linear import start_labels

WEIGHTINGS = {"auto", "none", "log", "tfidf"}


class Scales(NamedTuple):
    """The numbers that turn a document of a domain into its row of R."""

    weighting: str  # "none", "log" or "tfidf"
    idf: Annotated[Array, "words"]  # ones unless the weighting is "tfidf"
    degree_floor: tuple[float, ...]  # tau mean(d_p) of each domain
    word_scale: tuple[Annotated[Array, "words"], ...]  # (d_w + tau mean(d_w))^-1/2, or 0, per domain


def scales(domains: Domains, weighting: str, tau: float) -> Scales:
    """The scales of all domains, for a weighting returned by `resolve_weighting`."""
    idf = _idf(domains) if weighting == "tfidf" else np.ones(domains.n_words, dtype=domains.dtype)
    degree_floor, word_scale = [], []
    for X in (apply_weighting(X, weighting, idf) for X in domains.X):
        d_p, d_w = _row_sums(X), _row_sums(X.T)
        degree_floor.append(float(tau * d_p.mean()))
        word_scale.append(_root_inverse(d_w + X.dtype.type(tau * d_w.mean())))
    return Scales(weighting, idf, tuple(degree_floor), tuple(word_scale))


def resolve_weighting(domains: Domains, weighting: str, for_counts: str) -> str:
    """The weighting that "auto" means: `for_counts` if all entries are whole numbers, else "none"."""
    if weighting == "auto":
        counts = all(every(X, _is_whole) for X in domains.X)
        return for_counts if counts else "none"
    if weighting != "none" and not all(every(X, _is_at_least_one) for X in domains.X):
        raise ValueError(
            f'weighting="{weighting}" requires word counts, 1 or more if a word occurs; X has entries between 0 and 1. '
            'Pass the counts (CountVectorizer), or weighting="none" to use X as it is.'
        )
    return weighting


def apply_weighting(X: Matrix, weighting: str, idf: Array) -> Any:
    """Counts as 1 + log tf, or that times idf with rows of unit length; or X as it is."""
    if weighting == "none":
        return X
    tf = apply(X, _one_plus_log)
    return tf if weighting == "log" else normalize_rows_l2(scale_columns(tf, idf))


def relations(X: Matrix, s: Scales, d: int) -> Any:  # (4)
    """R of documents of the d-th domain, of the fit or new."""
    R = apply_weighting(X, s.weighting, s.idf)
    return scale_columns(scale_rows(R, document_scale(R, s, d)), s.word_scale[d])


def document_scale(X: Matrix, s: Scales, d: int) -> Array:
    """(d_p + tau mean(d_p))^-1/2 of weighted documents of the d-th domain."""
    return _root_inverse(_row_sums(X) + X.dtype.type(s.degree_floor[d]))


class TargetGraph(NamedTuple):
    """One target and all labelled documents; labelled documents of the target are among the latter."""

    R_i: Any  # labelled documents x words
    codes_i: Array
    R_o: Any  # unlabelled documents x words


def target_graph(domains: Domains, target: Domain, R: Sequence[Any]) -> TargetGraph:
    """R_i, its labels and R_o, from the relations of every domain, each normalized separately."""
    labelled = [(Rd, d.codes) for Rd, d in zip(R, domains, strict=True) if not d.is_target]
    R_t = next(Rd for Rd, d in zip(R, domains, strict=True) if d is target)
    if target.known.any():
        labelled.append((R_t[target.known], target.codes[target.known]))
    R_o = R_t if rows_to_label(target).all() else R_t[rows_to_label(target)]
    return TargetGraph(stack_rows([Rd for Rd, _ in labelled]), np.concatenate([codes for _, codes in labelled]), R_o)


def rows_to_label(target: Domain) -> Array:
    """True for the documents of the target without a label; for all documents if every one has a label."""
    return np.full(len(target.codes), True) if target.known.all() else ~target.known


def logistic_codes(domains: Domains) -> list[Array]:
    """Classes of `rows_to_label` of every target by logistic regression, on tf-idf of X if X contains counts."""
    weighting = resolve_weighting(domains, "auto", "tfidf")
    idf = scales(domains, weighting, 0.0).idf
    weighted = Domains(tuple(replace(d, X=apply_weighting(d.X, weighting, idf)) for d in domains), domains.classes)
    V = start_labels(weighted)
    return [Vd[rows_to_label(d)].argmax(axis=1) for Vd, d in zip(V, domains, strict=True) if d.is_target]


def indicator(codes: Array, k: int, dtype: Any) -> sp.csr_array:  # (2)
    """C; a row of zeros if the code is negative."""
    there = np.flatnonzero(codes >= 0)
    size = np.bincount(codes[there], minlength=k)
    weight = (1 / np.sqrt(np.maximum(size, 1)))[codes[there]].astype(dtype)
    return sp.csr_array((weight, (there, codes[there])), shape=(len(codes), k))


def leading_vectors(M: Array, k: int, signs: Array | None = None) -> tuple[Array, Array]:
    """The leading eigenvectors U of M diag(signs) M', M thin, k or as many as it has; and the B with U = M B."""
    # Without signs they are the left singular vectors of M. Only eigenvectors with positive eigenvalues are returned.
    if signs is not None and (signs < 0).any():
        Q, R = np.linalg.qr(M)
        values, V = np.linalg.eigh((R * signs) @ R.T)
        kept = values > values.max(initial=0.0) * np.finfo(M.dtype).eps * 100
        V = V[:, kept][:, ::-1][:, :k]
        return Q @ V, np.linalg.lstsq(R, V)[0]
    singular_values, U = leading_left(M, k)
    kept = singular_values > singular_values.max(initial=0.0) * np.finfo(M.dtype).eps * 100
    U, singular_values = U[:, kept], singular_values[kept]
    return U, (M.T @ U) / singular_values**2


def _idf(domains: Domains) -> Array:
    """log((1 + n) / (1 + documents with the word)) + 1 over all domains, as in scikit-learn."""
    n = sum(X.shape[0] for X in domains.X)
    df = add_up(_row_sums(apply(X, np.ones_like).T) for X in domains.X)
    return np.asarray(np.log((1 + n) / (1 + df)) + 1, dtype=domains.dtype)


def _is_whole(x: Array) -> Array:
    return np.asarray(x == np.rint(x))


def _is_at_least_one(x: Array) -> Array:
    return np.asarray(x >= 1)


def _one_plus_log(x: Array) -> Array:
    return np.asarray(1 + np.log(x))


def _row_sums(X: Any) -> Array:
    return np.asarray(X @ np.ones(X.shape[1], dtype=X.dtype))


def _root_inverse(degree: Array) -> Array:
    return np.divide(1, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
