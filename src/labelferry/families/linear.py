"""Linear models of the labelled documents: the source-only classifier, and the start of most methods."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import softmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from ..core.classifier import TransductiveClassifier
from ..core.domains import Domain, Domains
from ..core.proportions import fit_label_proportions
from ..core.sampling import MAX_FITTED, sample_per_class
from ..linalg.content import row_keys
from ..linalg.matrix import Array, Matrix, in_memory, is_blocked, short_indices
from ..linalg.normalize import normalize_rows_l2
from ..linalg.threads import each
from .blocked_logistic import BlockedLogistic

START_C = 10.0  # tf-idf rows have unit length: little shrinkage is best for them
GRID = (0.1, 1.0, 10.0, 100.0)  # values of C for logistic regression
N_FOLDS = 5
TOL = 1e-4  # largest entry of the gradient of the mean loss at the end
MAX_TRAINING = 10_000  # documents that a fit for cross-validation is trained on

logger = logging.getLogger(__name__)


class LinearModel(NamedTuple):
    """Weights of a linear classifier: one row per class, or a single row for two classes."""

    coef: Annotated[Array, "outputs x features"]
    intercept: Annotated[Array, "outputs"]

    def decide(self, X: Matrix) -> Array:
        """Documents x classes decision values; for two classes the pair (-d, d) / 2."""
        decision: Array = X @ self.coef.T + self.intercept
        if decision.shape[1] > 1:
            return decision
        return np.hstack([-decision, decision]) / 2

    def proba(self, X: Matrix) -> Array:
        """Probabilities of a multinomial (for two classes: logistic) model."""
        proba: Array = softmax(self.decide(X), axis=1)
        return proba


class LinearFit(NamedTuple):
    """A fitted linear model, and how the solver ended."""

    model: LinearModel
    n_iter: int
    converged: bool


class ChosenC(NamedTuple):
    """C by cross-validation."""

    C: float
    accuracy: float  # mean over the folds
    held_out: Array  # what the fits without a document predict for it: its code, or a row of probabilities


class LinearClassifier(TransductiveClassifier):
    """Base class of the estimators whose state is a LinearModel, the same for each domain."""

    State: ClassVar[type] = LinearModel

    def _fold_in(self, X: Matrix, d: int) -> Array:
        model: LinearModel = self.state_
        return model.proba(X)


def weights(model: Any, dtype: Any) -> LinearModel:
    """The weights of a fitted linear classifier of scikit-learn."""
    return LinearModel(model.coef_.astype(dtype), model.intercept_.astype(dtype))


def logistic_regression(C: float = START_C, **settings: Any) -> LogisticRegression:
    """Unfitted logistic regression with the solver for sparse text."""
    # Newton's method with conjugate gradients needs products with X only, as the default of scikit-learn, L-BFGS, does.
    # It takes fewer of them: with warm starts along the values of C, cross-validation takes a third to a half of the
    # time (`python -m benchmarks.solvers`). It stores five vectors of weights instead of twenty. liblinear does not
    # support more than two classes and shrinks the intercept; newton-cholesky would form a words x words matrix.
    return LogisticRegression(C=C, solver="newton-cg", max_iter=100, **{"tol": TOL, **settings})


def logistic(X: Matrix, codes: Array, C: float = START_C) -> LinearModel:
    """Logistic regression of the codes on X, in the precision of X."""
    X = in_memory_if_few(X)
    model = BlockedLogistic(C, tol=TOL) if is_blocked(X) else logistic_regression(C)
    return weights(model.fit(in_double_precision(X), codes), X.dtype)


def balanced_weights(codes: Array) -> Array:
    """One weight per document, mean one, so that all classes have the same total weight.

    >>> balanced_weights(np.array([0, 0, 0, 1])).round(2).tolist()
    [0.67, 0.67, 0.67, 2.0]
    """
    counts = np.bincount(codes)
    return np.asarray(len(codes) / ((counts > 0).sum() * np.maximum(counts, 1)))[codes]


def in_memory_if_few(X: Matrix) -> Any:
    """Blocks of at most MAX_FITTED documents in memory: the answer is then that of the solver for one matrix."""
    return in_memory(X) if X.shape[0] <= MAX_FITTED else X


def in_double_precision(X: Matrix) -> Any:
    """X in double precision, for solvers of scikit-learn: squares of gradients may overflow in single precision."""
    return X if is_blocked(X) or X.dtype == np.float64 else X.astype(np.float64)  # type: ignore[attr-defined]


def fit_with_C(
    model: Any,
    X: Matrix,
    codes: Array,
    C: float | str,
    grid: Sequence[float],
    default_C: float,
    sample_weight: Array | None = None,
) -> LinearFit:
    """Fit a linear classifier with the given C, or with the best C of a grid by stratified cross-validation."""
    # `C`: the value of C, or "cv" for cross-validation. The number of folds is that of the different documents of the
    # smallest class, at most N_FOLDS. `default_C`: used for "cv" if a class has a single document, so that
    # cross-validation is impossible. Returns the weights in the precision of X, the number of iterations of the solver,
    # and whether it converged.
    X = short_indices(in_memory_if_few(X))
    if C == "cv":
        chosen = choose_C(model, X, codes, grid, proba=False, sample_weight=sample_weight)
        C = default_C if chosen is None else chosen.C
    if is_blocked(X):
        model = BlockedLogistic(tol=TOL)
    model.set_params(C=C).fit(in_double_precision(X), codes, sample_weight=sample_weight)
    n_iter = int(np.max(model.n_iter_))
    return LinearFit(weights(model, X.dtype), n_iter, n_iter < model.max_iter)


def choose_C(
    model: Any,
    X: Matrix,
    codes: Array,
    grid: Sequence[float],
    *,
    proba: bool,
    sample_weight: Array | None = None,
) -> ChosenC | None:
    """The first C with the best mean accuracy over stratified folds; None if a class has a single document."""
    # In every fold, the fit for the next C starts from the weights of the one before, if the model supports this. The
    # held-out predictions are probabilities if `proba` is True, otherwise codes.
    folds = training_folds(X, codes)
    if not folds:
        return None

    def path(train: Array, test: Array) -> list[Array]:
        fold_model = clone(model)
        if "warm_start" in fold_model.get_params():
            fold_model.set_params(warm_start=True)
        weight = None if sample_weight is None else sample_weight[train]
        X_train, X_test = in_double_precision(in_memory(X[train])), X[test]
        predicted = []
        for C in grid:
            fitted = weights(fold_model.set_params(C=C).fit(X_train, codes[train], sample_weight=weight), X.dtype)
            predicted.append(fitted.proba(X_test) if proba else fitted.decide(X_test).argmax(axis=1))
        return predicted

    predicted = list(zip(*each(path, *zip(*folds, strict=True)), strict=True))  # per C: one array per fold
    accuracies = [
        float(np.mean([(_codes(part) == codes[test]).mean() for part, (_, test) in zip(parts, folds, strict=True)]))
        for parts in predicted
    ]
    best = int(np.argmax(accuracies))
    held_out = np.concatenate(predicted[best])
    held_out[np.concatenate([test for _, test in folds])] = held_out.copy()
    logger.info("C=%g by %d-fold cross-validation, accuracy %.3f", grid[best], len(folds), accuracies[best])
    return ChosenC(grid[best], accuracies[best], held_out)


def _codes(predicted: Array) -> Array:
    return predicted if predicted.ndim == 1 else np.asarray(predicted.argmax(axis=1))


def training_folds(X: Matrix, codes: Array) -> list[tuple[Array, Array]]:
    """Training and test rows of stratified folds, at most MAX_TRAINING training rows each; none if a class has one row.

    Every row is a test row once. Of more training rows, a sample is used. Equal rows of a class, such as those of files
    with the same documents, are in one fold: otherwise a model would be tested on documents that it has learned. The
    rows of a class in which all are equal are in different folds: the other classes can be tested only like this.
    """
    labelled = np.stack([row_keys(X), codes], axis=1)
    _, first, copy_of = np.unique(labelled, axis=0, return_index=True, return_inverse=True)
    equal_to = first[copy_of]  # the first row that is equal to a row
    all_equal = np.bincount(codes[first], minlength=int(codes.max()) + 1)[codes] == 1
    equal_to[all_equal] = np.flatnonzero(all_equal)
    distinct = np.unique(equal_to)
    k = n_folds(codes[distinct])
    if k < 2:
        return []
    fold = np.empty(len(codes), dtype=np.intp)
    for number, (_, test) in enumerate(StratifiedKFold(k).split(distinct, codes[distinct])):
        fold[distinct[test]] = number
    fold = fold[equal_to]
    folds = [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(k)]
    return [(train[sample_per_class(codes[train], MAX_TRAINING)], test) for train, test in folds]


def held_out_accuracy(model: Any, X: Matrix, codes: Array) -> float:
    """Mean accuracy of the model over the folds of `fit_with_C`; 0 if a class has a single document."""
    k = n_folds(codes)
    return float(cross_val_score(model, X, codes, cv=StratifiedKFold(k)).mean()) if k > 1 else 0.0


def start_labels(domains: Domains, C: float | str = START_C) -> tuple[Array, ...]:
    """V, documents x classes per domain: one-hot if the label is given, else probabilities of logistic regression."""
    X, codes = domains.labelled()
    X = normalize_rows_l2(X)  # so that C has the same effect for counts and tf-idf
    model = fit_with_C(logistic_regression(), X, codes, C, GRID, START_C).model

    def predict(d: Domain) -> Array:
        P = model.proba(normalize_rows_l2(d.X)).astype(domains.dtype)
        return P if d.shares is None else fit_label_proportions(P[~d.known], d.shares).apply(P)

    return tuple(
        domains.one_hot(d) if d.known.all() else np.where(d.known[:, None], domains.one_hot(d), predict(d))
        for d in domains
    )


def n_folds(codes: Array) -> int:
    """N_FOLDS, or the number of documents of the smallest class if that is smaller."""
    return min(N_FOLDS, int(np.bincount(codes).min()))
