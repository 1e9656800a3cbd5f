"""Table 2 of the hybrid graph's paper with full matrices and their eigendecompositions."""

import numpy as np


def inverse(S, k):
    """The pseudo-inverse of the k leading eigenpairs of S with positive eigenvalues."""
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    order = [i for i in np.argsort(-values)[:k] if values[i] > 1e-10 * abs(values).max()]
    return sum(np.outer(vectors[:, i], vectors[:, i]) / values[i] for i in order)


def cycle(O, P, S_ii, K, K_w):
    """One round: O before the reset, its blocks at unit norm, and O after it."""
    n = len(S_ii)
    Q = P.T @ inverse(O, K) @ P
    O = P @ inverse(Q, K_w) @ P.T
    norm_i, norm_o = np.linalg.norm(O[:n, :n], 2), np.linalg.norm(O[n:, n:], 2)
    scale = np.concatenate([np.full(n, norm_i**-0.5), np.full(len(O) - n, norm_o**-0.5)])
    O = scale[:, None] * O * scale
    reset = O.copy()
    reset[:n, :n] = S_ii
    return O, reset


def nearest_mean(B_i, codes_i, B_o):
    """The class whose labelled rows, scaled to unit length, have the nearest mean."""
    Z_i, Z_o = (B / np.linalg.norm(B, axis=1)[:, None] for B in (B_i, B_o))
    means = [Z_i[codes_i == c].mean(axis=0) for c in range(codes_i.max() + 1)]
    return np.array([np.argmin([np.linalg.norm(z - m) for m in means]) for z in Z_o])
