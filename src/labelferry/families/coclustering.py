r"""Information-theoretic co-clustering: the loss, the two steps that lower it, and a start. Used by ITCC and CoCC.

    loss  =  I(D; W) - I(Dhat; What)  +  lambda ( I(C; W) - I(C; What) )                                             (1)
          =  KL(f || fhat)            +  lambda KL(g || ghat)                                                        (2)

    f(d, w)  joint distribution of target documents and words    fhat = f(dhat, what) f(d | dhat) f(w | what)
    g(w, c)  joint distribution of words and source classes      ghat = g(what, c) g(w | what)

    dhat, what  cluster of document d, of word w     T  f(what, dhat), word clusters x document clusters
    F  f(w, dhat), words x document clusters         U  g(what, c), word clusters x classes

Both divergences are sums with one term per document, or one term per word. The weights of word w are f(w) and g(w):

    KL(f || fhat) = sum_d f(d) KL( f(W | d) || f(W | What) f(What | dhat) )                                          (3)
    loss = sum_w  f(w) KL( f(D | w) || f(D | Dhat) f(Dhat | what) )  +  lambda g(w) KL( g(C | w) || g(C | what) )    (4)

The part of (3) and (4) that depends on the cluster is a product with a small table of logarithms:

    d goes to the dhat with the largest  sum_w f(d, w) log f(what(w) | dhat)                                         (5)
    w goes to the what with the largest  sum_dhat f(w, dhat) log f(dhat | what)
                                         + lambda sum_c g(w, c) log g(c | what)                                      (6)

Each step chooses the best cluster for the conditional distributions of the previous clusters. Then the distributions
of the new clusters lower (2) further, since no other distributions are nearer. So the loss never rises. A document or
word moves only if the gain exceeds rounding errors; so the iteration ends. A cluster without weight gets the
distribution of all documents (or words): any distribution keeps the argument valid, and this one attracts items that
are nearer to the average than to their own cluster.

With a single class C, or lambda = 0, the second term of (1) is constant, and the rest is plain co-clustering.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax, xlogy
from sklearn.utils import gen_batches
from sklearn.utils.extmath import randomized_svd

from ..core.labels import UNKNOWN
from ..linalg.entries import values
from ..linalg.matrix import Array, Matrix
from ..linalg.multiplicative import normalize_rows_l1
from ..linalg.normalize import normalize_rows_l2, unit_total
from .partition import cluster_rows

LOG_ZERO = -1e20  # log 0: finite, so that 0 log 0 = 0 in a product, and far below all sums of real logarithms
_N_DIMENSIONS = 32  # of the space in which the start is computed
_BLOCK_ENTRIES = 65_536
_START_ITER = 30  # iterations of k-means; a start does not have to converge


class Problem(NamedTuple):
    """The data of (1)."""

    X: Matrix  # f
    G: Array  # g, words x classes
    lam: float
    fixed: Array  # True for documents whose cluster is given
    information: float  # I(D; W) + lambda I(C; W), which no step changes


class Coclusters(NamedTuple):
    """Clusters of the documents and words of one target."""

    documents: Annotated[Array, "documents[t] < clusters"]  # cluster of each document
    words: Annotated[Array, "words < word_clusters"]  # cluster of each word, UNKNOWN for words that do not occur
    T: Annotated[Array, "word_clusters x clusters"]
    U: Annotated[Array, "word_clusters x groups"]  # groups: classes in CoCC, none in ITCC


def pose(X: Matrix, G: Array, lam: float, fixed: Array) -> Problem:
    """The problem for documents X and words x classes weights G, each divided by its total."""
    f, g = unit_total(X), unit_total(np.asarray(G, dtype=np.float64))
    joint = values(f).astype(np.float64)
    margins = [np.asarray(A @ np.ones(A.shape[1], dtype=A.dtype), dtype=np.float64) for A in (f, f.T)]
    I_DW = float(_xlogx(joint) - sum(map(_xlogx, margins)))
    return Problem(f, g, lam, fixed, I_DW + lam * mutual_information(g))


def mutual_information(T: Array) -> float:
    """Mutual information of the two variables whose joint distribution is T."""
    return float(_xlogx(T) - _xlogx(T.sum(axis=0)) - _xlogx(T.sum(axis=1)))


def objective(s: Coclusters, p: Problem) -> float:  # (1)
    return p.information - mutual_information(s.T) - p.lam * mutual_information(s.U)


def step(s: Coclusters, p: Problem) -> Coclusters:
    """Move the documents to their nearest clusters, then the words."""
    n_clusters, k = s.T.shape
    nearest = move(np.asarray(p.X @ word_profiles(s.words, s.T, p.X.dtype)), s.documents)
    documents = np.where(p.fixed, s.documents, nearest)  # (5)
    F = by_document_cluster(p.X, documents, k)
    words = nearest_words(F, s._replace(T=merge(F, s.words, n_clusters)), p)
    return Coclusters(documents, words, merge(F, words, n_clusters), merge(p.G, words, n_clusters))


def nearest_words(F: Array, s: Coclusters, p: Problem) -> Array:
    """(6), block by block: the scores of a block of words fit the cache."""
    weight = np.hstack([F, p.lam * p.G])
    log_conditional = np.hstack([log_conditionals(s.T), log_conditionals(s.U)]).T
    blocks = gen_batches(len(weight), max(1, _BLOCK_ENTRIES // len(s.T)))
    return np.concatenate([move(weight[rows] @ log_conditional, s.words[rows]) for rows in blocks])


def arrange(documents: Array, words: Array, k: int, p: Problem) -> Coclusters:
    """The state for given clusters, with k document clusters."""
    F, n_clusters = by_document_cluster(p.X, documents, k), int(words.max(initial=0)) + 1
    return Coclusters(documents, words, merge(F, words, n_clusters), merge(p.G, words, n_clusters))


def merge(A: Array, words: Array, n_clusters: int) -> Array:
    """Sum of the rows of A, one row per word, per word cluster."""
    occurring = np.flatnonzero(words != UNKNOWN)
    member = sp.csr_array((np.ones(len(occurring)), (words[occurring], occurring)), shape=(n_clusters, len(words)))
    return np.asarray(member @ A)


def by_document_cluster(X: Matrix, documents: Array, k: int) -> Array:
    """F."""
    return np.asarray(X.T @ np.eye(k, dtype=X.dtype)[documents], dtype=np.float64)


def log_conditionals(T: Array) -> Array:
    """Logarithm of the rows of T, each with sum one. A row without weight gets the distribution of the column sums."""
    conditional = normalize_rows_l1(np.where(T.any(axis=1, keepdims=True), T, T.sum(axis=0)))
    return np.log(conditional, out=np.full_like(conditional, LOG_ZERO), where=conditional > 0)


def word_profiles(words: Array, T: Array, dtype: Any) -> Array:
    """Words x document clusters: log f(what(w) | dhat); 0 for words and word clusters that the target does not have."""
    log_T = np.where(T.any(axis=1, keepdims=True), log_conditionals(T.T).T, 0.0)
    return np.vstack([log_T, np.zeros(T.shape[1])])[words].astype(dtype)  # UNKNOWN is the last row


def posterior(X: Matrix, words: Array, T: Array, n_documents: int) -> Array:
    """Documents x clusters, for any documents: proportional to exp of (5), with the weights of X unchanged."""
    # It is the likelihood of a document as a sample of words from the cluster. It keeps the order of the divergences
    # and is not calibrated. T was computed from `n_documents` documents; one average document is mixed into it. Without
    # it, a single word whose cluster no document of a class contains would exclude that class.
    average = np.outer(T.sum(axis=1), T.sum(axis=0)) / max(n_documents, 1)
    proba: Array = softmax(np.asarray(X @ word_profiles(words, T + average, X.dtype)), axis=1)
    return proba


def move(score: Array, current: Array) -> Array:
    """The cluster with the highest score per row; the current one if none is better."""
    rows, best = np.arange(len(score)), score.argmax(axis=1)
    top = score[rows, best]
    return np.where(top - score[rows, current] > 16 * np.finfo(score.dtype).eps * abs(top), best, current)


def latent(X: Matrix, rng: np.random.Generator) -> tuple[Array, Array]:
    """Documents and words in the space of the leading singular vectors of X, as rows of unit length."""
    # Coordinates are rounded: k-means would count points that differ by rounding errors as different.
    seed = int(rng.integers(2**31 - 1))
    U, s, Vt = randomized_svd(normalize_rows_l2(X), min(_N_DIMENSIONS, *X.shape), random_state=seed)
    s = np.where(s > 1e-6 * s[0], s, 0)
    documents, words = (normalize_rows_l2(np.asarray(V * s, dtype=np.float64)).round(4) for V in (U, Vt.T))
    return documents, words


def k_means(points: Array, k: int, rng: np.random.Generator) -> Array:
    """The cluster of each point; fewer than k clusters if there are fewer distinct points."""
    return cluster_rows(points, k, np.ones(len(points)), rng, n_init=1, max_iter=_START_ITER)[0]


def start_words(points: Array, occurs: Array, k: int, rng: np.random.Generator) -> Array:
    """Clusters of the words that occur, by k-means; UNKNOWN for the others."""
    words = np.full(len(points), UNKNOWN)
    if occurs.any():
        words[occurs] = k_means(points[occurs], k, rng)
    return words


def _xlogx(x: Array) -> float:
    return float(xlogy(x, x).sum())
