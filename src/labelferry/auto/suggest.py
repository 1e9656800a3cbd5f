r"""Which documents to ask about, and what follows from the answers.

What an answer says of one document, it says of those like it: the error of the labelling is taken for a smooth function
over the documents, a Gaussian process with the covariance

    K_ij = max(z_i'z_j, 0)^4      z_i  unit rows of 30 leading singular vectors of the target's documents            (1)

After the answers Y_A of the documents A, with P_A as they were labelled before,

    P  <-  P + a K_A (a K_AA + s I)^-1 (Y_A - P_A),      rows of A set to the answers                                (2)

cut off at 0 and each row brought to one. Those who gave P must not know Y_A, or there is no error left to learn from.
Of more than 1000 answers, 1000 have a say on other documents.

Here a, from 0 to 1, is the one that foretells each answer best from the others: where likeness of documents says
nothing of their classes, as in reviews, a is 0 and only the answered documents change. Documents are asked about one
after the other, each the one whose answer would settle most of what is unsettled:

    gain_i = u_i (2 - u_i) sum_j K_ij^2 u_j / (K_ii + s),   K then freed of what i explains                          (3)

where u is 1 - margin, over the largest there is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD

from ..linalg.matrix import Array, empty_rows
from ..linalg.normalize import unit_rows
from .blend import margin

N_AXES, POWER, NOISE = 30, 4, 0.2
AMPLITUDES = (0.0, 0.1, 0.3, 1.0)
POOL, SEEN = 600, 1500  # documents that may be asked about, and on which the gain is counted
HEARD = 1000  # answers that have a say on other documents


def coordinates(X: Any, rng: np.random.Generator) -> Array:
    """z in (1)."""
    k = min(N_AXES, X.shape[1] - 1, X.shape[0] - 1)
    if k < 1 or empty_rows(X).all():
        return np.ones((X.shape[0], 1))
    return unit_rows(TruncatedSVD(k, random_state=int(rng.integers(2**31 - 1))).fit_transform(X))


def covariance(Za: Array, Zb: Array) -> Array:  # (1)
    return np.maximum(Za @ Zb.T, 0) ** POWER


def propose(P: Array, Z: Array, n: int, asked: Array, rng: np.random.Generator) -> Array:
    """The rows of n documents to ask about, the most telling first; none that was `asked` before."""
    u = 1 - margin(P)
    u = u / max(u.max(), 1e-12)
    free = np.setdiff1d(np.arange(len(P)), asked)
    pool = rng.choice(free, min(max(POOL, n), len(free)), replace=False)
    seen = rng.choice(len(P), min(SEEN, len(P)), replace=False)
    K, across = covariance(Z[pool], Z[pool]), covariance(Z[pool], Z[seen])
    chosen: list[int] = []
    for _ in range(min(n, len(pool))):
        gain = u[pool] * (2 - u[pool]) * (across**2 @ u[seen]) / (np.diag(K) + NOISE)  # (3)
        gain[chosen] = -np.inf
        i = int(gain.argmax())
        chosen.append(i)
        explained = K[:, i] / (K[i, i] + NOISE)
        across = across - np.outer(explained, across[i])
        K = K - np.outer(explained, K[i])
    return pool[chosen]


def learn(P: Array, Z: Array, rows: Array, codes: Array) -> Array:
    """P after the answers `codes` for the documents `rows`."""
    answered, Y = rows, np.eye(P.shape[1])[codes]
    heard = np.linspace(0, len(rows) - 1, min(len(rows), HEARD)).astype(np.intp)
    rows, R = rows[heard], Y[heard] - P[rows[heard]]
    K, KAA = covariance(Z, Z[rows]), covariance(Z[rows], Z[rows])
    errors = [_left_out(a * KAA, R) for a in AMPLITUDES]
    a = AMPLITUDES[int(np.argmin(errors))]
    Q = P + a * K @ np.linalg.solve(a * KAA + NOISE * np.eye(len(rows)), R)  # (2)
    Q = np.maximum(Q, 0)
    Q[answered] = Y
    total = Q.sum(axis=1, keepdims=True)
    return np.where(total > 0, Q / np.where(total > 0, total, 1), P)


def _left_out(K: Array, R: Array) -> float:
    """Mean squared error of each row of R as foretold by the others, in closed form."""
    inverse = np.linalg.inv(K + NOISE * np.eye(len(K)))
    return float(np.mean((inverse @ R / np.diag(inverse)[:, None]) ** 2))
