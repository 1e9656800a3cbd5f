r"""Members of the panel that are not estimators of their own: cheap linear models that differ from each other.

They are hardly better than the source-only classifier alone. They are useful because they are linear and different: an
error that all of them share is rare.

    fit_source         SourceLR, with its held-out probabilities
    common_words       the same on words that are frequent in both domains
    self_training      the same, fitted five times on the source and its most confident predictions per class

The first two get words that are weighted as SourceLR does (`families/source_weights.py`); self-training learns from
words of the target too, and gets them as they are.

Each is fitted on `domains`, in memory, and predicts the documents X, which may be more than the target documents of the
fit, and in blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy.special import softmax

from ..core.domains import Domains
from ..families.linear import (
    START_C,
    LinearModel,
    balanced_weights,
    choose_C,
    in_double_precision,
    logistic_regression,
    weights,
)
from ..linalg.matrix import Array, Matrix, short_indices, stack_rows, word_counts
from ..linalg.normalize import normalize_rows_l2

MIN_DOCUMENTS = 5  # of a common word, in each domain
MIN_COMMON_WORDS = 20
COMMON_C = 1.0  # of logistic regression on common words
CURRICULUM = ((0.2, 1.0), (0.35, 0.7), (0.5, 0.5), (0.65, 0.3), (0.8, 0.2))  # share, and weight of the source


class SourceFit(NamedTuple):
    """The source-only classifier, and what it predicts for labelled documents that it has not seen."""

    proba: Array  # documents x classes
    held_out: Array  # labelled documents x classes; no rows if a class has a single document
    codes: Array  # of the labelled documents


def fit_source(domains: Domains, X: Matrix) -> SourceFit:
    """Fit SourceLR, on documents that are weighted already, once with all of them and once per fold."""
    Xs, codes = domains.labelled()
    Xs = short_indices(Xs)
    tested = choose_C(logistic_regression(), Xs, codes, [START_C], proba=True, sample_weight=balanced_weights(codes))
    held_out = np.zeros((0, domains.n_classes)) if tested is None else tested.held_out.astype(np.float64)
    return SourceFit(_fit(Xs, codes, START_C, balanced=True).proba(X), held_out, codes)


def common_words(domains: Domains, X: Matrix) -> Array | None:
    """Probabilities by words in at least MIN_DOCUMENTS documents of each side; None if there are too few."""
    Xs, codes = domains.labelled()
    common = (word_counts(Xs) >= MIN_DOCUMENTS) & (word_counts(domains.target_documents()) >= MIN_DOCUMENTS)
    if common.sum() < MIN_COMMON_WORDS:
        return None
    Xs, X = (normalize_rows_l2(A[:, common]) for A in (Xs, X))
    return _fit(Xs, codes, COMMON_C, balanced=True).proba(X)


class View(NamedTuple):
    """One kind of features of the same documents."""

    labelled: Matrix
    target: Matrix  # of the fit
    predicted: Matrix  # documents to predict
    weight: float = 1.0  # of its log-probabilities

    @classmethod
    def of(cls, domains: Domains, X: Matrix, weight: float = 1.0) -> Self:
        """The features of the domains of a fit, and of the documents to predict."""
        return cls(domains.labelled()[0], domains.target_documents(), X, weight)


def self_training(
    domains: Domains, X: Matrix, start: Array, rounds: Sequence[tuple[float, float]] = CURRICULUM
) -> Array:
    """Fit again on the source and the most confident predictions per class.

    Each round has a share of the target and a weight of the source: the share grows and the weight falls. `start` has
    the probabilities of the target documents of the fit.
    """
    return train_together([View.of(domains, X)], domains.labelled()[1], start, rounds)


def train_together(views: Sequence[View], codes: Array, start: Array, rounds: Sequence[tuple[float, float]]) -> Array:
    """`self_training` of one model per view: their weighted product chooses the documents that all learn from."""
    P = start
    for share, weight in rounds:
        rows = top_per_class(P, share)
        labels = np.concatenate([codes, P.argmax(axis=1)[rows]])
        sample_weight = np.append(np.full(len(codes), weight), np.ones(len(rows)))
        models = [
            _fit(
                stack_rows([view.labelled, view.target[rows]]),
                labels,
                START_C,
                balanced=True,
                tol=1e-3,
                sample_weight=sample_weight,
            )
            for view in views
        ]
        P = product([model.proba(view.target) for model, view in zip(models, views, strict=True)], views)
    if all(view.predicted is view.target for view in views):
        return P
    return product([model.proba(view.predicted) for model, view in zip(models, views, strict=True)], views)


def product(probabilities: Sequence[Array], views: Sequence[View]) -> Array:
    """The weighted product of what the views predict, with rows of sum one."""
    if len(views) == 1:
        return probabilities[0]
    logarithms = [v.weight * np.log(np.maximum(P, 1e-9)) for P, v in zip(probabilities, views, strict=True)]
    P: Array = softmax(np.sum(logarithms, axis=0), axis=1)
    return P


def top_per_class(P: Array, share: float) -> Array:
    """Rows of the most probable documents of each predicted class: this share of them, at least one."""
    codes, top = P.argmax(axis=1), P.max(axis=1)
    rows = [np.flatnonzero(codes == c) for c in np.unique(codes)]
    return np.concatenate([r[np.argsort(-top[r], kind="stable")[: int(np.ceil(share * len(r)))]] for r in rows])


def _fit(
    X: Matrix,
    codes: Array,
    C: float,
    *,
    balanced: bool = False,
    tol: float = 1e-4,
    sample_weight: Array | None = None,
) -> LinearModel:
    model = logistic_regression(C, tol=tol, class_weight="balanced" if balanced else None)
    X = in_double_precision(short_indices(X))
    return weights(model.fit(X, codes, sample_weight=sample_weight), np.float64)
