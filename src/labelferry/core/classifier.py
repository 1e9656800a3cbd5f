"""TransductiveClassifier: the thin scikit-learn estimator around a solver.

`fit` turns (X, y, sample_domain) into Domains, `solve` turns Domains into a Solution, and this class turns the Solution
into attributes. An estimator adds `__init__` (assignments only), `State`, `solve` and hooks; no loop, no mathematics.
"""

from __future__ import annotations

import logging
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
from os import PathLike
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..linalg.matrix import Array, Matrix, empty_rows
from ..linalg.multiplicative import normalize_rows_l1
from .documents import read_documents, read_sources, warn_if_no_shared_words
from .domains import Domains, read_domains
from .iterate import Solution
from .labels import read_labels
from .ordering import Ordering, can_sort, sort_domains
from .params import check_params, safe_indexing
from .proportions import ProportionScaling, class_proportions, proportion_scalings, with_target_proportions
from .saving import save
from .threads import single_thread, without_line_search_warnings

logger = logging.getLogger(__name__)


class TransductiveClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base class of all estimators.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, in the type of y.
    transduction_ : array of shape (n_target,)
        Labels of the target rows, in row order.
    transduction_proba_ : array of shape (n_target, n_classes)
        Class probabilities. A document without words gets `class_prior_`.
    transduction_empty_ : array of bool, shape (n_target,)
        True for target documents without words.
    class_prior_ : array of shape (n_classes,)
        The prediction for a document without words.
    balance_ : array of shape (n_domains, 1 + n_classes), or None
        None unless the parameter `class_prior` is given; then t and log f of (1) in `labelferry.core.proportions` per
        domain, which scale the predictions (also those for new documents) to the class proportions.
    n_iter_ : int
        Number of iterations.
    objective_history_ : array
        The objective during the fit.
    converged_ : bool
        Whether the solver converged.
    state_ : NamedTuple
        The solver's result, in the notation of its paper.
    domain_keys_, domain_names_, domain_is_target_ : list, list, array of bool
        The domains, sources first.
    n_features_in_, feature_names_in_ : int, array
        As in scikit-learn.
    """

    classes_: Array
    class_prior_: Annotated[Array, "classes"]
    transduction_: Array
    transduction_proba_: Annotated[Array, "rows x classes"]
    transduction_empty_: Annotated[Array, "rows"]
    balance_: Annotated[Array, "domains x classes+1"] | None
    n_iter_: int
    converged_: bool
    objective_history_: Annotated[Array, "any or NaN"]
    domain_keys_: list[Any]
    domain_names_: list[Any]
    domain_is_target_: Annotated[Array, "domains"]
    n_features_in_: int
    state_: Any

    State: ClassVar[type]  # the NamedTuple in the solver's Solution
    solve: ClassVar[Callable[..., Solution]]  # the method: solve(domains, rng=, **parameters), a pure function
    needs_target: ClassVar[bool] = True  # does `fit` need target rows? A source-only classifier does not
    non_negative: ClassVar[bool] = False  # does X have to be >= 0?
    matches_prior: ClassVar[bool] = True  # does this class apply a parameter class_prior? Otherwise `solve` gets it
    drops_empty: ClassVar[bool] = True  # are documents without words removed before `solve`?
    sorts: ClassVar[bool] = True  # are documents, words and classes sorted by content before `solve`?
    ignores_scale: ClassVar[Literal["no", "all", "rows"]] = "no"  # what may be multiplied: nothing, X, or each row
    exceptions: ClassVar[Mapping[str, str]] = {}  # invariants of `core.checks.invariants` that it breaks, and why
    axes: ClassVar[Mapping[str, str]] = {"features": "words"}  # other names of axes in `State`: `core.ordering`
    takes_blocks: ClassVar[bool] = False  # can X be a matrix of blocks, that is, are products with it all that is used?
    graph_weights: ClassVar[tuple[str, ...]] = ()  # parameters that have to be 0 for that: weights of graphs of X

    # Requested by default, so that meta-estimators and skada's splitters and scorers pass them on.
    __metadata_request__fit: ClassVar = {"sample_domain": True}
    __metadata_request__predict: ClassVar = {"sample_domain": True, "allow_source": True}
    __metadata_request__predict_proba: ClassVar = {"sample_domain": True, "allow_source": True}
    __metadata_request__score: ClassVar = {"sample_domain": True}

    # -- what an estimator adds ---------------------------------------------------------------------------------------
    @abstractmethod
    def _fold_in(self, X: Matrix, d: int) -> Array:
        """Scores (documents x classes, >= 0) of new documents of the d-th domain; needs `state_`."""

    def _scores(self, domains: Domains) -> list[Array]:
        """Scores of the documents of each target; by default computed as for new documents."""
        return [self._fold_in(domain.X, d) for d, domain in enumerate(domains) if domain.is_target]

    def _check_domains(self, domains: Domains) -> None:
        """Raise a ValueError if the parameters do not fit the domains. `solve` sees the words that occur only."""

    def _sort_data(self, data: dict[str, Any], ordering: Ordering) -> dict[str, Any]:
        """Data that only this method takes, in the order of the sorted domains."""
        return data

    def _prior(self, domains: Domains) -> Array:
        """The prediction for a document without words."""
        return domains.class_prior if domains.target_prior is None else domains.target_prior

    def _complete(self, state: Any, absent: Array) -> Any:
        """The state with values for the words that occur in no document; they were left out and are rows of zeros."""
        return state

    def _classes(self, domains: Domains) -> Array:
        """The labels of the columns of the scores."""
        return domains.classes

    # -- what users call ----------------------------------------------------------------------------------------------
    def fit(
        self, X: Any, y: Any, sample_domain: Any = None, *, target: Any = None, use_target_labels: bool = False
    ) -> Self:
        """Predict the labels of the target rows of X.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_words)
            The documents of all domains.
        y : array of shape (n_documents,)
            One label per row. Unlabelled is -1 for integers and None, NaN or "" for strings.
        sample_domain : array of shape (n_documents,), default=None
            One integer per row: >= 0 is a source, < 0 a target, one number per domain. Or one name per row. None: the
            unlabelled rows are the target, the others are one source.
        target : str or list of str, default=None
            Name (or names) of the target if `sample_domain` contains names.
        use_target_labels : bool, default=False
            Whether to learn from labels on target rows too. By default they are never used.

        Returns
        -------
        self : TransductiveClassifier
            The fitted estimator.
        """
        return self._fit_rows(X, y, sample_domain, target=target, use_target_labels=use_target_labels)

    def transfer(self, Xs: Any, ys: Any, Xt: Any) -> Array:
        """Fit on labelled documents and predict the labels of others.

        Parameters
        ----------
        Xs : matrix of shape (n_source, n_words), or a list of matrices
            The labelled documents; a list means several sources.
        ys : array of shape (n_source,), or a list of arrays
            Their labels.
        Xt : matrix of shape (n_target, n_words)
            The documents to label.

        Returns
        -------
        labels : array of shape (n_target,)
            The predicted labels, equal to `transduction_`.
        """
        check_params(self)
        fitted = self._unfitted()
        blocks, labels = read_sources(fitted, Xs, ys, Xt)
        names = ["source"] if len(labels) == 1 else [f"source {i}" for i in range(1, len(labels) + 1)]
        sources = list(zip(names, blocks, labels, strict=False))
        domains = Domains.from_blocks(sources, ("target", blocks[-1]), estimator=type(self).__name__)
        return self._adopt(fitted.fit_domains(domains)).transduction_

    def fit_domains(self, domains: Domains, **data: Any) -> Self:
        """Fit on domains that were read and checked before: see `Domains.from_blocks` and `read_domains`.

        Parameters
        ----------
        domains : Domains
            Sources and targets.
        **data : dict
            Data that only some methods take, such as graphs; passed on to `solve`.

        Returns
        -------
        self : TransductiveClassifier
            The fitted estimator.
        """
        check_params(self)
        self._check_domains(domains)
        warn_if_no_shared_words(domains)
        domains = with_target_proportions(domains, getattr(self, "class_prior", None) if self.matches_prior else None)
        used = domains.drop_empty_documents() if self.drops_empty else domains
        # Factors are tall and thin: a second BLAS thread gains little and, waiting, slows the sparse products by half.
        with single_thread("blas"), without_line_search_warnings():
            solution = self._solve(used, data)
        fitted = copy(self)  # an error leaves this estimator as it was
        fitted.state_ = solution.state
        fitted.n_iter_, fitted.converged_ = solution.n_iter, solution.converged
        fitted.objective_history_ = np.array(solution.history)
        fitted.n_features_in_ = domains.n_words
        fitted._set_domains(domains)
        fitted._set_transduction(domains, used)
        self.__dict__.update(vars(fitted))
        return self

    def predict_proba(self, X: Any, sample_domain: Any = None, *, allow_source: bool = False) -> Array:
        """Class probabilities of new documents of the target.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_words)
            The new documents.
        sample_domain : int, str or array of shape (n_documents,), default=None
            The domain of each document; needed if there are several targets.
        allow_source : bool, default=False
            Whether `sample_domain` may name sources.

        Returns
        -------
        proba : array of shape (n_documents, n_classes)
            One column per class, in the order of `classes_`.
        """
        check_is_fitted(self)
        X = read_documents(self, X, reset=False)
        domain_of = self._domain_of_rows(X.shape[0], sample_domain, allow_source)
        proba = np.empty((X.shape[0], len(self.classes_)), dtype=X.dtype)
        for d in np.unique(domain_of):
            rows = domain_of == d
            proba[rows] = self._scaled(self._fold_in(X if rows.all() else X[rows], int(d)), int(d))
        return _probabilities(proba, empty_rows(X), self.class_prior_)

    def predict(self, X: Any, sample_domain: Any = None, *, allow_source: bool = False) -> Array:
        """Labels of new documents of the target; the parameters are those of `predict_proba`."""
        proba = self.predict_proba(X, sample_domain, allow_source=allow_source)
        labels: Array = self.classes_[proba.argmax(axis=1)]
        return labels

    def score(self, X: Any, y: Any, sample_weight: Any = None, sample_domain: Any = None) -> float:
        """Accuracy on documents with a label, predicted as documents of the target.

        Rows without a label (-1, None, NaN or "", unless -1 is a class) are ignored, so that grid searches and
        cross-validation on a whole task count the rows with a label only. Rows that `sample_domain` assigns to a source
        are ignored too. It is an error if no row is left.
        """
        check_is_fitted(self)
        labels = read_labels(y, type(self).__name__)
        has_label = ~labels.absent & ~(labels.minus_one & (-1 not in self.classes_.tolist()))
        per_row = sample_domain is not None and np.ndim(sample_domain) > 0
        domain_of = np.asarray(sample_domain, dtype=object) if per_row else sample_domain
        in_target = np.ones(len(has_label), dtype=bool)
        if per_row:
            keys = zip(self.domain_keys_, self.domain_is_target_, strict=True)
            sources = [key for key, is_target in keys if not is_target]
            in_target = np.array([key not in sources for key in domain_of], dtype=bool)
        rows = np.flatnonzero(has_label & in_target)
        if not in_target.any():
            raise ValueError("there is no target row to score: sample_domain assigns every row to a source.")
        if len(rows) == 0:
            raise ValueError("there is no row to score: none has a label. Pass the true labels of some rows in y.")
        weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
        predicted = self.predict(safe_indexing(X, rows), domain_of[rows] if per_row else sample_domain)
        return float(accuracy_score(labels.values[rows], predicted, sample_weight=weight))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to one file without pickle; `labelferry.load(path)` reads it back."""
        save(self, path)

    # -- how it is done -----------------------------------------------------------------------------------------------
    def _fit_rows(
        self, X: Any, y: Any, sample_domain: Any, *, target: Any, use_target_labels: bool, **data: Any
    ) -> Self:
        """`fit` with data that only some methods take; see `fit_domains`."""
        check_params(self)
        fitted = self._unfitted()
        X = read_documents(fitted, X, reset=True)
        domains = read_domains(
            X,
            y,
            sample_domain,
            target=target,
            use_target_labels=use_target_labels,
            needs_target=self.needs_target or getattr(self, "class_prior", None) is not None,
            estimator=type(self).__name__,
        )
        return self._adopt(fitted.fit_domains(domains, **data))

    def _unfitted(self) -> Self:
        """A copy to fit, so that an error during the fit leaves this estimator as it was."""
        return type(self)(**self.get_params(deep=False))

    def _adopt(self, fitted: Self) -> Self:
        """Take the attributes of the fitted copy; none of an earlier fit remains."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        self.__dict__.update(vars(fitted))
        return self

    def _settings(self) -> dict[str, Any]:
        """The parameters of `solve`: without the seed, and without a class_prior that is applied here."""
        ours = {"random_state", "class_prior"} if self.matches_prior else {"random_state"}
        return {name: value for name, value in self.get_params(deep=False).items() if name not in ours}

    def _solve(self, domains: Domains, data: dict[str, Any]) -> Solution:
        """`solve` in an order that depends on content only."""
        settings = self._settings()
        if not self.sorts or not can_sort(domains):
            return type(self).solve(domains, rng=self._rng(), **settings, **data)
        by_content, ordering = sort_domains(domains, drop_words=all(given is None for given in data.values()))
        prior = settings.get("class_prior")
        if prior is not None and not isinstance(prior, str):
            settings["class_prior"] = class_proportions(prior, domains)[ordering.classes]
        solution = type(self).solve(by_content, rng=self._rng(), **settings, **self._sort_data(data, ordering))
        absent = np.ones(domains.n_words, dtype=bool)
        absent[ordering.words] = False
        return solution._replace(state=self._complete(ordering.restore(solution.state, self.axes), absent))

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(check_random_state(getattr(self, "random_state", None)).randint(2**31 - 1))

    def _set_domains(self, domains: Domains) -> None:
        self.classes_ = self._classes(domains)
        self.class_prior_ = np.asarray(self._prior(domains), dtype=domains.dtype)
        self.domain_keys_ = [d.key for d in domains]
        self.domain_names_ = [d.name for d in domains]
        self.domain_is_target_ = np.array([d.is_target for d in domains])

    def _scaled(self, scores: Array, d: int) -> Array:
        """Scores of documents of the d-th domain, scaled to its class proportions. Rows of zeros stay zero."""
        if self.balance_ is None:
            return scores
        power, *log_factor = self.balance_[d]
        P = ProportionScaling(power, np.array(log_factor)).apply(normalize_rows_l1(scores))
        return np.where(scores.sum(axis=1, keepdims=True) > 0, P, 0)

    def _set_transduction(self, domains: Domains, used: Domains) -> None:
        """Predictions for all target documents, from those in the fit (`used`), which have words."""
        target_scores = self._scores(used)
        self.balance_ = proportion_scalings(used, target_scores)
        targets = (d for d, domain in enumerate(used) if domain.is_target)
        scores = used.in_row_order(map(self._scaled, target_scores, targets))
        rows = np.searchsorted(domains.target_rows, used.target_rows)
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
        """Index of the domain of each row."""
        targets = np.flatnonzero(self.domain_is_target_)
        if sample_domain is None:
            if len(targets) > 1:
                names = [self.domain_keys_[d] for d in targets]
                raise ValueError(f"there are several targets, {names}: pass sample_domain with the target of each row.")
            return np.full(n_rows, targets[0])
        given = np.asarray(sample_domain, dtype=object)
        if given.shape not in ((), (n_rows,)):
            raise ValueError(f"sample_domain must be one domain, or one per row: ({n_rows},); got shape {given.shape}.")
        keys = np.broadcast_to(given, (n_rows,))
        index = {key: d for d, key in enumerate(self.domain_keys_) if allow_source or self.domain_is_target_[d]}
        unknown = sorted({str(key) for key in keys if key not in index})
        if unknown:
            raise ValueError(
                f"sample_domain={unknown[0]} is not a domain to predict for; known are {list(index)}. "
                "Omit sample_domain for the target, or pass allow_source=True for the sources."
            )
        return np.array([index[key] for key in keys])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.non_negative
        tags.target_tags.required = True
        tags.classifier_tags.poor_score = (
            self.non_negative
        )  # models of word counts: the checks use two blobs in the plane
        return tags


def _probabilities(scores: Array, empty: Array, prior: Array) -> Array:
    """Rows of scores as probabilities; the prior for empty documents and rows of zeros."""
    proba = normalize_rows_l1(scores)
    proba[empty | (scores.sum(axis=1) <= 0)] = prior
    return proba
