r"""Members of the panel that are not estimators of their own: cheap linear models that differ from each other.

They are hardly better than the source-only classifier alone. They are useful because they are linear and different: an
error that all of them share is rare.

    fit_source         SourceLR, with its held-out probabilities
    common_words       the same on words that are frequent in both domains
    log_count_ratios   the same on words weighted by r_c = log p(word | c) / p(word | not c), one class against the rest
    self_training      the same, fitted five times on the source and its most confident predictions per class

The first three get words that are weighted as SourceLR does (`families/source_weights.py`); self-training learns from
words of the target too, and gets them as they are.

Each is fitted on `domains`, in memory, and predicts the documents X, which may be more than the target documents of the
fit, and in blocks.

Paper of `log_count_ratios`: Wang and Manning, Baselines and Bigrams, ACL 2012 (with logistic regression instead of an
SVM, and without interpolation).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

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
from ..linalg.normalize import normalize_rows_l2, scale_columns

MIN_DOCUMENTS = 5  # of a common word, in each domain
MIN_COMMON_WORDS = 20
MIN_RATIO = 1e-9
RATIO_C = 1.0  # of logistic regression on log-count ratios, and on common words
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
    return _fit(Xs, codes, RATIO_C, balanced=True).proba(X)


def log_count_ratios(domains: Domains, X: Matrix) -> Array | None:
    """Probabilities by words weighted with their log-count ratios, one class against the rest.

    None if all ratios are 0, as for dense features, which every document contains.
    """
    (Xs, codes), n_classes = domains.labelled(), domains.n_classes
    counts = np.stack([word_counts(Xs[codes == c]) for c in range(n_classes)])
    columns = []
    for c in range(n_classes) if n_classes > 2 else (1,):
        inside, outside = 1.0 + counts[c], 1.0 + counts.sum(axis=0) - counts[c]
        ratios = np.log(inside / inside.sum()) - np.log(outside / outside.sum())
        if not np.abs(ratios).max() > MIN_RATIO:
            return None
        model = _fit(scale_columns(Xs, ratios), codes == c, RATIO_C, tol=1e-3)
        columns.append(model.proba(scale_columns(X, ratios))[:, 1])
    P = np.stack(columns, axis=1)
    return np.hstack([1 - P, P]) if n_classes == 2 else P / np.maximum(P.sum(axis=1, keepdims=True), 1e-12)


def self_training(
    domains: Domains, X: Matrix, start: Array, rounds: Sequence[tuple[float, float]] = CURRICULUM
) -> Array:
    """Fit again on the source and the most confident predictions per class.

    Each round has a share of the target and a weight of the source: the share grows and the weight falls. `start` has
    the probabilities of the target documents of the fit.
    """
    (Xs, codes), Xt = domains.labelled(), domains.target_documents()
    P = start
    for share, weight in rounds:
        rows = top_per_class(P, share)
        labels, documents = np.concatenate([codes, P.argmax(axis=1)[rows]]), stack_rows([Xs, Xt[rows]])
        sample_weight = np.append(np.full(len(codes), weight), np.ones(len(rows)))
        model = _fit(documents, labels, START_C, balanced=True, tol=1e-3, sample_weight=sample_weight)
        P = model.proba(Xt)
    return P if X is Xt else model.proba(X)


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
