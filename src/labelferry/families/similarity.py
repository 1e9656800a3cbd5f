"""Similarity propagation on the hybrid graph with thin matrices: the solver of one method, the start of another.

    S = [ O   P ]     O = [ S_ii   S_io ]     P = [ R_i ]      Q  words x words                                     (1)
        [ P'  Q ]         [ S_oi   S_oo ]         [ R_o ]

    repeat   Q = P' O^+ P;   O = P Q^+ P';   S_ii = C_i C_i'                                                   (Table 2)

    R_i, R_o  labelled and unlabelled documents x words, (4)     C_i  labelled documents x classes, (2)

Of O and of Q a few leading eigenpairs with positive eigenvalues are kept, by default K of O, so nothing is larger than
documents x 3K or words x K: O = U diag(l) U', Q = W diag(q) W', and the new O is A diag(1/q) A' with A = P W.
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


class Variant(NamedTuple):
    """The choices that Table 2 leaves open, or that replace ours by the paper's."""

    n_doc_pairs: int  # eigenpairs of O that are kept
    n_word_pairs: int  # eigenpairs of Q that are kept, K_w
    reinitialize: str = "never"  # footnote 1: C_o of S_io = C_i C_o' if S is not positive semi-definite, or "never"
    by_degree: bool = False  # (4) for S_oo and S_ww; otherwise S_oo is divided by its spectral norm


class LowRankSimilarity(NamedTuple):
    """O = [U_i; U_o] diag(l) [U_i; U_o]' after the reset; before it, O = B B' with B = [R_i W_i; R_o W_o].

    With similarities divided by degrees, the rows of B_o are divided also. This changes no reading of the classes, for
    which rows have unit length.
    """

    U_i: Array  # labelled documents x K
    U_o: Array  # unlabelled documents x K
    l: Array  # K
    W_i: Array  # words x K: W sqrt(1/q), scaled so that the estimated S_ii has norm 1
    W_o: Array  # the same, scaled so that S_oo has norm 1
    B_o: Array  # R_o W_o, unlabelled documents x K
    B_w: Array  # words x K, S_ww = B_w B_w'


def start(b: TargetGraph, C_i: sp.csr_array, codes_o: Array) -> LowRankSimilarity:
    """O = [C_i; C_o] [C_i; C_o]', with labels of the unlabelled documents from another method (footnote 2).

    With negative codes, C_o = 0. The first Q is then R_i' C_i C_i' R_i: the iteration starts from the words, with the
    similarities that the labelled documents alone give them.
    """
    K = C_i.shape[1]
    C = [C_i.toarray(), indicator(codes_o, K, C_i.dtype).toarray()]
    # The length is sqrt 2, or 1 if a class is missing in one block.
    length = np.sqrt((C[0] ** 2).sum(axis=0) + (C[1] ** 2).sum(axis=0))
    kept = length > 0
    U_i, U_o = (part[:, kept] / length[kept] for part in C)
    none = np.zeros((b.R_i.shape[1], 0), dtype=C_i.dtype)
    return LowRankSimilarity(U_i, U_o, length[kept] ** 2, none, none, np.zeros((len(U_o), 0), dtype=C_i.dtype), none)


def step(
    s: LowRankSimilarity, b: TargetGraph, C_i: sp.csr_array, v: Variant | None = None, C_o: sp.csr_array | None = None
) -> LowRankSimilarity:
    """One round of Table 2; C_o are the labels of the start, for footnote 1."""
    v = v or Variant(C_i.shape[1], C_i.shape[1])
    scaled = _divided_by_degree if v.by_degree else _to_norm_one
    G, l = thin_product(b.R_i.T, s.U_i) + thin_product(b.R_o.T, s.U_o), s.l  # P'U
    if v.by_degree:
        G, l = by_degree(G / np.sqrt(s.l)), np.ones_like(s.l)
    W0, T = np.linalg.qr(G)
    q, V = leading_positive((T / l) @ T.T, v.n_word_pairs)
    W = fix_signs(W0 @ V) / np.sqrt(q)  # Q = P' O^+ P; its inverse is the new W W'
    W_i, A_i = scaled(W, thin_product(b.R_i, W))
    W_o, A_o = scaled(W, thin_product(b.R_o, W))  # O = P Q^+ P', block by block
    if v.reinitialize == "current":
        codes = class_means(b, W_i, C_i.shape[1]).codes(A_o)
        C_o = indicator(codes, C_i.shape[1], C_i.dtype)
    U_i, U_o, l = eigenpairs_after_reset(A_i, A_o, C_i.toarray(), v, C_o)
    return LowRankSimilarity(U_i, U_o, l, W_i, W_o, A_o, W * q)


