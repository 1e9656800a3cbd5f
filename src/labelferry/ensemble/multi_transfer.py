"""MultiLabelTransfer: several labels per document, as an indicator matrix; one yes/no transfer per column.

Each column is fitted by a copy of one estimator. What depends on the documents alone, such as their order and their
neighbors, is computed once for all columns (`linalg/shared.py`).
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..core.classifier import TransductiveClassifier
from ..linalg.matrix import Array
from ..linalg.shared import sharing
from .auto_transfer import AutoTransfer

UNLABELLED = -1


class MultiLabelTransfer(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """One yes/no transfer per label, with indicator matrices in and out.

    It is `OneVsRestClassifier` for documents of two domains. With one label per row (y of one axis or one column) it is
    the wrapped estimator.

    Parameters
    ----------
    estimator : TransductiveClassifier, default=None
        The estimator of each label; None: `AutoTransfer(random_state=0)`.

    Attributes
    ----------
    estimators_ : list of TransductiveClassifier or None
        One fitted estimator per column; None for a column in which all labelled rows are equal.
    classes_ : array
        0 and 1, or the classes if y has one axis.
    transduction_ : array of shape (n_target, n_labels)
        0 and 1: the labels of the target rows, in row order.
    transduction_proba_ : array of shape (n_target, n_labels)
        Probability of each label.
    constant_ : array of shape (n_labels,)
        The value of a column that was not fitted; -1 for all others.
    multilabel_ : bool
        Whether Y was an indicator matrix.
    n_features_in_, feature_names_in_ : int, array
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from labelferry import MultiLabelTransfer, SourceLR, load_demo
    >>> demo = load_demo()
    >>> Y = np.stack([demo.y_source == c for c in np.unique(demo.y_source)], axis=1).astype(int)
    >>> fitted = MultiLabelTransfer(SourceLR())
    >>> fitted.transfer(demo.X_source, Y, demo.X_target).shape == (len(demo.y_target), Y.shape[1])
    True
    """

    # As for the estimators that it wraps.
    __metadata_request__fit: ClassVar = {"sample_domain": True}
    __metadata_request__predict: ClassVar = {"sample_domain": True}
    __metadata_request__predict_proba: ClassVar = {"sample_domain": True}

    estimators_: list[TransductiveClassifier | None]
    transduction_: Array
    transduction_proba_: Array
    constant_: Array
    classes_: Array
    multilabel_: bool

    def __init__(self, estimator: TransductiveClassifier | None = None) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_domain: Any = None, *, target: Any = None) -> Self:
        """Predict the labels of the target rows of X.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            The documents of all domains.
        y : array of shape (n_documents, n_labels)
            1 if the row has the label, else 0; -1 (or NaN) in the whole row of a document without labels.
        sample_domain : array of shape (n_documents,), default=None
            As in `TransductiveClassifier.fit`; None: the rows of -1 are the target.
        target : str or list of str, default=None
            As in `TransductiveClassifier.fit`.

        Returns
        -------
        self : MultiLabelTransfer
            The fitted estimator.
        """
        rows = np.asarray(y) if y is not None else None
        if rows is None or rows.ndim < 2 or rows.shape[1] == 1:  # one column is read as in all of scikit-learn
            only = self._new().fit(X, y, sample_domain, target=target)
            return self._adopt([only], np.array([UNLABELLED]), multilabel=False)
        Y = read_indicator(rows)
        fitted: list[TransductiveClassifier | None] = []
        constant = np.full(Y.shape[1], UNLABELLED)
        with sharing():
            for j, column in enumerate(Y.T):
                seen = np.unique(column[self._labelled(column, sample_domain)])
                if len(seen) == 1:
                    constant[j] = seen[0]
                    fitted.append(None)
                    continue
                fitted.append(self._new().fit(X, column, sample_domain, target=target))
        if not any(fitted):
            raise ValueError("no column of y has both 0 and 1 on labelled rows: there is nothing to learn.")
        return self._adopt(fitted, constant, multilabel=True)

    def transfer(self, Xs: Any, ys: Any, Xt: Any) -> Array:
        """Fit on labelled documents and predict the labels of others; see `TransductiveClassifier.transfer`."""
        stack = sp.vstack if sp.issparse(Xs) else np.vstack
        X, Y = stack([Xs, Xt]), np.asarray(ys)
        rest = np.full((Xt.shape[0], *Y.shape[1:]), UNLABELLED)
        self.fit(X, np.concatenate([Y, rest]), np.repeat([1, -2], [Xs.shape[0], Xt.shape[0]]))
        return self.transduction_

    def predict_proba(self, X: Any, sample_domain: Any = None) -> Array:
        """Probability of each label of new documents; of each class if y had one axis."""
        check_is_fitted(self)
        parts = self._of_columns(lambda estimator: estimator.predict_proba(X, sample_domain))
        return parts[0] if not self.multilabel_ else np.stack([P[:, 1] for P in parts], axis=1)

    def predict(self, X: Any, sample_domain: Any = None) -> Array:
        """Labels of new documents as an indicator matrix; as one label per row if y had one axis."""
        check_is_fitted(self)
        if not self.multilabel_:
            return np.asarray(self.classes_[self.predict_proba(X, sample_domain).argmax(axis=1)])
        return np.asarray(self.predict_proba(X, sample_domain) > 0.5).astype(int)

    def _new(self) -> TransductiveClassifier:
        return AutoTransfer(random_state=0) if self.estimator is None else clone(self.estimator)

    def _labelled(self, column: Array, sample_domain: Any) -> Array:
        """The rows whose labels count: with numbers as domains those of sources, else those with a label."""
        domains = None if sample_domain is None else np.asarray(sample_domain)
        inside: Array = column != UNLABELLED
        if domains is not None and domains.dtype.kind in "iu":
            inside = inside & (domains >= 0)
        return inside

    def _of_columns(self, predict: Any) -> list[Array]:
        """What each estimator predicts; a column that was not fitted is certain."""
        found = [None if estimator is None else predict(estimator) for estimator in self.estimators_]
        n = next(len(P) for P in found if P is not None)
        return [
            np.tile(np.eye(2)[value], (n, 1)) if P is None else P
            for P, value in zip(found, self.constant_.tolist(), strict=True)
        ]

    def _adopt(self, fitted: list[Any], constant: Array, *, multilabel: bool) -> Self:
        self.estimators_, self.constant_, self.multilabel_ = fitted, constant, multilabel
        one = next(estimator for estimator in fitted if estimator is not None)
        self.classes_ = one.classes_
        self.n_features_in_ = one.n_features_in_
        if hasattr(one, "feature_names_in_"):
            self.feature_names_in_ = one.feature_names_in_
        if not multilabel:
            self.transduction_, self.transduction_proba_ = one.transduction_, one.transduction_proba_
            return self
        parts = self._of_columns(lambda estimator: estimator.transduction_proba_)
        self.transduction_proba_ = np.stack([P[:, 1] for P in parts], axis=1)
        labels = self._of_columns(lambda estimator: np.eye(2)[np.searchsorted(one.classes_, estimator.transduction_)])
        self.transduction_ = np.stack([L[:, 1] for L in labels], axis=1).astype(int)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self._new())
        tags.input_tags.sparse, tags.input_tags.positive_only = own.input_tags.sparse, own.input_tags.positive_only
        tags.target_tags.required = True
        tags.classifier_tags.poor_score = own.classifier_tags.poor_score
        tags.classifier_tags.multi_label = True
        return tags


def read_indicator(Y: Array) -> Array:
    """An indicator matrix of 0, 1 and, in whole rows, -1; an error names the row that is something else."""
    values = np.where(Y != Y, UNLABELLED, Y) if Y.dtype.kind == "f" else Y
    if values.ndim != 2 or values.dtype.kind not in "biuf" or not np.isin(values, (UNLABELLED, 0, 1)).all():
        raise ValueError(
            "y must be an indicator matrix: 1 and 0, one column per label, and rows of -1 for documents without labels."
        )
    partly = (values == UNLABELLED).any(axis=1) & ~(values == UNLABELLED).all(axis=1)
    if partly.any():
        raise ValueError(f"row {int(partly.argmax())} of y has some labels and -1: it must have all, or -1 everywhere.")
    return np.asarray(values).astype(int)
