"""The student: logistic regression on target documents with predicted labels, for documents that were not in a fit."""

from __future__ import annotations

import numpy as np

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..families.linear import LinearModel, logistic
from ..linalg.matrix import Array, Matrix, stack_rows


def fit_student(X: Matrix, codes: Array, domains: Domains) -> LinearModel:
    """A classifier of the target's documents with the predicted labels; with the source's if a class has none."""
    if len(np.unique(codes)) < domains.n_classes:
        Xs, ys = domains.labelled()
        return logistic(stack_rows([Xs, X]), np.concatenate([ys, codes]))
    return logistic(X, codes)


def predict_all(estimator: TransductiveClassifier, sample: Domains, domains: Domains) -> Array:
    """Probabilities of all target rows by an estimator that is fitted on a sample of the domains.

    Returns in row order. Documents outside of the sample are predicted as new documents; if the estimator searches
    neighbors for that, which is slow, the student predicts them.
    """
    P: Array = estimator.fit_domains(sample).transduction_proba_
    if sample is domains:
        return P
    if "n_neighbors" in estimator.get_params():
        return extend(P, sample, domains)
    proba = domains.in_row_order(estimator.predict_proba(d.X, d.key) for d in domains.targets)
    proba[rows_of(sample, domains)] = P
    return proba


def extend(P: Array, sample: Domains, domains: Domains) -> Array:
    """Probabilities of all target rows: P for those of the sample, the student's for the others."""
    if sample is domains:
        return P
    proba = fit_student(sample.target_documents(), P.argmax(axis=1), sample).proba(domains.target_documents())
    proba[rows_of(sample, domains)] = P
    return proba


def rows_of(sample: Domains, domains: Domains) -> Array:
    """Positions of the target rows of the sample among all."""
    return np.searchsorted(domains.target_rows, sample.target_rows)
