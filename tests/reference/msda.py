"""Marginalized denoising autoencoder: dense, entry by entry, and by sampling corruptions."""

import numpy as np


def with_constant(X):
    return np.hstack([X, np.ones((len(X), 1))])


def sampled(X, T, p, n_samples, rng):
    """P' and Q averaged over random corruptions."""
    A = with_constant(X)
    P, Q = np.zeros((A.shape[1], T.shape[1])), np.zeros((A.shape[1], A.shape[1]))
    for _ in range(n_samples):
        kept = rng.random(A.shape) >= p
        kept[:, -1] = True
        corrupted = A * kept
        P += corrupted.T @ T
        Q += corrupted.T @ corrupted
    return P / n_samples, Q / n_samples


def expectations(X, T, p):
    """(2), with P transposed."""
    A = with_constant(X)
    q = np.append(np.full(X.shape[1], 1 - p), 1)
    d, r = A.shape[1], T.shape[1]
    P = np.array([[q[a] * sum(A[i, a] * T[i, t] for i in range(len(A))) for t in range(r)] for a in range(d)])
    S = [[sum(A[i, a] * A[i, b] for i in range(len(A))) for b in range(d)] for a in range(d)]
    Q = np.array([[S[a][b] * (q[a] if a == b else q[a] * q[b]) for b in range(d)] for a in range(d)])
    return P, Q


def weights(X, T, p, ridge):
    P, Q = expectations(X, T, p)
    return np.linalg.inv(Q + ridge * np.mean(np.diag(Q)) * np.eye(len(Q))) @ P


def representation(X, p, n_layers, frequent, blocks, ridge):
    """Rows of [x, h^1, .., h^L], of unit length; `frequent` and `blocks` contain columns of X."""
    T = X[:, frequent]
    predictions = [with_constant(X[:, block]) @ weights(X[:, block], T, p, ridge) for block in blocks]
    H = [np.tanh(sum(predictions) / len(blocks))]
    for _ in range(n_layers - 1):
        H.append(np.tanh(with_constant(H[-1]) @ weights(H[-1], H[-1], p, ridge)))
    return np.array([row / np.linalg.norm(row) for row in np.hstack([X, *H])])
