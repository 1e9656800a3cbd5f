"""Kernel density estimates, document by document, and the weights of Shimodaira."""

import numpy as np


def kernel(z, center, h):
    k = len(z)
    return np.exp(-0.5 * sum((z - center) ** 2) / h**2) / (np.sqrt(2 * np.pi) * h) ** k


def density(centers, z):
    n, k = centers.shape
    h = n ** (-1 / (k + 4))
    return sum(kernel(z, center, h) for center in centers) / n


def density_of_others(centers, i):
    n, k = centers.shape
    h = n ** (-1 / (k + 4))
    return sum(kernel(centers[i], centers[j], h) for j in range(n) if j != i) / (n - 1)


def weights(sources, target, flattening, max_ratio):
    """Weights of the documents of all sources, with mean one."""
    w = []
    for source in sources:
        for i, z in enumerate(source):
            ratio = density(target, z) / density_of_others(source, i)
            w.append(min(max(ratio, 1 / max_ratio), max_ratio) ** flattening)
    return np.array(w) / np.mean(w)
