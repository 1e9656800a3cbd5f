"""Dhillon's embedding of documents and words, from a full singular value decomposition."""

import numpy as np


def embedding(A, tau, n_vectors):
    """Rows for documents, rows for words; each column up to its sign."""
    d_1, d_2 = A.sum(axis=1), A.sum(axis=0)
    d_1, d_2 = d_1 + tau * d_1.mean(), d_2 + tau * d_2.mean()
    U, _, Vt = np.linalg.svd(np.diag(d_1**-0.5) @ A @ np.diag(d_2**-0.5))  # (1)
    keep = slice(1, n_vectors + 1)
    return np.diag(d_1**-0.5) @ U[:, keep], np.diag(d_2**-0.5) @ Vt[keep].T  # (2)
