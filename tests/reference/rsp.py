"""Risk-sensitive spectral partition, dense and pair by pair, in the letters of Shi et al. 2009."""

from itertools import combinations
from math import exp, log

import numpy as np


def similarity(X, tau=0.0):
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            W[i, j] = X[i] @ X[j] / (np.linalg.norm(X[i]) * np.linalg.norm(X[j]))
    return W + tau * W.sum(axis=1).mean() / n


def constraints(blocks):  # (8)
    rows = []
    for i, j in combinations(range(len(blocks)), 2):
        if blocks[i] >= 0 and blocks[i] == blocks[j]:
            m = np.zeros(len(blocks))
            m[i], m[j] = 1, -1
            rows.append(m)
    return np.array(rows).reshape(-1, len(blocks))


def operator(X, blocks_L, blocks_U, R, beta, tau):
    W = similarity(X, tau)
    D = np.diag(W @ np.ones(len(X)))
    M_L, M_U = constraints(blocks_L), constraints(blocks_U)
    A = D - W + beta * ((1 - R) * M_L.T @ M_L + R * M_U.T @ M_U)  # (11)
    half = np.diag(1 / np.sqrt(np.diag(D)))
    return half @ A @ half


def normalized_cut(W, cluster):
    """Shi and Malik 2000: links that leave a cluster over all its links, mean over the clusters."""
    shares = []
    for c in set(cluster):
        leaving = sum(W[i, j] for i in range(len(W)) for j in range(len(W)) if cluster[i] == c != cluster[j])
        shares.append(leaving / sum(W[i].sum() for i in range(len(W)) if cluster[i] == c))
    return sum(shares) / len(shares)


def lemma_1(source, target, pseudo=0.5):
    """(4) as printed, from the documents of either domain in each cluster."""
    P = [n + pseudo for n in target]
    Q = [n + pseudo for n in source]
    both = sum(P) + sum(Q)
    E_P, E_Q = sum(P) / both, sum(Q) / both
    total = 0.0
    for p, q in zip(P, Q, strict=True):
        S_P, S_Q = p / (p + q), q / (p + q)
        total += p / both * S_P * log(S_P / S_Q)
        total += p / both * S_P * log((p / both) / (q / both))
    return total / E_P + log(E_Q / E_P)


def kullback_leibler(source, target, pseudo=0.5):  # (2) over clusters
    P = [n + pseudo for n in target]
    Q = [n + pseudo for n in source]
    return sum(p / sum(P) * log(p / sum(P) / (q / sum(Q))) for p, q in zip(P, Q, strict=True))


def risk(kl):  # (6)
    return 1 / (1 + exp(exp(2) - kl))
