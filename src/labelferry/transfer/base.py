"""TransductiveClassifier: the thin scikit-learn shell around a solver.

`fit` turns (X, y, sample_domain) into Domains, `solve` turns Domains into a Solution, and this class turns the Solution
into attributes. An estimator adds `__init__` (assignments only), `State`, `solve` and hooks; no loop, no maths.
"""

from __future__ import annotations

import logging
from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from ..linalg.matrix import Array, Matrix, empty_rows
from ..linalg.multiplicative import rows_to_one
from ..optim import Solution
from .documents import read_documents, read_sources, stack_documents, warn_of_strangers
from .domains import Domains, read_domains
from .labels import join_labels
from .prior import Balance, balances, with_shares

logger = logging.getLogger(__name__)


class TransductiveClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of all estimators.

    Attributes
    ----------
    classes_ : the labels, in the type they came in.
    transduction_ : labels of the target rows, in row order.
    transduction_proba_ : target rows x classes. A document without words has the row `class_prior_`, and
        `transduction_empty_` is True there.
    class_prior_ : what a document without words is taken for.
    balance_ : None unless the parameter `class_prior` is there and given; then one row a domain, t and the log f of (1)
        in `labelferry.transfer.prior`: what brings its answers to these shares, those for new documents too.
    n_iter_, objective_history_, converged_ : how the solver went.
    state_ : the solver's own result, in the letters of its paper.
    domain_keys_, domain_names_, domain_is_target_ : the domains, sources first.
    n_features_in_, feature_names_in_ : as in scikit-learn.
    """

    State: ClassVar[type]  # the NamedTuple the solver's Solution carries
    solve: ClassVar[Callable[..., Solution]]  # the method: solve(domains, rng=, **parameters), a pure function
    non_negative: ClassVar[bool] = False  # does X have to be >= 0?
    matches_prior: ClassVar[bool] = True  # is a parameter class_prior met here? Otherwise `solve` is given it
    drops_empty: ClassVar[bool] = True  # are documents without words left out of what `solve` gets?

    # Requested by default, so that meta-estimators and skada's splitters and scorers hand them over unasked.
    __metadata_request__fit: ClassVar = {"sample_domain": True}
    __metadata_request__predict: ClassVar = {"sample_domain": True, "allow_source": True}
    __metadata_request__predict_proba: ClassVar = {"sample_domain": True, "allow_source": True}
    __metadata_request__score: ClassVar = {"sample_domain": True}

    # -- what an estimator adds ---------------------------------------------------------------------------------------
    @abstractmethod
    def _fold_in(self, X: Matrix, d: int) -> Array:
        """Scores (documents x classes, >= 0) of new documents of the d-th domain, once `state_` is there."""

    def _scores(self, domains: Domains) -> list[Array]:
        """Scores of the documents of every target. Unless the solver holds them, as those of new documents."""
        return [self._fold_in(domain.X, d) for d, domain in enumerate(domains) if domain.is_target]

    def _prior(self, domains: Domains) -> Array:
        """What a document without words is taken for."""
        return domains.class_prior if domains.target_prior is None else domains.target_prior

    def _classes(self, domains: Domains) -> Array:
        """What the columns of the scores stand for."""
        return domains.classes

    # -- what users call ----------------------------------------------------------------------------------------------
    def fit(
        self, X: Any, y: Any, sample_domain: Any = None, *, target: Any = None, use_target_labels: bool = False
    ) -> TransductiveClassifier:
        """Label the target rows of X.

        Parameters
        ----------
        X : documents x words, sparse or dense.
        y : one label a row. Unlabelled is -1 for integers and None, NaN or "" for strings.
        sample_domain : one integer a row, >= 0 a source, < 0 a target, one number a domain; or one name a row.
            None: the unlabelled rows are the target, the others one source.
        target : the name (or names) of the target, where sample_domain holds names.
        use_target_labels : learn from labels on target rows too; otherwise they are not looked at.
        """
        return self._fit(X, y, sample_domain, target=target, use_target_labels=use_target_labels)

    def transfer(self, Xs: Any, ys: Any, Xt: Any) -> Array:
        """Labels of the documents Xt, learnt from the documents Xs with labels ys; lists of these: several sources."""
        blocks, labels = read_sources(Xs, ys, Xt)
        sizes = [X.shape[0] for X in blocks]
        y = join_labels(labels, type(self).__name__)
        y = np.concatenate([y, np.repeat(y[:1], sizes[-1])])  # the target's labels are never looked at
        names = ["source"] if len(labels) == 1 else [f"source {i}" for i in range(1, len(labels) + 1)]
        keys = np.repeat([*names, "target"], sizes)
        return self.fit(stack_documents(blocks), y, keys, target="target").transduction_

    def predict_proba(self, X: Any, sample_domain: Any = None, *, allow_source: bool = False) -> Array:
        """Class probabilities of new documents of the target; with several targets `sample_domain` says which."""
        check_is_fitted(self)
        X = read_documents(self, X, reset=False)
        domain_of = self._domain_of_rows(X.shape[0], sample_domain, allow_source)
        proba = np.empty((X.shape[0], len(self.classes_)), dtype=X.dtype)
        for d in np.unique(domain_of):
            rows = domain_of == d
            proba[rows] = self._balanced(self._fold_in(X if rows.all() else X[rows], int(d)), int(d))
        return _probabilities(proba, empty_rows(X), self.class_prior_)

    def predict(self, X: Any, sample_domain: Any = None, *, allow_source: bool = False) -> Array:
        """Labels of new documents of the target; with several targets `sample_domain` says which."""
        proba = self.predict_proba(X, sample_domain, allow_source=allow_source)
        return self.classes_[proba.argmax(axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None, sample_domain: Any = None) -> float:
        """Accuracy on new documents of the target. Rows that `sample_domain` gives to a source are left out."""
        if sample_domain is None or np.ndim(sample_domain) == 0:
            return float(accuracy_score(y, self.predict(X, sample_domain), sample_weight=sample_weight))
        check_is_fitted(self)
        keys = np.asarray(sample_domain, dtype=object)
        sources = [
            key for key, is_target in zip(self.domain_keys_, self.domain_is_target_, strict=True) if not is_target
        ]
        rows = np.flatnonzero([key not in sources for key in keys])
        if len(rows) == 0:
            raise ValueError("there is no target row to score: sample_domain gives every row to a source.")
        weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
        labels = self.predict(_safe_indexing(X, rows), keys[rows])
        return float(accuracy_score(np.asarray(y)[rows], labels, sample_weight=weight))

    def save(self, path: Any) -> None:
        """Write the fitted estimator to one file without pickle; `labelferry.load(path)` reads it back."""
        from .persist import save

        save(self, path)

    # -- how it is done -----------------------------------------------------------------------------------------------
    def _fit(self, X: Any, y: Any, sample_domain: Any, *, target: Any, use_target_labels: bool, **data: Any) -> Any:
        """`fit` with the data that only some methods take (graphs); each keyword is handed on to `solve`."""
        self._validate_params()
        fitted = type(self)(**self.get_params(deep=False))  # an error on the way leaves the estimator as it was
        X = read_documents(fitted, X, reset=True)
        domains = read_domains(
            X, y, sample_domain, target=target, use_target_labels=use_target_labels, estimator=type(self).__name__
        )
        warn_of_strangers(domains)
        fitted._take(domains, **data)
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # nothing survives from an earlier fit
        self.__dict__.update(vars(fitted))
        return self

    def _take(self, domains: Domains, **data: Any) -> Any:
        """Solve, and keep what comes of it; `fit` once the domains have been read."""
        domains = with_shares(domains, getattr(self, "class_prior", None) if self.matches_prior else None)
        speaking = domains.with_words() if self.drops_empty else domains
        # Factors are tall and thin: a second BLAS thread gains little and, waiting, slows the sparse products by half.
        with threadpool_limits(limits=1, user_api="blas"):
            solution = type(self).solve(speaking, rng=self._rng(), **self._settings(), **data)
        self.state_ = solution.state
        self.n_iter_, self.converged_ = solution.n_iter, solution.converged
        self.objective_history_ = np.array(solution.history)
        self._set_domains(domains)
        self._set_transduction(domains, speaking)
        return self

    def _settings(self) -> dict[str, Any]:
        """The parameters under the names `solve` knows them by: not the seed, nor a class_prior met here."""
        ours = {"random_state", "class_prior"} if self.matches_prior else {"random_state"}
        return {name: value for name, value in self.get_params(deep=False).items() if name not in ours}

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(check_random_state(getattr(self, "random_state", None)).randint(2**31 - 1))

    def _set_domains(self, domains: Domains) -> None:
        self.classes_ = self._classes(domains)
        self.class_prior_ = np.asarray(self._prior(domains), dtype=domains.dtype)
        self.domain_keys_ = [d.key for d in domains]
        self.domain_names_ = [d.name for d in domains]
        self.domain_is_target_ = np.array([d.is_target for d in domains])

    def _balanced(self, scores: Array, d: int) -> Array:
        """Scores of documents of the d-th domain, brought to its shares; where nothing speaks, nothing does."""
        if self.balance_ is None:
            return scores
        power, *log_factor = self.balance_[d]
        P = Balance(power, np.array(log_factor)).apply(rows_to_one(scores))
        return np.where(scores.sum(axis=1, keepdims=True) > 0, P, 0)

    def _set_transduction(self, domains: Domains, speaking: Domains) -> None:
        """Answers for all documents of the targets, from those that have words and so were in the fit."""
        of_targets = self._scores(speaking)
        self.balance_ = balances(speaking, of_targets)
        targets = (d for d, domain in enumerate(speaking) if domain.is_target)
        scores = speaking.in_row_order(map(self._balanced, of_targets, targets))
        rows = np.searchsorted(domains.target_rows, speaking.target_rows)
        self.transduction_empty_ = domains.in_row_order(empty_rows(d.X) for d in domains.targets)
        proba = np.tile(self.class_prior_, (len(self.transduction_empty_), 1))
        proba[rows] = _probabilities(scores, self.transduction_empty_[rows], self.class_prior_)
        given = domains.in_row_order(domains.one_hot(d) for d in domains.targets)
        known = given.any(axis=1)
        if known.any():
            proba[known] = given[known]
        self.transduction_proba_ = proba
        self.transduction_ = self.classes_[proba.argmax(axis=1)]
        if self.transduction_empty_.any():
            logger.info(
                "%d of %d target documents have no words and get the class prior; transduction_empty_ marks them",
                self.transduction_empty_.sum(),
                len(proba),
            )

    def _domain_of_rows(self, n_rows: int, sample_domain: Any, allow_source: bool) -> Array:
        """Index of every row's domain."""
        targets = np.flatnonzero(self.domain_is_target_)
        if sample_domain is None:
            if len(targets) > 1:
                names = [self.domain_keys_[d] for d in targets]
                raise ValueError(f"there are several targets, {names}: say by sample_domain which one each row is of.")
            return np.full(n_rows, targets[0])
        given = np.asarray(sample_domain, dtype=object)
        if given.shape not in ((), (n_rows,)):
            raise ValueError(f"sample_domain must be one domain, or one a row: ({n_rows},); got shape {given.shape}.")
        keys = np.broadcast_to(given, (n_rows,))
        index = {key: d for d, key in enumerate(self.domain_keys_) if allow_source or self.domain_is_target_[d]}
        unknown = sorted({str(key) for key in keys if key not in index})
        if unknown:
            raise ValueError(
                f"sample_domain={unknown[0]} is not a domain to predict for; known are {list(index)}. "
                "Leave sample_domain out for the target, or pass allow_source=True for the sources."
            )
        return np.array([index[key] for key in keys])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.non_negative
        tags.target_tags.required = True
        tags.classifier_tags.poor_score = self.non_negative  # models of word counts: two blobs in the plane are none
        return tags


def _probabilities(scores: Array, empty: Array, prior: Array) -> Array:
    """Rows of scores as probabilities; the prior where nothing speaks for any class."""
    proba = rows_to_one(scores)
    proba[empty | (scores.sum(axis=1) <= 0)] = prior
    return proba
