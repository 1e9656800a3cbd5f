"""Random small problems with everything that makes answers depend on order: ties, duplicates, empty rows, symmetry."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..core.documents import rows_in_safe_range
from ..core.domains import read_domains
from ..core.ordering import sort_domains
from ..linalg.normalize import normalize_rows_l2

KINDS = ("counts", "binary", "tf-idf")


@dataclass(frozen=True)
class Problem:
    """The input of `fit`: documents, labels (-1 in the target), and domains (1 and 2 sources, -1 the target)."""

    X: Any
    y: np.ndarray
    domain: np.ndarray

    @property
    def in_target(self) -> np.ndarray:
        return np.asarray(self.domain < 0)

    def take(self, rows: np.ndarray) -> Problem:
        """Documents in another order."""
        return Problem(self.X[rows], self.y[rows], self.domain[rows])

    def with_X(self, X: Any) -> Problem:
        """The same documents with other columns, or in another form."""
        return replace(self, X=X)

    def rename(self, names: np.ndarray) -> Problem:
        """Class c gets the name `names[c]`."""
        return replace(self, y=np.where(self.in_target, -1, names[self.y]))

    def is_symmetric(self, ignores_scale: str) -> bool:
        """Are there documents, words or classes that differ and are told apart by nothing but their place?"""
        # For an estimator that ignores the lengths of rows, two documents that only these tell apart count too.
        X = sp.csr_array(self.X)
        X = rows_in_safe_range(X) if ignores_scale == "rows" else X
        domains = read_domains(X, self.y, self.domain, estimator="problem")
        return sort_domains(domains.drop_empty_documents())[1].interchangeable


def make_problem(
    *,
    seed: int,
    n_documents: int = 20,
    n_words: int = 12,
    n_classes: int = 2,
    n_sources: int = 1,
    kind: str = "counts",
    density: float = 0.2,
    n_duplicates: int = 0,
    n_empty: int = 0,
    n_single: int = 0,
    follows_classes: bool = True,
) -> Problem:
    """A random problem; the labelled documents have all classes."""
    # `n_documents`, `n_words`, `n_classes`, `n_sources`: sizes; the number of documents is raised to one per class and
    # one of the target. `n_duplicates`, `n_empty`, `n_single`: numbers of documents that are replaced by copies of
    # others, by rows of zeros, by a single word.
    rng = np.random.default_rng(seed)
    n = max(n_documents, n_classes * n_sources + 1)
    y = rng.integers(n_classes, size=n)
    y[: n_classes * n_sources] = np.tile(np.arange(n_classes), n_sources)
    domain = rng.choice([*range(1, n_sources + 1), -1, -1], size=n)
    domain[: n_classes * n_sources] = np.repeat(np.arange(1, n_sources + 1), n_classes)
    domain[n_classes * n_sources] = -1
    word_class = rng.integers(n_classes, size=n_words)
    rate = np.where((word_class == y[:, None]) & follows_classes, 3 * density, density)
    X = rng.poisson(rate).astype(float)
    free = rng.permutation(n)
    X[free[:n_duplicates]] = X[rng.integers(n, size=len(free[:n_duplicates]))]
    X[free[n - n_empty :]] = 0
    for row in rng.choice(n, min(n_single, n), replace=False):
        X[row] = np.eye(n_words)[rng.integers(n_words)]
    if kind == "binary":
        X = (X > 0).astype(float)
    if kind == "tf-idf":
        X = normalize_rows_l2(X * np.log((1 + n) / (1 + (X > 0).sum(axis=0))))
    return Problem(sp.csr_array(X), np.where(domain < 0, -1, y), domain)
