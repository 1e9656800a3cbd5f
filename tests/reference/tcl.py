"""Equations (4)-(8) of Chen and Zhang 2013, entry by entry. X is words x documents here, as in the paper."""

import numpy as np


def objective(X, U, W, H, V, alpha):
    total = 0.0
    for d in range(len(X)):
        P = alpha * U + (1 - alpha) * W[d]
        total += 0.5 * ((X[d] - P @ H @ V[d].T) ** 2).sum()
    return total


def ratio(A, numerator, denominator):
    out = np.empty_like(A)
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[i, j] = A[i, j] * numerator[i, j] / denominator[i, j]
    return out


def update_U(X, U, W, H, V, alpha):  # (5)
    numerator, denominator = np.zeros_like(U), np.zeros_like(U)
    for d in range(len(X)):
        P = alpha * U + (1 - alpha) * W[d]
        numerator += X[d] @ V[d] @ H.T
        denominator += P @ H @ V[d].T @ V[d] @ H.T
    return ratio(U, numerator, denominator)


def update_W(X, U, W, H, V, alpha, d):  # (6)
    P = alpha * U + (1 - alpha) * W[d]
    return ratio(W[d], X[d] @ V[d] @ H.T, P @ H @ V[d].T @ V[d] @ H.T)


def update_V(X, U, W, H, V, alpha, d):  # (7)
    P = alpha * U + (1 - alpha) * W[d]
    return ratio(V[d], X[d].T @ P @ H, V[d] @ H.T @ P.T @ P @ H)


def update_H(X, U, W, H, V, alpha):  # (8)
    numerator, denominator = np.zeros_like(H), np.zeros_like(H)
    for d in range(len(X)):
        P = alpha * U + (1 - alpha) * W[d]
        numerator += P.T @ X[d] @ V[d]
        denominator += P.T @ P @ H @ V[d].T @ V[d]
    return ratio(H, numerator, denominator)


def cycle(X, U, W, H, V, alpha, is_target, normalize):
    """(5)-(8), with the l1 normalizations after each update, at the end of the cycle, or never."""
    each, end = normalize == "update", normalize == "cycle"
    W, V = list(W), list(V)
    U = update_U(X, U, W, H, V, alpha)
    if each:
        U = U / U.sum(axis=0)
    for d in range(len(X)):
        W[d] = update_W(X, U, W, H, V, alpha, d)
        if each:
            W[d] = W[d] / W[d].sum(axis=0)
    for d in range(len(X)):
        if is_target[d]:
            V[d] = update_V(X, U, W, H, V, alpha, d)
            if each:
                V[d] = V[d] / V[d].sum(axis=1, keepdims=True)
    H = update_H(X, U, W, H, V, alpha)
    if end:
        U = U / U.sum(axis=0)
        W = [w / w.sum(axis=0) for w in W]
        V = [v / v.sum(axis=1, keepdims=True) for v in V]
    return U, W, H, V
