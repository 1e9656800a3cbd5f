"""Small corpora for checks, and what the checks share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..core.classifier import TransductiveClassifier
from ..linalg.normalize import normalize_rows_l2


class Corpus(NamedTuple):
    X: sp.csr_array
    y: np.ndarray  # all labels, the target's too
    sample_domain: np.ndarray  # 1 and 2 sources, -3 and -4 targets
    masked: np.ndarray  # y with -1 on target rows


def small_corpus(n_classes: int = 3, n_docs: int = 30, seed: int = 0) -> Corpus:
    """Four small domains: each class has its own words, the same in all domains, and noise; rows in random order."""
    rng = np.random.default_rng(seed)
    y = np.arange(4 * n_docs) % n_classes
    domain = np.repeat([1, 2, -3, -4], n_docs)
    words_of_class, n_words = 8, 8 * n_classes + 12
    counts = np.zeros((len(y), n_words))
    for row, label in enumerate(y):
        own = rng.integers(words_of_class, size=14) + words_of_class * label
        noise = rng.integers(n_words, size=6)
        np.add.at(counts[row], np.concatenate([own, noise]), 1)
    order = rng.permutation(len(y))
    y, domain = y[order], domain[order]
    return Corpus(sp.csr_array(normalize_rows_l2(sp.csr_array(counts[order]))), y, domain, np.where(domain < 0, -1, y))


def noisy_corpus(n_classes: int) -> Corpus:
    """A corpus like `small_corpus` with more noise, in which every word has its own weight."""
    # Some documents are close to the boundary of two classes, and no two pairs of documents have the same cosine, so
    # that no neighbor is chosen by the order of the rows.
    X, y, domain, masked = small_corpus(n_classes, seed=1)
    rng = np.random.default_rng(1)
    noise = rng.poisson(0.5, X.shape) * 0.3
    weights = 0.5 + rng.random(X.shape[1])
    return Corpus(sp.csr_array(normalize_rows_l2(sp.csr_array((X.toarray() + noise) * weights))), y, domain, masked)


def set_seed(estimator: TransductiveClassifier) -> None:
    """Give the estimator a seed if it takes one."""
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
