"""OnlineClassifier: a fitted estimator that later documents of the target can be added to."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from ..linalg.matrix import Matrix, empty_rows
from .classifier import TransductiveClassifier
from .documents import read_documents
from .params import check_params
from .threads import single_thread


class OnlineClassifier(TransductiveClassifier):
    """Base class of estimators with `partial_fit`."""

    __metadata_request__partial_fit: ClassVar = {"sample_domain": True}

    @abstractmethod
    def _absorb(self, X: Matrix, d: int) -> None:
        """Replace `state_` by one that also describes these documents of the d-th domain."""

    def partial_fit(self, X: Any, y: Any = None, sample_domain: Any = None, classes: Any = None) -> Self:
        """Update the model with later documents of the target, without the documents of earlier calls.

        The first call is `fit`: it needs labelled documents of a source and the first documents of the target. Later
        calls take documents of the target only. Their labels are estimated with the current model, then the model is
        updated with sums over these documents; what was estimated for earlier documents does not change. The order of
        the batches has a small effect. `transduction_` stays that of `fit`: call `predict` for later documents.

        `X`: in the first call the documents of all domains; then documents of the target, with the same columns.
        `y`: labels, in the first call only; see `fit`. Labels of the target are never used.
        `sample_domain`: in the first call as in `fit`; then the target of each document, needed if there are
        several.
        `classes`: ignored, for compatibility with scikit-learn: the classes are those of the first call.
        """
        if not hasattr(self, "state_"):
            return self.fit(X, y, sample_domain)
        check_params(self)
        X = read_documents(self, X, reset=False)
        domain_of = self._domain_of_rows(X.shape[0], sample_domain, allow_source=False)
        domain_of = np.where(empty_rows(X), -1, domain_of)  # a document without words says nothing
        updated = copy(self)
        with single_thread("blas"):
            for d in np.unique(domain_of[domain_of >= 0]):
                rows = domain_of == d
                updated._absorb(X if rows.all() else X[rows], int(d))
        self.__dict__.update(vars(updated))
        return self
