"""Equation (3) of Chen and Zhang 2013, entry by entry: every factor by its gradient. X is words x documents here."""

import numpy as np


def residual(X, U, W, H, V, d):
    k = U.shape[1]
    return U @ H[:k] @ V[d].T + W[d] @ H[k:] @ V[d].T - X[d]


def objective(X, U, W, H, V):
    return sum(0.5 * (residual(X, U, W, H, V, d) ** 2).sum() for d in range(len(X)))


def gradients(X, U, W, H, V):
    """Of (3) with respect to U, each W_d, H and each V_d."""
    k = U.shape[1]
    dU, dH = np.zeros_like(U), np.zeros_like(H)
    dW, dV = [], []
    for d in range(len(X)):
        R = residual(X, U, W, H, V, d)
        dU += R @ V[d] @ H[:k].T
        dH += np.vstack([U.T @ R @ V[d], W[d].T @ R @ V[d]])
        dW.append(R @ V[d] @ H[k:].T)
        dV.append(R.T @ (U @ H[:k] + W[d] @ H[k:]))
    return dU, dW, dH, dV


def descend(A, gradient, negative_part):
    """A * negative / positive part of the gradient, where gradient = positive - negative."""
    out = np.empty_like(A)
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[i, j] = A[i, j] * negative_part[i, j] / (gradient[i, j] + negative_part[i, j])
    return out


def cycle(X, U, W, H, V, is_target, normalize):
    """(a)-(d), with the l1 normalizations after each update, at the end of the cycle, or never."""
    W, V = list(W), list(V)
    k = U.shape[1]
    U = descend(U, gradients(X, U, W, H, V)[0], sum(X[d] @ V[d] @ H[:k].T for d in range(len(X))))
    if normalize == "update":
        U = U / U.sum(axis=0)
    for d in range(len(X)):
        W[d] = descend(W[d], gradients(X, U, W, H, V)[1][d], X[d] @ V[d] @ H[k:].T)
        if normalize == "update":
            W[d] = W[d] / W[d].sum(axis=0)
    for d in range(len(X)):
        if is_target[d]:
            V[d] = descend(V[d], gradients(X, U, W, H, V)[3][d], X[d].T @ (U @ H[:k] + W[d] @ H[k:]))
            if normalize == "update":
                V[d] = V[d] / V[d].sum(axis=1, keepdims=True)
    negative = sum(np.vstack([U.T @ X[d] @ V[d], W[d].T @ X[d] @ V[d]]) for d in range(len(X)))
    H = descend(H, gradients(X, U, W, H, V)[2], negative)
    if normalize == "cycle":
        U = U / U.sum(axis=0)
        W = [w / w.sum(axis=0) for w in W]
        V = [v / v.sum(axis=1, keepdims=True) for v in V]
    return U, W, H, V
