"""Equation (2) of Chen and Zhang 2013 and its updates, entry by entry. X is words x documents here, as in the paper."""

import numpy as np


def objective(X, W, H, V):
    total = 0.0
    for d in range(len(X)):
        total += 0.5 * ((X[d] - W[d] @ H @ V[d].T) ** 2).sum()
    return total


def ratio(A, numerator, denominator):
    out = np.empty_like(A)
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[i, j] = A[i, j] * numerator[i, j] / denominator[i, j]
    return out


def cycle(X, W, H, V, is_target, normalize):
    """The updates of W, V and H, with the l1 normalizations after each update, at the end of the cycle, or never."""
    W, V = list(W), list(V)
    for d in range(len(X)):
        W[d] = ratio(W[d], X[d] @ V[d] @ H.T, W[d] @ H @ V[d].T @ V[d] @ H.T)
        if normalize == "update":
            W[d] = W[d] / W[d].sum(axis=0)
    for d in range(len(X)):
        if is_target[d]:
            V[d] = ratio(V[d], X[d].T @ W[d] @ H, V[d] @ H.T @ W[d].T @ W[d] @ H)
            if normalize == "update":
                V[d] = V[d] / V[d].sum(axis=1, keepdims=True)
    numerator, denominator = np.zeros_like(H), np.zeros_like(H)
    for d in range(len(X)):
        numerator += W[d].T @ X[d] @ V[d]
        denominator += W[d].T @ W[d] @ H @ V[d].T @ V[d]
    H = ratio(H, numerator, denominator)
    if normalize == "cycle":
        W = [w / w.sum(axis=0) for w in W]
        V = [v / v.sum(axis=1, keepdims=True) for v in V]
    return W, H, V
