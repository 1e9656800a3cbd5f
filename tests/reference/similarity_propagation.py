"""Table 2 of the hybrid graph's paper with full matrices and their eigendecompositions."""

import numpy as np


def inverse(S, k):
    """The pseudo-inverse of the k leading eigenpairs of S with positive eigenvalues."""
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    order = [i for i in np.argsort(-values)[:k] if values[i] > 1e-10 * abs(values).max()]
    return sum(np.outer(vectors[:, i], vectors[:, i]) / values[i] for i in order)


def by_degree(S):  # (4)
    """S divided by the square roots of its row sums; zero for a row whose sum is not positive."""
    root = np.array([1 / np.sqrt(d) if d > 0 else 0.0 for d in S.sum(axis=1)])
    return root[:, None] * S * root


def cycle(O, P, S_ii, K, K_w, S_io=None, degree=False):
    """One round: Q, O before the reset with its blocks scaled, and O after it.

    `S_io`, if given, computes the block from O, and replaces it if O has a negative eigenvalue (footnote 1). With
    `degree`, S_ww and the blocks S_ii and S_oo are scaled by degrees as in (4), else the two blocks have norm 1.
    """
    n = len(S_ii)
    Q = P.T @ inverse(O, K) @ P
    Q = by_degree(Q) if degree else Q
    O = P @ inverse(Q, K_w) @ P.T
    if degree:
        sums = np.concatenate([O[:n, :n].sum(axis=1), O[n:, n:].sum(axis=1)])
        scale = np.array([d**-0.5 if d > 0 else 0.0 for d in sums])
    else:
        norm_i, norm_o = np.linalg.norm(O[:n, :n], 2), np.linalg.norm(O[n:, n:], 2)
        scale = np.concatenate([np.full(n, norm_i**-0.5), np.full(len(O) - n, norm_o**-0.5)])
    O = scale[:, None] * O * scale
    reset = O.copy()
    reset[:n, :n] = S_ii
    if S_io is not None and np.linalg.eigvalsh(reset).min() < -1e-10:
        reset[:n, n:], reset[n:, :n] = S_io(O), S_io(O).T
    return Q, O, reset


def printed_cycle(O, P, S_ii):
    """One round as printed: Q, O before the reset, and O after it, with the pseudo-inverses of numpy."""
    Q = P.T @ np.linalg.pinv(O, rcond=1e-10, hermitian=True) @ P
    O = P @ np.linalg.pinv(Q, rcond=1e-10, hermitian=True) @ P.T
    reset = O.copy()
    reset[: len(S_ii), : len(S_ii)] = S_ii
    return Q, O, reset


def nearest_mean(B_i, codes_i, B_o):
    """The class whose labelled rows, scaled to unit length, have the nearest mean."""
    Z_i, Z_o = (B / np.linalg.norm(B, axis=1)[:, None] for B in (B_i, B_o))
    means = [Z_i[codes_i == c].mean(axis=0) for c in range(codes_i.max() + 1)]
    return np.array([np.argmin([np.linalg.norm(z - m) for m in means]) for z in Z_o])
