"""The problem of the Laplacian SVM as in its definition, dense, with sums over pairs."""

import numpy as np
from scipy.optimize import minimize


def cosine_graph(X, n_neighbors):
    Z = [x / np.linalg.norm(x) for x in X]
    n = len(Z)
    W = np.zeros((n, n))
    for i in range(n):
        others = sorted((j for j in range(n) if j != i), key=lambda j: -(Z[i] @ Z[j]))
        for j in others[:n_neighbors]:
            W[i, j] = W[j, i] = max(0.0, Z[i] @ Z[j])
    return W


def roughness(f, W):
    """f'L f for the normalized Laplacian: half the sum over pairs of W_ij (f_i / sqrt(d_i) - f_j / sqrt(d_j))^2."""
    d = W.sum(axis=1)
    n = len(f)
    return sum(
        W[i, j] * (f[i] / np.sqrt(d[i]) - f[j] / np.sqrt(d[j])) ** 2 / 2 for i in range(n) for j in range(n) if W[i, j]
    )


def objective(w, b, X, y, W, gamma_A, gamma_I):
    """y is 0 for documents without a label."""
    f = X @ w + b
    labelled = np.flatnonzero(y)
    loss = sum(max(0.0, 1 - y[i] * f[i]) ** 2 for i in labelled) / len(labelled)
    return loss + gamma_A * (w @ w) + gamma_I / len(f) ** 2 * roughness(f, W)


def lap_svm(X, y, W, gamma_A, gamma_I):
    result = minimize(
        lambda p: objective(p[:-1], p[-1], X, y, W, gamma_A, gamma_I), np.zeros(X.shape[1] + 1), tol=1e-10
    )
    return result.x[:-1], result.x[-1]
