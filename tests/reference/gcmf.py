"""Equations (3)-(10) of Long et al. 2012, dense and literal. X is words x documents here, as in the paper."""

import numpy as np


def affinity(points, p):  # (3), (5): points are rows
    n = len(points)
    cosine = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            norm = np.linalg.norm(points[i]) * np.linalg.norm(points[j])
            cosine[i, j] = points[i] @ points[j] / norm if norm > 0 else 0.0
    near = np.zeros((n, n), dtype=bool)
    for i in range(n):
        others = sorted((j for j in range(n) if j != i), key=lambda j: (-round(cosine[i, j], 12), j))
        near[i, others[:p]] = True
    return np.where(near | near.T, cosine, 0.0)


def objective(X, U, H, V, Wu, Wv, lam, gamma):  # (7), with (4) and (6) as sums over pairs
    total = 0.0
    for d in range(len(X)):
        total += ((X[d] - U[d] @ H @ V[d].T) ** 2).sum()
        for W, F, weight in ((Wu[d], U[d], lam), (Wv[d], V[d], gamma)):
            for i in range(len(W)):
                for j in range(len(W)):
                    total += weight * 0.5 * W[i, j] * ((F[i] - F[j]) ** 2).sum()
    return total


def update_U(X, U, H, V, W, lam):  # (8)
    D = np.diag(W.sum(axis=0))
    return U * np.sqrt((X @ V @ H.T + lam * W @ U) / (U @ H @ V.T @ V @ H.T + lam * D @ U))


def auxiliary(X, U, old, H, V, W, lam):
    """A(U, old) of Theorem 2 as printed, without Lambda, for the terms of (7) with U but not ||X||^2."""
    D = np.diag(W.sum(axis=0))
    quadratic = (old @ H @ V.T @ V @ H.T + lam * D @ old) * U**2 / old
    return (quadratic - 2 * (X @ V @ H.T + lam * W @ old) * old * (1 + np.log(U / old))).sum()


def update_V(X, U, H, V, W, gamma):  # (9)
    D = np.diag(W.sum(axis=0))
    return V * np.sqrt((X.T @ U @ H + gamma * W @ V) / (V @ H.T @ U.T @ U @ H + gamma * D @ V))


def update_H(X, U, H, V):  # (10)
    numerator = sum(U[d].T @ X[d] @ V[d] for d in range(len(X)))
    denominator = sum(U[d].T @ U[d] @ H @ V[d].T @ V[d] for d in range(len(X)))
    return H * np.sqrt(numerator / denominator)


def iteration(X, U, H, V, Wu, Wv, lam, gamma, is_target, normalize):
    """One iteration of Algorithm 1; `normalize` is "update" (after (8) and (9)), "cycle" (after (10)) or "never"."""
    U, V = list(U), list(V)
    for d in range(len(X)):
        U[d] = update_U(X[d], U[d], H, V[d], Wu[d], lam)
        if normalize == "update":
            U[d] = U[d] / U[d].sum(axis=0)
        if is_target[d]:
            V[d] = update_V(X[d], U[d], H, V[d], Wv[d], gamma)
            if normalize == "update":
                V[d] = V[d] / V[d].sum(axis=0)
        H = update_H(X, U, H, V)
        if normalize == "cycle":
            U[d] = U[d] / U[d].sum(axis=0)
            if is_target[d]:
                V[d] = V[d] / V[d].sum(axis=0)
    return U, H, V
