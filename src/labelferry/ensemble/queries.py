r"""Which documents to label by hand, and what follows from these labels.

A hand-made label tells something about similar documents too: the error of the predictions is modeled as a smooth
function over the documents, a Gaussian process with the covariance

    K_ij = max(z_i'z_j, 0)^4      z_i  unit rows of 30 leading singular vectors of the target's documents            (1)

Given the labels Y_A of the documents A, with predictions P_A before,

    P  <-  P + a K_A (a K_AA + s I)^-1 (Y_A - P_A),      rows of A set to the given labels                           (2)

clipped at 0, and each row normalized. The methods behind P must not have seen Y_A, or there is no error to learn from.
Of more than 1000 labels, 1000 influence other documents.

Here a, from 0 to 1, is the value that predicts each label best from the others (leave-one-out): if similar documents do
not share a class, as in reviews, a is 0 and only the labelled documents change. Documents are selected one after the
other, each the one whose label would reduce the remaining uncertainty most:

    gain_i = u_i (2 - u_i) sum_j K_ij^2 u_j / (K_ii + s),   then K is reduced by what i explains                     (3)

where u is 1 - margin, divided by its maximum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD

from ..assessment.agreement import margin
from ..linalg.matrix import Array, empty_rows
from ..linalg.normalize import normalize_rows_l2

N_AXES, POWER, NOISE = 30, 4, 0.2
AMPLITUDES = (0.0, 0.1, 0.3, 1.0)
N_CANDIDATES, N_EVALUATED = 600, 1500  # documents to choose from, and documents on which the gain is computed
MAX_LABELS = 1000  # labels that influence other documents


def coordinates(X: Any, rng: np.random.Generator) -> Array:
    """z in (1)."""
    k = min(N_AXES, X.shape[1] - 1, X.shape[0] - 1)
    if k < 1 or empty_rows(X).all():
        return np.ones((X.shape[0], 1))
    Z: Array = normalize_rows_l2(TruncatedSVD(k, random_state=int(rng.integers(2**31 - 1))).fit_transform(X))
    return Z


def covariance(Za: Array, Zb: Array) -> Array:  # (1)
    K: Array = np.maximum(Za @ Zb.T, 0) ** POWER
    return K


def select_queries(P: Array, Z: Array, n: int, excluded: Array, rng: np.random.Generator) -> Array:
    """The rows of n documents to label by hand, the most useful first, without the `excluded` rows."""
    u = 1 - margin(P)
    u = u / max(u.max(), 1e-12)
    free = np.setdiff1d(np.arange(len(P)), excluded)
    pool = rng.choice(free, min(max(N_CANDIDATES, n), len(free)), replace=False)
    evaluated = rng.choice(len(P), min(N_EVALUATED, len(P)), replace=False)
    K, across = covariance(Z[pool], Z[pool]), covariance(Z[pool], Z[evaluated])
    chosen: list[int] = []
    for _ in range(min(n, len(pool))):
        gain = u[pool] * (2 - u[pool]) * (across**2 @ u[evaluated]) / (np.diag(K) + NOISE)  # (3)
        gain[chosen] = -np.inf
        i = int(gain.argmax())
        chosen.append(i)
        explained = K[:, i] / (K[i, i] + NOISE)
        across = across - np.outer(explained, across[i])
        K = K - np.outer(explained, K[i])
    return pool[chosen]


def update_with_labels(P: Array, Z: Array, rows: Array, codes: Array) -> Array:
    """P after the labels `codes` were given to the documents `rows`."""
    labelled, Y = rows, np.eye(P.shape[1])[codes]
    used = np.linspace(0, len(rows) - 1, min(len(rows), MAX_LABELS)).astype(np.intp)
    rows, R = rows[used], Y[used] - P[rows[used]]
    K, KAA = covariance(Z, Z[rows]), covariance(Z[rows], Z[rows])
    errors = [_leave_one_out_error(a * KAA, R) for a in AMPLITUDES]
    a = AMPLITUDES[int(np.argmin(errors))]
    Q = P + a * K @ np.linalg.solve(a * KAA + NOISE * np.eye(len(rows)), R)  # (2)
    Q = np.maximum(Q, 0)
    Q[labelled] = Y
    total = Q.sum(axis=1, keepdims=True)
    return np.where(total > 0, Q / np.where(total > 0, total, 1), P)


def _leave_one_out_error(K: Array, R: Array) -> float:
    """Mean squared error of predicting each row of R from the others, in closed form."""
    inverse = np.linalg.inv(K + NOISE * np.eye(len(K)))
    return float(np.mean((inverse @ R / np.diag(inverse)[:, None]) ** 2))
