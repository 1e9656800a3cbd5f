"""Ling et al. 2008, Kamvar et al. 2003, Shi and Malik 2000 and Joachims 2003 with full n x n matrices."""

import numpy as np


def cosines(X):
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            lengths = np.linalg.norm(X[i]) * np.linalg.norm(X[j])
            W[i, j] = X[i] @ X[j] / lengths if lengths > 0 else 0.0
    return W


def regularized(W, tau):
    return W + tau * W.sum(axis=1).mean() / len(W)


def constraint_matrix(codes):
    """Algorithm 1: one column per pair of nodes of a class, +1 in the row of the first and -1 in that of the second."""
    columns = []
    for i in range(len(codes)):
        for j in range(i + 1, len(codes)):
            if codes[i] >= 0 and codes[i] == codes[j]:
                column = np.zeros(len(codes))
                column[i], column[j] = 1, -1
                columns.append(column)
    return np.array(columns).T.reshape(len(codes), -1)


def cdsc_matrix(W, U, in_target, beta, lam):
    """T' of Algorithm 2."""
    D = np.diag(W @ np.ones(len(W)))
    W_s = np.where(np.outer(in_target, in_target), W, 0)
    D_s = np.diag(W_s @ np.ones(len(W)))
    root = np.diag(1 / np.sqrt(np.diag(D)))
    return root @ (D - W + beta * U @ U.T + lam * (D_s - W_s)) @ root


def cdsc_rows(W, T, k):
    """Steps 3 and 4 of Algorithm 2: eigenvalues, X and Y."""
    values, vectors = np.linalg.eigh(T)
    X = np.diag(1 / np.sqrt(W.sum(axis=1))) @ vectors[:, :k]
    Y = X / np.sqrt((X**2).sum(axis=1, keepdims=True))
    return values[:k], X, Y


def normalized_cut(W, codes):
    """Shi and Malik 2000 for several clusters, divided by their number: the fraction of links that leave a cluster."""
    fractions = []
    for c in np.unique(codes):
        inside, links = 0.0, 0.0
        for i in np.flatnonzero(codes == c):
            links += W[i].sum()
            inside += W[i][codes == c].sum()
        fractions.append(1 - inside / links)
    return np.mean(fractions)


def nearest_label(Y, codes):
    """1-nearest neighbor, the classifier F of Kamvar et al.: the label of the nearest labelled row."""
    known = np.flatnonzero(codes >= 0)
    return np.array([codes[known[np.argmin([np.linalg.norm(y - Y[i]) for i in known])]] for y in Y])


def lowest_cut(X, codes, blocks, in_target, ks, lambdas, beta, tau):
    """Algorithm 2 with F = 1-nearest neighbor for every k and lambda; (cut, k, lambda, labels) with the lowest cut."""
    W = regularized(cosines(X), tau)
    target = regularized(cosines(X[in_target]), tau)
    best = (np.inf, None, None, None)
    for lam in lambdas:
        T = cdsc_matrix(W, constraint_matrix(blocks), in_target, beta, lam)
        for k in ks:
            labels = nearest_label(cdsc_rows(W, T, k)[2], codes)[in_target]
            cut = normalized_cut(target, labels) if len(np.unique(labels)) == codes.max() + 1 else np.inf
            if cut < best[0]:
                best = (cut, k, lam, labels)
    return best


def kamvar_affinity(W, codes):
    A = W.copy()
    for i in range(len(W)):
        for j in range(len(W)):
            if codes[i] >= 0 and codes[j] >= 0:
                A[i, j] = float(codes[i] == codes[j])
    return A


def kamvar_matrix(A):
    D = np.diag(A.sum(axis=1))
    d_max = A.sum(axis=1).max()
    return (A + d_max * np.eye(len(A)) - D) / d_max


def joachims_w(G, b, n):
    """w by the smallest eigenvalue of the 2d x 2d matrix of the paper."""
    d = len(b)
    big = np.block([[G, -np.eye(d)], [-np.outer(b, b) / n, G]])
    values = np.linalg.eigvals(big)
    smallest = values[np.abs(values.imag) < 1e-7].real.min()
    return np.linalg.solve(G - smallest * np.eye(d), b)