def eigenpairs_after_reset(
    A_i: Array, A_o: Array, C_i: Array, v: Variant, C_o: sp.csr_array | None = None
) -> tuple[Array, Array, Array]:
    """U_i, U_o and l of O = [C_i C_i', A_i A_o'; A_o A_i', A_o A_o']."""
    r = A_i.shape[1]
    Q_u, R_u = np.linalg.qr(np.hstack([A_i, C_i]))
    Q_l, R_l = np.linalg.qr(A_o)
    R_a, R_c = R_u[:, :r], R_u[:, r:]
    O = np.block([[R_c @ R_c.T, R_a @ R_l.T], [R_l @ R_a.T, R_l @ R_l.T]])  # S_ii = C_i C_i'
    if v.reinitialize != "never" and C_o is not None and not _is_semi_definite(O):
        Q_l, R = np.linalg.qr(np.hstack([A_o, C_o.toarray()]))
        R_l, R_o = R[:, :r], R[:, r:]
        O = np.block([[R_c @ R_c.T, R_c @ R_o.T], [R_o @ R_c.T, R_l @ R_l.T]])  # S_io = C_i C_o', footnote 1
    l, V = leading_positive(O, v.n_doc_pairs)
    V = fix_signs(V)
    return Q_u @ V[: Q_u.shape[1]], Q_l @ V[Q_u.shape[1] :], l


def propagate(
    b: TargetGraph, n_classes: int, codes_o: Array, *, max_iter: int, tol: float, variant: Variant | None = None
) -> Solution:
    """Steps until S_oo changes by less than `tol` times its norm; the history is that change."""
    C_i, C_o = (indicator(codes, n_classes, b.R_i.dtype) for codes in (b.codes_i, codes_o))
    s = start(b, C_i, codes_o)
    history: list[float] = []
    for n_iter in range(1, max_iter + 1):
        before, s = s, step(s, b, C_i, variant, C_o)
        history.append(_change(before.B_o, s.B_o))
        if history[-1] < tol:
            return Solution(s, tuple(history), n_iter, True)
    return Solution(s, tuple(history), max_iter, False)


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
    """The solution of every target, each separately with the sources.

    The iteration starts from the labels of logistic regression or, `from_words`, without labels of the target.
    """
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


def by_degree(B: Array) -> Array:
    """D^-1/2 B for the row sums D of B B', so that B B' is normalized as in (4); zero if a sum is not positive."""
    degree = B @ B.sum(axis=0)
    scaled: Array = B * np.divide(1, np.sqrt(np.abs(degree)), out=np.zeros_like(degree), where=degree > 0)[:, None]
    return scaled


def _to_norm_one(W: Array, A: Array) -> tuple[Array, Array]:
    """W and A divided so that A A' has spectral norm 1; unchanged if it is zero."""
    norm = np.sqrt(np.linalg.norm(A.T @ A, 2)) if A.size else 0.0
    factor = W.dtype.type(1 / norm if norm > 0 else 1)
    return W * factor, A * factor


def _divided_by_degree(W: Array, A: Array) -> tuple[Array, Array]:
    return W, by_degree(A)


def _is_semi_definite(O: Array) -> bool:
    values = np.linalg.eigvalsh((O + O.T) / 2)
    return bool(values[0] >= -np.abs(values).max() * np.finfo(O.dtype).eps * 100)


def _change(B0: Array, B: Array) -> float:
    """|| B B' - B0 B0' || / || B B' ||, Frobenius, from thin products."""
    # From the difference of the squares, the significant digits would be lost.
    R = np.asarray(np.linalg.qr(np.hstack([B, B0]).astype(np.float64), mode="r"))
    signs = np.repeat([1.0, -1.0], [B.shape[1], B0.shape[1]])
    new = float(np.linalg.norm(B.T @ B))
    return float(np.linalg.norm((R * signs) @ R.T)) / new if new > 0 else 0.0
