r"""AutoTransfer: a panel of methods, blended into one answer without labels of the target, with a verdict.

A panel of methods is fitted (`panel.py`), blended into one answer (`blend.py`) and assessed (`labelferry.assessment`).
Labels of the target are never used, unless `use_target_labels` is set: then the answer is corrected by its errors on
these documents (`queries.py`). New documents are labelled by a student: logistic regression on the target's own
documents with the labels of the answer, so that a saved model is one small file whatever its members were.

The constants were chosen on newsgroups, Reuters and Amazon reviews with their labels, and checked by leaving out one
corpus at a time; `benchmarks/auto.py` prints the tables. Several targets are assessed together.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ..assessment.assessment import Assessment, assess
from ..assessment.cluster_evidence import SOURCE_ONLY
from ..assessment.verdict import Verdict
from ..core import progress
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.labels import UNKNOWN
from ..core.params import SEED, Rules, n_samples, share
from ..core.registry import register
from ..families.linear import LinearModel, logistic
from ..linalg.matrix import Array, Matrix, stack_rows
from .blend import blend
from .panel import fit_panel, make_panel
from .queries import coordinates, select_queries, update_with_labels
from .sources import SourceScores, drop_harmful_source, score_sources

TARGET_ERROR = 0.05


class AutoState(NamedTuple):
    """The assessed answer, and what is needed to go on from it."""

    assessment: Assessment
    student: LinearModel
    sources: SourceScores
    coordinates: Array  # of the target documents, for queries
    known: Array  # target rows with a given label


def solve(domains: Domains, *, target_error: float, rng: np.random.Generator, second_view: Any = None) -> Solution:
    seed = int(rng.integers(2**31 - 1))
    panel_domains = domains.hide_target_labels()  # `update_with_labels` needs errors of a panel that has not seen them
    predictions = fit_panel(make_panel(seed), panel_domains, second_view)
    blended = blend(predictions.proba)
    source_only = predictions.proba[SOURCE_ONLY].argmax(axis=1)
    sources = score_sources(panel_domains, blended.proba.argmax(axis=1), source_only)
    panel_domains, sources = drop_harmful_source(panel_domains, sources)
    if not sources.used.all():
        predictions = fit_panel(make_panel(seed), panel_domains, second_view)
        blended = blend(predictions.proba)
    progress.expect(1)
    progress.begin("assessing the answer")
    X, codes = domains.target_documents(), domains.in_row_order(d.codes for d in domains.targets)
    Z, known = coordinates(X, rng), np.flatnonzero(codes != UNKNOWN)
    P = update_with_labels(blended.proba, Z, known, codes[known]) if len(known) else blended.proba
    assessment = assess(P, predictions, panel_domains, X, blended.weights, target_error, known)
    student = fit_student(X, assessment.proba.argmax(axis=1), domains)
    state = AutoState(assessment, student, sources, Z.astype(np.float32), known)
    return Solution(state, (), len(predictions.proba), True)


def fit_student(X: Matrix, codes: Array, domains: Domains) -> LinearModel:
    """A classifier of the target's documents with the predicted labels; with the source's if a class has none."""
    if len(np.unique(codes)) < domains.n_classes:
        Xs, ys = domains.labelled()
        return logistic(stack_rows([Xs, X]), np.concatenate([ys, codes]))
    return logistic(X, codes)


@register
class AutoTransfer(TransductiveClassifier):
    """A panel of methods, blended into one answer without labels of the target, with a verdict on it.

    Parameters
    ----------
    target_error : float, default=0.05
        Expected share of wrong labels that is allowed among those not marked for review.
    random_state : int, RandomState instance or None, default=None
        Seed of the members.

    Attributes
    ----------
    verdict_ : Verdict
        `level` ("safe", "doubtful" or "unsafe"), `sentence` and `reasons`.
    members_ : list of dict
        One per member: `method`, `weight` in the answer, `agreement` (mean kappa with the others), `level`, `seconds`.
    class_levels_ : dict
        A level for each class.
    needs_review_ : array of bool, shape (n_target,)
        The target rows whose labels should be reviewed.
    estimated_accuracy_ : dict
        `mean`, `low` and `high`.
    target_shares_ : array of shape (n_classes,)
        Estimated class proportions in the target.
    sources_ : list of dict
        One per source, the nearest first: `source`, `agreement` of its own classifier with the answer (kappa), `gain`
        in the agreement of all sources if it is dropped, and `used`: a harmful source is dropped.
    in_fit_ : array of bool, shape (n_target,)
        The target rows that `state_` refers to: those with words, or all of a target without words.
    state_ : AutoState
        The result. Other attributes are those of every estimator; `transduction_proba_` is calibrated without labels.

    Examples
    --------
    >>> from labelferry import AutoTransfer, load_demo
    >>> demo = load_demo()
    >>> auto = AutoTransfer(random_state=0)
    >>> labels = auto.transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> bool((labels == demo.y_target).mean() > 0.95), auto.verdict_.level
    (True, 'safe')
    """

    State = AutoState
    state_: AutoState
    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[Rules] = {"target_error": share(), "random_state": SEED}

    def __init__(self, target_error: float = TARGET_ERROR, *, random_state: Any = None) -> None:
        self.target_error = target_error
        self.random_state = random_state

    def _fold_in(self, X: Matrix, d: int) -> Array:
        return self.state_.student.proba(X)

    def _scores(self, domains: Domains) -> list[Array]:
        proba = self.state_.assessment.proba
        return [proba[np.searchsorted(domains.target_rows, d.rows)] for d in domains.targets]

    def _set_transduction(self, domains: Domains, used: Domains) -> None:
        super()._set_transduction(domains, used)
        self.in_fit_ = np.isin(domains.target_rows, used.target_rows)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_domain: Any = None,
        *,
        target: Any = None,
        use_target_labels: bool = False,
        second_view: Any = None,
    ) -> Self:
        """Predict the labels of the target rows of X, as every estimator.

        Parameters
        ----------
        X, y, sample_domain, target, use_target_labels : object
            As in `TransductiveClassifier.fit`.
        second_view : array or sparse matrix of shape (n_documents, n_features), default=None
            Other features of the same documents, such as embeddings; one more member uses them.

        Returns
        -------
        self : AutoTransfer
            The fitted estimator.
        """
        if second_view is not None:
            second_view = check_array(second_view, accept_sparse="csr", input_name="second_view")
            if second_view.shape[0] != (n := n_samples(X)):
                raise ValueError(f"second_view must have one row per row of X, {n}; got {second_view.shape[0]}.")
        return self._fit_rows(
            X, y, sample_domain, target=target, use_target_labels=use_target_labels, second_view=second_view
        )

    def suggest(self, n: int = 20) -> Array:
        """The target rows (positions in `transduction_`) whose labels would help most, the most useful first.

        Put the labels into y and fit again with `use_target_labels=True`. Documents without words and rows with a given
        label are not suggested.

        Parameters
        ----------
        n : int, default=20
            Number of rows.

        Returns
        -------
        rows : array of int
            At most n positions.
        """
        check_is_fitted(self)
        if n < 1:
            raise ValueError(f"n must be at least 1; got {n}.")
        rows, s = np.flatnonzero(self.in_fit_), self.state_
        excluded = np.union1d(s.known, np.flatnonzero(self.transduction_empty_[rows]))
        P, rng = s.assessment.uncalibrated, np.random.default_rng(0)
        return rows[select_queries(P, s.coordinates, n, excluded, rng)]

    @property
    def verdict_(self) -> Verdict:
        return self.state_.assessment.verdict()

    @property
    def members_(self) -> list[dict[str, Any]]:
        return self.state_.assessment.members.rows()

    @property
    def class_levels_(self) -> dict[Any, str]:
        return dict(zip(self.classes_.tolist(), self.state_.assessment.class_levels, strict=True))

    @property
    def sources_(self) -> list[dict[str, Any]]:
        return self.state_.sources.rows()

    @property
    def needs_review_(self) -> Array:
        """Target rows in row order. Documents without words always need review, given labels never."""
        review = self.transduction_empty_.copy()
        review[self.in_fit_] |= self.state_.assessment.review
        return review

    @property
    def estimated_accuracy_(self) -> dict[str, float]:
        return self.state_.assessment.estimated_accuracy

    @property
    def target_shares_(self) -> Array:
        return self.state_.assessment.proportions
