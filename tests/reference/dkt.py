"""Orthogonal tri-factorization, entry by entry, with products of words x words. X is words x documents here."""

import numpy as np


def objective(X, F, S, G):
    return sum(((X[d] - F @ S @ G[d].T) ** 2).sum() for d in range(len(X)))


def lagrangian(F, A, C):
    """tr(F'F C) - 2 tr(F'A): the problem in F with a fixed multiplier, up to a constant."""
    return np.trace(F.T @ F @ C) - 2 * np.trace(F.T @ A)


def root_ratio(A, numerator, denominator):
    out = np.empty_like(A)
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[i, j] = 0.0 if A[i, j] == 0 else A[i, j] * np.sqrt(numerator[i, j] / denominator[i, j])
    return out


def update_orthogonal(F, A):
    """F C = (F F'A + F A'F) / 2."""
    return root_ratio(F, A, 0.5 * ((F @ F.T) @ A + F @ A.T @ F))


def cycle(X, F, S, G, is_target):
    G = list(G)
    A = np.zeros_like(F)
    for d in range(len(X)):
        A += X[d] @ G[d] @ S.T
    F = update_orthogonal(F, A)  # (a)
    for d in range(len(X)):
        if is_target[d]:
            G[d] = update_orthogonal(G[d], X[d].T @ F @ S)  # (b)
    numerator, denominator = np.zeros_like(S), np.zeros_like(S)
    for d in range(len(X)):
        numerator += F.T @ X[d] @ G[d]
        denominator += F.T @ F @ S @ G[d].T @ G[d]
    return F, root_ratio(S, numerator, denominator), G  # (c)
