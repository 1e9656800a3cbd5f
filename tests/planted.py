"""Corpora with planted structure, each under a shift that has a name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from labelferry.core.domains import Domains
from labelferry.linalg.normalize import normalize_rows_l2


class Task(NamedTuple):
    Xs: sp.csr_array
    ys: np.ndarray
    Xt: sp.csr_array
    yt: np.ndarray


def vocabulary_shift(
    n_classes: int = 2,
    n_docs: int = 150,
    n_words: int = 30,
    length: int = 40,
    common: float = 0.15,
    seed: int = 0,
    target_balance: tuple[float, ...] | None = None,
) -> Task:
    """Each class has `n_words` words common to both domains, as many of each domain alone, and all share noise words.

    A document draws `common` of its class words from the common ones: the only bridge between the domains.
    `target_balance` moves the class shares of the target (a prior shift on top of the vocabulary shift).
    """
    rng = np.random.default_rng(seed)
    n_noise = 3 * n_words

    def documents(domain: int, y: np.ndarray) -> sp.csr_array:
        rows = []
        for label in y:
            kind = rng.choice(3, size=length, p=[common, 0.6 - common, 0.4])
            word = rng.integers(n_words, size=length)
            of_class = (label * 3 + np.where(kind == 0, 0, 1 + domain)) * n_words + word
            noise = 3 * n_classes * n_words + rng.integers(n_noise, size=length)
            rows.append(np.bincount(np.where(kind == 2, noise, of_class), minlength=3 * n_classes * n_words + n_noise))
        return normalize_rows_l2(sp.csr_array(np.array(rows, dtype=float)))

    ys = np.arange(n_docs) % n_classes
    yt = ys if target_balance is None else rng.choice(n_classes, size=n_docs, p=target_balance)
    return Task(documents(0, ys), ys, documents(1, yt), yt)


def stacked(task: Task) -> tuple[sp.csr_array, np.ndarray, np.ndarray]:
    """The task as (X, y, sample_domain): source 1, target -2, the target's labels held back."""
    n, m = task.Xs.shape[0], task.Xt.shape[0]
    X = sp.csr_array(sp.vstack([task.Xs, task.Xt], format="csr"))
    return X, np.append(task.ys, np.full(m, -1)), np.repeat([1, -2], [n, m])


def two_sources(**settings) -> tuple[list[sp.csr_array], list[np.ndarray], sp.csr_array, np.ndarray]:
    """A vocabulary shift whose source documents come in two halves."""
    task = vocabulary_shift(**settings)
    half = task.Xs.shape[0] // 2
    return [task.Xs[:half], task.Xs[half:]], [task.ys[:half], task.ys[half:]], task.Xt, task.yt


def random_problem(n_classes: int = 3, n_words: int = 17, sizes: tuple[int, ...] = (11, 13), seed: int = 0):
    """Small dense data for comparing a step with its slow twin: X, known and V; the last domain is the target."""
    rng = np.random.default_rng(seed)
    X = [rng.random((n, n_words)) for n in sizes]
    V = [np.eye(n_classes)[np.arange(n) % n_classes] for n in sizes[:-1]]
    V.append(rng.dirichlet(np.ones(n_classes), size=sizes[-1]))
    known = [np.ones(n, bool) for n in sizes[:-1]] + [np.zeros(sizes[-1], bool)]
    return X, known, V


def as_domains(task: Task) -> Domains:
    """The task as Domains, with one source."""
    return Domains.from_blocks([("source", task.Xs, task.ys)], ("target", task.Xt), estimator="test")
