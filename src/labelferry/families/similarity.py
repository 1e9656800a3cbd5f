"""Similarity propagation on the hybrid graph with thin matrices: the solver of one method, the start of another.

    S = [ O   P ]     O = [ S_ii   S_io ]     P = [ R_i ]      Q  words x words                                     (1)
        [ P'  Q ]         [ S_oi   S_oo ]         [ R_o ]

    repeat   Q = P' O^+ P;   O = P Q^+ P';   S_ii = C_i C_i'                                                   (Table 2)

    R_i, R_o  labelled and unlabelled documents x words, (4)     C_i  labelled documents x classes, (2)

O = U diag(l) U', Q = W diag(q) W', and the new O is A diag(1/q) A' with A = P W. By default a few leading eigenpairs
with positive eigenvalues are kept, K of O, so nothing is larger than documents x 3K or words x K. As printed, all
eigenpairs are inverted, those with negative eigenvalues too (diag(1/q) then has signs): O has rank K at the start, and
rank r becomes 2r + K in a round, until O has full rank, which is the fixed point.
`methods/similarity_propagation.py` lists the departures from the paper and the reasons.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.labels import UNKNOWN
from ..linalg.eigen import fix_signs
from ..linalg.matrix import Array
from ..linalg.thin import thin_product
from .class_means import class_means
from .hybrid_graph import (
    Scales,
    TargetGraph,
    indicator,
    logistic_codes,
    relations,
    resolve_weighting,
    scales,
    target_graph,
)

TAU, MAX_ITER, TOL = 0.25, 30, 1e-4
MAX_RANK = 128  # of O with all eigenpairs: six rounds with two classes


class Variant(NamedTuple):
    """The choices that Table 2 leaves open, or that replace ours by the paper's."""

    n_doc_pairs: int  # eigenpairs of O that are kept; if all are inverted, no further round with more than these
    n_word_pairs: int  # eigenpairs of Q that are kept, K_w; not used if all are inverted
    reinitialize: str = "never"  # footnote 1: C_o of S_io = C_i C_o' if S is not positive semi-definite, or "never"
    scaling: str = "norm"  # S_oo divided by its spectral norm; "degree": (4) for S_oo and S_ww; "none": Table 2
    all_pairs: bool = False  # whether all eigenpairs are inverted, as in Table 2


class LowRankSimilarity(NamedTuple):
    """O = [U_i; U_o] diag(l) [U_i; U_o]' after the reset; before it, O = B diag(signs) B', B = [R_i W_i; R_o W_o].

    With similarities divided by degrees, the rows of B_o are divided also. This changes no reading of the classes, for
    which rows have unit length.
    """

    U_i: Array  # labelled documents x K
    U_o: Array  # unlabelled documents x K
    l: Array  # K
    W_i: Array  # words x K: W sqrt(1/q), scaled so that the estimated S_ii has norm 1
    W_o: Array  # the same, scaled so that S_oo has norm 1
    B_o: Array  # R_o W_o, unlabelled documents x K
    B_w: Array  # words x K, S_ww = B_w diag(signs) B_w'
    signs: Array  # K: of the eigenvalues of Q; all 1 unless all eigenpairs are inverted


def start(b: TargetGraph, C_i: sp.csr_array, codes_o: Array) -> LowRankSimilarity:
    """O = [C_i; C_o] [C_i; C_o]', with labels of the unlabelled documents from another method (footnote 2)."""
    # With negative codes, C_o = 0. The first Q is then R_i' C_i C_i' R_i: the iteration starts from the words, with the
    # similarities that the labelled documents alone give them.
    K = C_i.shape[1]
    C = [C_i.toarray(), indicator(codes_o, K, C_i.dtype).toarray()]
    # The length is sqrt 2, or 1 if a class is missing in one block.
    length = np.sqrt((C[0] ** 2).sum(axis=0) + (C[1] ** 2).sum(axis=0))
    kept = length > 0
    U_i, U_o = (part[:, kept] / length[kept] for part in C)
    none = np.zeros((b.R_i.shape[1], 0), dtype=C_i.dtype)
    B_o = np.zeros((len(U_o), 0), dtype=C_i.dtype)
    return LowRankSimilarity(U_i, U_o, length[kept] ** 2, none, none, B_o, none, none[0])


