"""MTrick, entry by entry, with the update of the source labels that the fast version omits. X is words x documents."""

import numpy as np


def objective(X, F, S, G, Y, is_target, alpha, beta):
    total = 0.0
    for d in range(len(X)):
        error = ((X[d] - F[d] @ S @ G[d].T) ** 2).sum()
        total += beta * error if is_target[d] else error + alpha / len(Y[d]) * ((G[d] - Y[d]) ** 2).sum()
    return total


def root_ratio(A, numerator, denominator):
    out = np.empty_like(A)
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[i, j] = A[i, j] * np.sqrt(numerator[i, j] / denominator[i, j])
    return out


def normalize_rows_l1(A):
    return A / A.sum(axis=1, keepdims=True)


def cycle(X, F, S, G, Y, is_target, alpha, beta):
    """(a) and then (b) or (c) for one domain after the other, then (d). Y contains the labels of the sources."""
    F, G = list(F), list(G)
    for d in range(len(X)):
        F[d] = normalize_rows_l1(root_ratio(F[d], X[d] @ G[d] @ S.T, F[d] @ S @ G[d].T @ G[d] @ S.T))  # (a)
        numerator, denominator = X[d].T @ F[d] @ S, G[d] @ S.T @ F[d].T @ F[d] @ S
        if not is_target[d]:
            numerator = numerator + alpha / len(Y[d]) * Y[d]
            denominator = denominator + alpha / len(Y[d]) * G[d]
        G[d] = normalize_rows_l1(root_ratio(G[d], numerator, denominator))  # (b), (c)
    numerator, denominator = np.zeros_like(S), np.zeros_like(S)
    for d in range(len(X)):
        weight = beta if is_target[d] else 1.0
        numerator += weight * F[d].T @ X[d] @ G[d]
        denominator += weight * F[d].T @ F[d] @ S @ G[d].T @ G[d]
    return F, root_ratio(S, numerator, denominator), G  # (d)
