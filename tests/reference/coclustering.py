"""Information-theoretic co-clustering with a source, entry by entry, on dense joint distributions.

f is documents x words, g classes x words, each with total one. Each document cluster and each word cluster has weight.
"""

import math

import numpy as np


def information(joint):
    """Mutual information of the row and the column of a joint distribution."""
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    return sum(
        p * math.log(p / (rows[i] * columns[j])) for (i, j), p in np.ndenumerate(joint) if p > 0
    )  # fmt: skip


def kl(p, q):
    if any(b == 0 < a for a, b in zip(p, q, strict=True)):
        return math.inf
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True) if a > 0)


def merged(joint, rows, columns, k, l):
    """The joint distribution of the clusters."""
    out = np.zeros((k, l))
    for (i, j), p in np.ndenumerate(joint):
        out[rows[i], columns[j]] += p
    return out


def approximation(joint, rows, columns, k, l):
    """q(x, y) = p(xhat, yhat) p(x | xhat) p(y | yhat)."""
    P, p_row, p_column = merged(joint, rows, columns, k, l), joint.sum(axis=1), joint.sum(axis=0)
    q = np.zeros_like(joint)
    for (i, j), _ in np.ndenumerate(joint):
        a, b = rows[i], columns[j]
        if p_row[i] > 0 and p_column[j] > 0:
            q[i, j] = P[a, b] * (p_row[i] / P[a].sum()) * (p_column[j] / P[:, b].sum())
    return q


def loss(f, g, lam, documents, words, k, l):
    """The lost information, by its definition."""
    classes = range(len(g))
    lost_f = information(f) - information(merged(f, documents, words, k, l))
    return lost_f + lam * (information(g) - information(merged(g, classes, words, len(g), l)))


def divergence(f, g, lam, documents, words, k, l):
    """KL(f || fhat) + lam KL(g || ghat)."""
    fhat = approximation(f, documents, words, k, l)
    ghat = approximation(g, range(len(g)), words, len(g), l)
    return kl(f.ravel(), fhat.ravel()) + lam * kl(g.ravel(), ghat.ravel())


def best(costs, current):
    """The cluster with the lowest cost, or the current one if none is lower."""
    cheapest = min(range(len(costs)), key=costs.__getitem__)
    return cheapest if costs[cheapest] < costs[current] - 1e-12 else current


def document_step(f, documents, words, k, l):
    """Move each d to the dhat with the smallest KL( f(W | d) || f(W | What) f(What | dhat) )."""
    P, f_w = merged(f, documents, words, k, l), f.sum(axis=0)
    profile = [
        [f_w[w] / P[:, words[w]].sum() * P[a, words[w]] / P[a].sum() if f_w[w] > 0 else 0.0 for w in range(len(words))]
        for a in range(k)
    ]
    return np.array(
        [best([kl(row / row.sum(), profile[a]) for a in range(k)], documents[d]) for d, row in enumerate(f)]
    )


def word_step(f, g, lam, documents, words, k, l):
    """Move each w to the what with the smallest f(w) KL( f(D | w) || .. ) + lam g(w) KL( g(C | w) || .. )."""
    P, f_d = merged(f, documents, words, k, l), f.sum(axis=1)
    R = merged(g, range(len(g)), words, len(g), l)

    def cost(w, b):
        total = 0.0
        if f[:, w].any():
            profile = [f_d[d] / P[a].sum() * P[a, b] / P[:, b].sum() for d, a in enumerate(documents)]
            total += f[:, w].sum() * kl(f[:, w] / f[:, w].sum(), profile)
        if lam and g[:, w].any():
            total += lam * g[:, w].sum() * kl(g[:, w] / g[:, w].sum(), R[:, b] / R[:, b].sum())
        return total

    return np.array([best([cost(w, b) for b in range(l)], words[w]) for w in range(len(words))])