def step(
    s: LowRankSimilarity, b: TargetGraph, C_i: sp.csr_array, v: Variant | None = None, C_o: sp.csr_array | None = None
) -> LowRankSimilarity:
    """One round of Table 2; C_o are the labels of the start, for footnote 1."""
    v = v or Variant(C_i.shape[1], C_i.shape[1])
    G, l = thin_product(b.R_i.T, s.U_i) + thin_product(b.R_o.T, s.U_o), s.l  # P'U
    if v.scaling == "degree":
        G, l = by_degree(G / np.sqrt(np.abs(s.l)), np.sign(s.l)), np.sign(s.l)
    W0, T = np.linalg.qr(G)
    q, V = _pairs((T / l) @ T.T, v.n_word_pairs, v.all_pairs)
    signs = np.sign(q)
    W = fix_signs(W0 @ V) / np.sqrt(np.abs(q))  # Q = P' O^+ P; its inverse is the new W diag(signs) W'
    W_i, A_i = _scaled(W, thin_product(b.R_i, W), signs, v.scaling)
    W_o, A_o = _scaled(W, thin_product(b.R_o, W), signs, v.scaling)  # O = P Q^+ P', block by block
    if v.reinitialize == "current":
        codes = class_means(b, W_i, C_i.shape[1]).codes(A_o)
        C_o = indicator(codes, C_i.shape[1], C_i.dtype)
    U_i, U_o, l = eigenpairs_after_reset(A_i, A_o, signs, C_i.toarray(), v, C_o)
    return LowRankSimilarity(U_i, U_o, l, W_i, W_o, A_o, W * np.abs(q), signs)


def eigenpairs_after_reset(
    A_i: Array, A_o: Array, signs: Array, C_i: Array, v: Variant, C_o: sp.csr_array | None = None
) -> tuple[Array, Array, Array]:
    """U_i, U_o and l of O = [C_i C_i', A_i D A_o'; A_o D A_i', A_o D A_o'], D = diag(signs)."""
    r = A_i.shape[1]
    Q_u, R_u = np.linalg.qr(np.hstack([A_i, C_i]))
    Q_l, R_l = np.linalg.qr(A_o)
    R_a, R_c = R_u[:, :r], R_u[:, r:]
    S_io, S_oo = (R_a * signs) @ R_l.T, (R_l * signs) @ R_l.T
    O = np.block([[R_c @ R_c.T, S_io], [S_io.T, S_oo]])  # S_ii = C_i C_i'
    if v.reinitialize != "never" and C_o is not None and not _is_semi_definite(O):
        Q_l, R = np.linalg.qr(np.hstack([A_o, C_o.toarray()]))
        R_l, R_o = R[:, :r], R[:, r:]
        O = np.block([[R_c @ R_c.T, R_c @ R_o.T], [R_o @ R_c.T, (R_l * signs) @ R_l.T]])  # footnote 1
    l, V = _pairs(O, v.n_doc_pairs, v.all_pairs)
    V = fix_signs(V)
    return Q_u @ V[: Q_u.shape[1]], Q_l @ V[Q_u.shape[1] :], l


def propagate(
    b: TargetGraph, n_classes: int, codes_o: Array, *, max_iter: int, tol: float, variant: Variant | None = None
) -> Solution:
    """Steps until S_oo changes by less than `tol` times its norm; the history is that change."""
    # If all eigenpairs are inverted, the steps also end, not converged, when O has more than `n_doc_pairs` of them.
    C_i, C_o = (indicator(codes, n_classes, b.R_i.dtype) for codes in (b.codes_i, codes_o))
    s = start(b, C_i, codes_o)
    history: list[float] = []
    for n_iter in range(1, max_iter + 1):
        before, s = s, step(s, b, C_i, variant, C_o)
        history.append(_change(before, s))
        if history[-1] < tol:
            return Solution(s, tuple(history), n_iter, True)
        if variant is not None and variant.all_pairs and len(s.l) > variant.n_doc_pairs:
            break
    return Solution(s, tuple(history), n_iter, False)


