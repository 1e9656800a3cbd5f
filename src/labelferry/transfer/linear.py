"""Linear models of the labelled documents: the source-only answer, and the start of most methods."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression

from ..linalg.matrix import Array, Matrix
from .domains import Domains

START_C = 10.0  # tf-idf rows have unit length: little shrinkage serves them best


class LinearModel(NamedTuple):
    """Weights of a linear classifier: one row a class, or a single row for two classes."""

    coef: Array
    intercept: Array

    def decide(self, X: Matrix) -> Array:
        """Documents x classes decision values; for two classes the pair (-d, d) / 2."""
        decision = X @ self.coef.T + self.intercept
        if decision.shape[1] > 1:
            return decision
        return np.hstack([-decision, decision]) / 2

    def softmax(self, X: Matrix) -> Array:
        """The probabilities of a multinomial (for two classes: logistic) model."""
        return softmax(self.decide(X), axis=1)

    def one_vs_rest(self, X: Matrix) -> Array:
        """Normalised sigmoids of one decision a class, for models that are not probabilistic."""
        decision = X @ self.coef.T + self.intercept
        p = expit(decision)
        return np.hstack([1 - p, p]) if decision.shape[1] == 1 else p


def logistic(X: Matrix, codes: Array, C: float = START_C) -> LinearModel:
    """Logistic regression of the codes on X, in the precision of X."""
    model = LogisticRegression(C=C, max_iter=1000, tol=1e-3).fit(X, codes)
    return LinearModel(model.coef_.astype(X.dtype), model.intercept_.astype(X.dtype))


def start_labels(domains: Domains) -> tuple[Array, ...]:
    """V, documents x classes for each domain: one-hot where the label is given, else logistic regression's probabilities."""
    X, codes = domains.labelled()
    model = logistic(X, codes)
    return tuple(
        domains.one_hot(d)
        if d.known.all()
        else np.where(d.known[:, None], domains.one_hot(d), model.softmax(d.X).astype(domains.dtype))
        for d in domains
    )
