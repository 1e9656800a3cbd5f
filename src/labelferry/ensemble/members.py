r"""Members of the panel that are not estimators of their own: cheap linear models that differ from each other.

They are hardly better than the source-only classifier alone. They are useful because they are linear and different: an
error that all of them share is rare.

    fit_source         logistic regression with C by cross-validation (SourceLR), with its held-out probabilities
    common_words       the same on words that are frequent in both domains, with balanced classes
    log_count_ratios   the same on words weighted by r_c = log p(word | c) / p(word | not c), one class against the rest
    self_training      the same, fitted five times on the source and its most confident predictions per class

Paper of `log_count_ratios`: Wang and Manning, Baselines and Bigrams, ACL 2012 (with logistic regression instead of an
SVM, and without interpolation).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..core.domains import Domains
from ..families.linear import GRID, START_C, choose_C
from ..linalg.entries import scale_columns
from ..linalg.matrix import Array, short_indices, stack_rows, word_counts
from ..linalg.normalize import normalize_rows_l2

MIN_DOCUMENTS = 5  # of a common word, in each domain
MIN_COMMON_WORDS = 20
MIN_RATIO = 1e-9
RATIO_C = 1.0  # of logistic regression on log-count ratios, and on common words
CURRICULUM = ((0.2, 1.0), (0.35, 0.7), (0.5, 0.5), (0.65, 0.3), (0.8, 0.2))  # share, and weight of the source


class SourceFit(NamedTuple):
    """The source-only classifier, and what it predicts for labelled documents that it has not seen."""

    proba: Array  # target rows x classes, in row order
    held_out: Array  # labelled documents x classes; no rows if a class has a single document
    codes: Array  # of the labelled documents
    C: float


def fit_source(domains: Domains) -> SourceFit:
    """Fit SourceLR: C by stratified cross-validation, the first one with the best mean accuracy over the folds."""
    X, codes = domains.labelled()
    X = short_indices(X)
    chosen = choose_C(_logistic(START_C), X, codes, GRID, "predict_proba")
    C = START_C if chosen is None else chosen.C
    held_out = np.zeros((0, domains.n_classes)) if chosen is None else chosen.held_out.astype(np.float64)
    model = _logistic(C).fit(X, codes)
    return SourceFit(model.predict_proba(short_indices(domains.target_documents())), held_out, codes, C)


def common_words(domains: Domains) -> Array | None:
    """Probabilities by words in at least MIN_DOCUMENTS documents of each side; None if there are too few."""
    (X, codes), Xt = domains.labelled(), domains.target_documents()
    common = (word_counts(X) >= MIN_DOCUMENTS) & (word_counts(Xt) >= MIN_DOCUMENTS)
    if common.sum() < MIN_COMMON_WORDS:
        return None
    X, Xt = (short_indices(normalize_rows_l2(A[:, common])) for A in (X, Xt))
    P: Array = _logistic(RATIO_C, balanced=True).fit(X, codes).predict_proba(Xt)
    return P


def log_count_ratios(domains: Domains) -> Array | None:
    """Probabilities by words weighted with their log-count ratios, one class against the rest.

    None if all ratios are 0, as for dense features, which every document contains.
    """
    (X, codes), Xt = domains.labelled(), domains.target_documents()
    n_classes = domains.n_classes
    counts = np.stack([word_counts(X[codes == c]) for c in range(n_classes)])
    columns = []
    for c in range(n_classes) if n_classes > 2 else (1,):
        inside, outside = 1.0 + counts[c], 1.0 + counts.sum(axis=0) - counts[c]
        ratios = np.log(inside / inside.sum()) - np.log(outside / outside.sum())
        if not np.abs(ratios).max() > MIN_RATIO:
            return None
        model = _logistic(RATIO_C, tol=1e-3).fit(short_indices(scale_columns(X, ratios)), codes == c)
        columns.append(model.predict_proba(short_indices(scale_columns(Xt, ratios)))[:, 1])
    P = np.stack(columns, axis=1)
    return np.hstack([1 - P, P]) if n_classes == 2 else P / np.maximum(P.sum(axis=1, keepdims=True), 1e-12)


def self_training(domains: Domains, start: Array, rounds: Sequence[tuple[float, float]] = CURRICULUM) -> Array:
    """Fit again on the source and the most confident predictions per class.

    Each round has a share of the target and a weight of the source: the share grows and the weight falls.
    """
    (X, codes), Xt = domains.labelled(), domains.target_documents()
    P = start
    for share, weight in rounds:
        rows = top_per_class(P, share)
        labels, documents = np.concatenate([codes, P.argmax(axis=1)[rows]]), stack_rows([X, Xt[rows]])
        weights = np.append(np.full(len(codes), weight), np.ones(len(rows)))
        model = _logistic(START_C, balanced=True, tol=1e-3).fit(short_indices(documents), labels, sample_weight=weights)
        P = model.predict_proba(short_indices(Xt))
    return P


def top_per_class(P: Array, share: float) -> Array:
    """Rows of the most probable documents of each predicted class: this share of them, at least one."""
    codes, top = P.argmax(axis=1), P.max(axis=1)
    rows = [np.flatnonzero(codes == c) for c in np.unique(codes)]
    return np.concatenate([r[np.argsort(-top[r], kind="stable")[: int(np.ceil(share * len(r)))]] for r in rows])


def _logistic(C: float, *, balanced: bool = False, tol: float = 1e-4) -> LogisticRegression:
    return LogisticRegression(C=C, max_iter=1000, tol=tol, class_weight="balanced" if balanced else None)
