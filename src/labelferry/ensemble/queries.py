r"""Which documents to label by hand: a typical document of each of n groups of similar documents.

    z_i   unit rows of N_QUERY_AXES leading singular vectors of the target's documents (`assessment/coordinates.py`)

The documents are divided into n groups by k-means on z; the document nearest to the mean of its group is its typical
one. The largest groups come first. Answers then cover all kinds of documents, and each is learned from for its group
(`labelled_pool.py`).

Choosing documents helps little. Gain over SourceLR by the default learner on documents that could not be chosen, minus
the gain with documents chosen at random (85 tasks of 17 corpora, mean over corpora, accuracy / balanced accuracy):

    answers                                        20              40              80
    typical of groups (this file)         +.007 / +.007   +.003 / +.004   +.006 / +.008
    half of them at random, half (G)      +.003 / +.003   +.005 / +.006   +.004 / +.009
    (G) Gaussian process                  -.003 / +.002   -.001 / +.004   -.005 / +.001
    typical of groups that are disputed   -.003 / -.002   +.000 / -.001   +.002 / +.007
    at random, more where disputed        -.009 / -.011   -.002 / -.002   +.005 / +.007
    least margin                          -.009 / -.011   -.008 / -.011   -.012 / -.015
    most disputed by the members          -.018 / -.021   -.025 / -.029   -.018 / -.021

(G) selects documents one after the other so that the remaining uncertainty of a Gaussian process over z is least. The
standard errors over corpora are .002 to .007; all rows were compared on all corpora, with ridges near the default. A
random sample can also be used for a certificate, which chosen documents cannot: with few answers, choose at random.
"""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from ..core.threads import single_thread
from ..linalg.matrix import Array
from ..linalg.normalize import normalize_rows_l2

N_QUERY_AXES = 30
N_CANDIDATES = 5000  # documents to choose from; at most
MAX_ITER = 30


def query_coordinates(Z: Array) -> Array:
    """z, from the coordinates of the documents."""
    z: Array = normalize_rows_l2(Z[:, :N_QUERY_AXES])
    return z


def typical_documents(Z: Array, n: int, excluded: Array, rng: np.random.Generator) -> Array:
    """The rows of n documents to label by hand, those of the largest groups first, without the `excluded` rows."""
    free = np.setdiff1d(np.arange(len(Z)), excluded)
    free = np.sort(rng.choice(free, min(max(N_CANDIDATES, n), len(free)), replace=False))
    n = min(n, len(free))
    if n == 0:
        return free
    distinct = np.unique(Z[free], axis=0, return_index=True)[1]
    if len(distinct) <= n:  # copies fill the rest
        first = free[np.sort(distinct)]
        return np.concatenate([first, np.setdiff1d(free, first)])[:n]
    groups = KMeans(n, n_init=1, max_iter=MAX_ITER, random_state=int(rng.integers(2**31 - 1)))
    with single_thread("openmp"):
        groups.fit(Z[free])
    distance = np.linalg.norm(Z[free] - groups.cluster_centers_[groups.labels_], axis=1)
    order = np.lexsort((distance, groups.labels_))
    labels, start, size = np.unique(groups.labels_[order], return_index=True, return_counts=True)
    rows = free[order[start[np.argsort(-size, kind="stable")]]]
    return np.concatenate([rows, rng.permutation(np.setdiff1d(free, rows))])[:n] if len(labels) < n else rows
