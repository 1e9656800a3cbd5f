"""Table 1 of the hybrid graph's paper with full matrices, and Yu and Shi's discretization, loop by loop."""

import numpy as np


def normalize(X, tau):  # (4)
    d_p, d_w = X.sum(axis=1), X.sum(axis=0)
    d_p, d_w = d_p + tau * d_p.mean(), d_w + tau * d_w.mean()
    R = np.zeros_like(X)
    for p in range(X.shape[0]):
        for w in range(X.shape[1]):
            if X[p, w] > 0:
                R[p, w] = X[p, w] / np.sqrt(d_p[p] * d_w[w])
    return R


def indicator(codes, k):  # (2)
    C = np.zeros((len(codes), k))
    for p, q in enumerate(codes):
        if q >= 0:
            C[p, q] = 1 / np.sqrt(sum(codes == q))
    return C


def leading(S, k):
    """Eigenvectors of the k largest eigenvalues that are not zero."""
    values, vectors = np.linalg.eigh(S)
    order = [i for i in np.argsort(-values)[:k] if values[i] > 1e-10 * values.max()]
    return vectors[:, order]


def discretize(X):
    length = np.sqrt((X**2).sum(axis=1))
    rows = [p for p in range(len(X)) if length[p] > 1e-12]
    Y = np.array([X[p] / length[p] for p in rows])
    k = X.shape[1]
    T, c = np.zeros((k, k)), np.zeros(len(Y))
    T[:, 0] = Y[np.argmax((Y @ Y.mean(axis=0)).round(6))]
    for j in range(1, k):
        c += abs(Y @ T[:, j - 1])
        T[:, j] = Y[np.argmin(c.round(6))]
    best = -1.0
    while True:
        C = np.zeros_like(Y)
        for p in range(len(Y)):
            C[p, np.argmax(Y[p] @ T)] = 1
        U, S, Vt = np.linalg.svd(C.T @ Y)
        if S.sum() <= best + 1e-10 * len(Y):
            break
        best, T = S.sum(), Vt.T @ U.T
    codes = np.full(len(X), -1)
    for p, y in zip(rows, Y, strict=True):
        codes[p] = np.argmax(y @ T)
    return codes


def cycle(R_i, C_i, R_o, codes_o, K, K_o=None, mu=1.0, K_w=None):
    """One round: the clusters of words and of unlabelled documents, by number."""
    K_o = K_o or K
    K_w = K_w or K + K_o
    C_o = indicator(codes_o, max(codes_o) + 1)
    codes_w = discretize(leading(mu * R_i.T @ C_i @ C_i.T @ R_i + R_o.T @ C_o @ C_o.T @ R_o, K_w))  # (8)
    C_w = indicator(codes_w, K_w)
    return codes_w, discretize(leading(R_o @ C_w @ C_w.T @ R_o.T, K_o))  # (9)


def objective(R_i, C_i, R_o, C_o, C_w, mu=1.0):  # (5)
    H_i, H_o = C_i.T @ R_i @ C_w, C_o.T @ R_o @ C_w
    return mu * np.linalg.norm(R_i - C_i @ H_i @ C_w.T) ** 2 + np.linalg.norm(R_o - C_o @ H_o @ C_w.T) ** 2
