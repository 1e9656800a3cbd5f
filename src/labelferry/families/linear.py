"""Linear models of the labelled documents: the source-only answer, and the start of most methods."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import softmax
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domain, Domains
from ..core.proportions import fit_label_proportions
from ..linalg.matrix import Array, Matrix, short_indices
from ..linalg.normalize import unit_rows

START_C = 10.0  # tf-idf rows have unit length: little shrinkage serves them best
GRID = (0.1, 1.0, 10.0, 100.0)  # of C, for logistic regression
N_FOLDS = 5
FEW, MAX_WITH_FEW = 10, 0.75  # documents per class, and the accuracy that can be claimed with fewer

logger = logging.getLogger(__name__)


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

    def proba(self, X: Matrix) -> Array:
        """The probabilities of a multinomial (for two classes: logistic) model."""
        return softmax(self.decide(X), axis=1)


class LinearClassifier(TransductiveClassifier):
    """Shell of the estimators whose state is a LinearModel, the same for every domain."""

    State: ClassVar[type] = LinearModel

    def _fold_in(self, X: Matrix, d: int) -> Array:
        return self.state_.proba(X)


def weights(model: Any, dtype: Any) -> LinearModel:
    """The weights of a fitted linear classifier of scikit-learn."""
    return LinearModel(model.coef_.astype(dtype), model.intercept_.astype(dtype))


def logistic(X: Matrix, codes: Array, C: float = START_C) -> LinearModel:
    """Logistic regression of the codes on X, in the precision of X."""
    return weights(LogisticRegression(C=C, max_iter=1000).fit(X, codes), X.dtype)


def fit_with_C(
    model: Any,
    X: Matrix,
    codes: Array,
    C: float | str,
    grid: Sequence[float],
    otherwise: float,
    sample_weight: Array | None = None,
) -> tuple[LinearModel, int, bool]:
    """The weights with the given C or, for "cv", with the one of the grid that cross-validation finds best; the number
    of the solver's iterations, and whether that was enough.

    There are as many stratified folds as the smallest class has documents, at most N_FOLDS; where a class has a single
    one there is nothing to validate on, and C is `otherwise`. The weights of documents count in the loss, not in the
    accuracy.
    """
    X = short_indices(X)
    n_folds = _n_folds(codes)
    if C == "cv" and n_folds > 1:
        search = GridSearchCV(model, {"C": list(grid)}, cv=StratifiedKFold(n_folds))
        with config_context(enable_metadata_routing=False):  # weights go to the model alone, whatever the user has set
            search.fit(X, codes, sample_weight=sample_weight)
        model = search.best_estimator_
        logger.info("C=%g by %d-fold cross-validation, accuracy %.3f", model.C, n_folds, search.best_score_)
    else:
        model = model.set_params(C=otherwise if C == "cv" else C).fit(X, codes, sample_weight=sample_weight)
    n_iter = int(np.max(model.n_iter_))
    return weights(model, X.dtype), n_iter, n_iter < model.max_iter


def held_out_accuracy(model: Any, X: Matrix, codes: Array) -> float:
    """Mean accuracy of the model over the folds of `fit_with_C`; 0 where a class has a single document."""
    n_folds = _n_folds(codes)
    return float(cross_val_score(model, X, codes, cv=StratifiedKFold(n_folds)).mean()) if n_folds > 1 else 0.0


def held_out_source_accuracy(domains: Domains) -> float:
    """Accuracy of logistic regression on held-out labelled documents.

    At most MAX_WITH_FEW if a class has fewer than FEW documents, since so few documents tell little about a class.
    """
    X, codes = domains.labelled()
    least = int(np.bincount(codes).min())
    if least < 2:
        return MAX_WITH_FEW
    accuracy = held_out_accuracy(LogisticRegression(C=START_C, max_iter=1000), short_indices(X), codes)
    return accuracy if least >= FEW else min(accuracy, MAX_WITH_FEW)


def _n_folds(codes: Array) -> int:
    """N_FOLDS, or as many as the smallest class has documents."""
    return min(N_FOLDS, int(np.bincount(codes).min()))


def start_labels(domains: Domains) -> tuple[Array, ...]:
    """V, documents x classes for each domain: one-hot where the label is given, else logistic regression's answer."""
    X, codes = domains.labelled()
    model = logistic(unit_rows(X), codes)  # of unit length, so that START_C means the same for counts and for tf-idf

    def answer(d: Domain) -> Array:
        P = model.proba(unit_rows(d.X)).astype(domains.dtype)
        return P if d.shares is None else fit_label_proportions(P[~d.known], d.shares).apply(P)

    return tuple(
        domains.one_hot(d) if d.known.all() else np.where(d.known[:, None], domains.one_hot(d), answer(d))
        for d in domains
    )
