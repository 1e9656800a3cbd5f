"""Logistic regression of documents in blocks: the objective of scikit-learn's LogisticRegression, minimized by L-BFGS.

    minimize  1/n sum_i loss(y_i, x_i'W + b)  +  1/(2 C n) ||W||^2                                                   (1)

The loss is the logistic one for two classes (W has one column) and the multinomial one for more. One pass over the
documents gives the loss and its gradient: a block is multiplied by W, and its transpose by the residuals.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from ..linalg.matrix import Array, Matrix, map_reduce


class BlockedLogistic(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Logistic regression of any Matrix, with the interface of scikit-learn's LogisticRegression."""

    def __init__(self, C: float = 1.0, *, tol: float = 1e-4, max_iter: int = 1000) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Matrix, codes: Array, sample_weight: Array | None = None) -> Self:
        """Minimize (1)."""
        self.classes_, y = np.unique(codes, return_inverse=True)
        k = len(self.classes_) if len(self.classes_) > 2 else 1
        m = X.shape[1]
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        total = weight.sum()

        def objective(flat: Array) -> tuple[float, Array]:
            W, b = flat[: m * k].reshape(m, k), flat[m * k :]
            shared = (W.astype(X.dtype), b.astype(X.dtype))
            _, (loss, of_W, of_b) = map_reduce(loss_and_gradient, X, y, weight, shared=shared)
            value = (loss + np.vdot(W, W) / (2 * self.C)) / total
            return float(value), np.concatenate([((of_W + W / self.C) / total).ravel(), of_b / total])

        options = {"maxiter": self.max_iter, "gtol": self.tol, "ftol": 64 * np.finfo(float).eps, "maxls": 50}
        found = minimize(objective, np.zeros((m + 1) * k), jac=True, method="L-BFGS-B", options=options)
        self.coef_, self.intercept_ = found.x[: m * k].reshape(m, k).T, found.x[m * k :]
        self.n_iter_ = int(found.nit)
        self.n_features_in_ = m
        return self

    def predict_proba(self, X: Matrix) -> Array:
        """Class probabilities of documents."""
        z = X @ self.coef_.T.astype(X.dtype) + self.intercept_.astype(X.dtype)
        proba: Array = np.hstack([expit(-z), expit(z)]) if z.shape[1] == 1 else np.exp(log_softmax(z, axis=1))
        return proba

    def predict(self, X: Matrix) -> Array:
        """Classes of documents."""
        labels: Array = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels


def loss_and_gradient(X: Matrix, y: Array, weight: Array, W: Array, b: Array) -> tuple[None, tuple[Any, ...]]:
    """The weighted sum of the losses of some documents, and its derivatives by W and b, in double precision."""
    z = X @ W + b
    if z.shape[1] == 1:
        margin = z[:, 0]
        losses = np.logaddexp(0, margin) - y * margin
        residual = (expit(margin) - y)[:, None]
    else:
        log_p = log_softmax(z, axis=1)
        losses = -log_p[np.arange(len(y)), y]
        residual = np.exp(log_p)
        residual[np.arange(len(y)), y] -= 1
    residual = (residual * weight[:, None]).astype(z.dtype)
    gradient = np.asarray(X.T @ residual, dtype=np.float64)
    return None, (float(losses @ weight), gradient, residual.sum(axis=0, dtype=np.float64))
