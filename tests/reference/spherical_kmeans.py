"""Spherical k-means, document by document."""

import numpy as np


def cycle(C, Z):
    """The new centers; each cluster has a document."""
    nearest = [int(np.argmax([z @ c for c in C])) for z in Z]
    sums = [sum(z for z, j in zip(Z, nearest, strict=True) if j == k) for k in range(len(C))]
    return np.array([s / np.linalg.norm(s) for s in sums])


def objective(C, Z):
    return sum(1 - max(z @ c for c in C) for z in Z)