def solve_targets(
    domains: Domains,
    *,
    weighting: str,
    tau: float,
    max_iter: int,
    tol: float,
    variant: Variant | None = None,
    from_words: bool = False,
) -> tuple[Scales, list[tuple[TargetGraph, Solution]]]:
    """The solution of every target, each separately with the sources."""
    # The iteration starts from the labels of logistic regression or, `from_words`, without labels of the target.
    s = scales(domains, resolve_weighting(domains, weighting, "tfidf"), tau)
    R = [relations(X, s, d) for d, X in enumerate(domains.X)]
    each = [target_graph(domains, target, R) for target in domains.targets]
    first = [np.full(b.R_o.shape[0], UNKNOWN) for b in each] if from_words else logistic_codes(domains)
    return s, [
        (b, propagate(b, domains.n_classes, codes, max_iter=max_iter, tol=tol, variant=variant))
        for b, codes in zip(each, first, strict=True)
    ]


def similarity_codes(domains: Domains) -> list[Array]:
    """Classes of `rows_to_label` of every target by similarity propagation with its default settings."""
    _, solved = solve_targets(domains, weighting="auto", tau=TAU, max_iter=MAX_ITER, tol=TOL)
    return [
        class_means(b, solution.state.W_i, domains.n_classes).codes(solution.state.B_o, target.shares)
        for (b, solution), target in zip(solved, domains.targets, strict=True)
    ]


def leading_positive(M: Array, k: int) -> tuple[Array, Array]:
    """The positive ones of the k largest eigenvalues of a small symmetric matrix, descending, and their vectors."""
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    values, vectors = values[::-1], vectors[:, ::-1]
    floor = np.abs(values).max(initial=0.0) * np.finfo(M.dtype).eps * 100
    kept = int((values[:k] > floor).sum())
    return values[:kept], vectors[:, :kept]


def all_pairs(M: Array) -> tuple[Array, Array]:
    """The eigenvalues of a small symmetric matrix that are not zero, and their vectors."""
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    kept = np.abs(values) > np.abs(values).max(initial=0.0) * np.finfo(M.dtype).eps * 100
    return values[kept], vectors[:, kept]


def _pairs(M: Array, k: int, every: bool) -> tuple[Array, Array]:
    return all_pairs(M) if every else leading_positive(M, k)


def by_degree(B: Array, signs: Array) -> Array:
    """D^-1/2 B for the row sums D of S = B diag(signs) B', so that S is as in (4); zero if a sum is not positive."""
    degree = B @ (signs * B.sum(axis=0))
    scaled: Array = B * np.divide(1, np.sqrt(np.abs(degree)), out=np.zeros_like(degree), where=degree > 0)[:, None]
    return scaled


def _scaled(W: Array, A: Array, signs: Array, scaling: str) -> tuple[Array, Array]:
    """W and A, scaled so that A A' has spectral norm 1 (unchanged if it is zero), or as in (4), or not."""
    if scaling == "degree":
        return W, by_degree(A, signs)
    norm = np.sqrt(np.linalg.norm(A.T @ A, 2)) if A.size and scaling == "norm" else 0.0
    factor = W.dtype.type(1 / norm if norm > 0 else 1)
    return W * factor, A * factor


def _is_semi_definite(O: Array) -> bool:
    values = np.linalg.eigvalsh((O + O.T) / 2)
    return bool(values[0] >= -np.abs(values).max() * np.finfo(O.dtype).eps * 100)


def _change(s0: LowRankSimilarity, s: LowRankSimilarity) -> float:
    """|| S_oo - S_oo before || / || S_oo ||, Frobenius, from thin products."""
    # From the difference of the squares, the significant digits would be lost.
    R = np.asarray(np.linalg.qr(np.hstack([s.B_o, s0.B_o]).astype(np.float64), mode="r"))
    signs = np.concatenate([s.signs, -s0.signs])
    of_new = R[:, : len(s.signs)]
    new = float(np.linalg.norm((of_new * s.signs) @ of_new.T))
    return float(np.linalg.norm((R * signs) @ R.T)) / new if new > 0 else 0.0
