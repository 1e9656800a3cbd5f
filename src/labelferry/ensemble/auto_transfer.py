r"""AutoTransfer: a panel of methods, combined into one answer without labels of the target, with a verdict.

A panel of eight models (with a second view ten), the members, is fitted (`panel.py`) and combined into one answer that
changes only a limited share of the labels of the source-only classifier (`pool.py`); the answer is assessed
(`labelferry.assessment`). Labels of the target are never used, unless `use_target_labels` is set: then the answer
learns from these documents (`labelled_pool.py`), and they tell how good it is (`after_answers.py`). Later documents are
labelled by a logistic regression, the student, trained on the target documents with their predicted labels. So a saved
model is one small file, whichever members were fitted.

All coefficients are in `assessment/calibration.json`, fitted over corpora and tested on corpora that were not in the
fit; docs/methods/auto.md has the tables. Several targets are assessed together. If a domain has more than MAX_FITTED
documents, models are fitted on a sample and predict all documents (`labelferry.core.sampling`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from ..assessment.assessment import Assessment, assess, estimate_balanced_accuracy
from ..assessment.calibration import load_calibration
from ..assessment.facts import Languages
from ..assessment.new_classes import NOT_MARKED
from ..assessment.proportions import Prior
from ..assessment.rules import Fact
from ..assessment.verdict import Verdict
from ..core.classifier import TransductiveClassifier
from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.labels import UNKNOWN
from ..core.params import CLASS_PRIOR, SEED, Rules, n_samples, share
from ..core.proportions import match_label_proportions
from ..core.registry import register
from ..core.sampling import MAX_FITTED, in_blocks, sample_domains
from ..families.linear import LinearModel
from ..linalg.matrix import Array, Matrix
from .after_answers import after_answers
from .fitted_panel import FittedPanel, fit_and_combine
from .labelled_pool import PoolInputs
from .queries import typical_documents
from .sources import SourceScores
from .student import fit_student, rows_of
from .voted_answer import count_votes
from .votes import Voter

TARGET_ERROR = 0.05


class AutoState(NamedTuple):
    """The assessed answer, and what is needed to go on from it."""

    assessment: Assessment
    student: LinearModel
    sources: SourceScores
    coordinates: Annotated[Array, "fitted x any"]  # of the target documents, for queries
    known: Annotated[Array, "any < fitted"]  # target rows with a given label
    panel: FittedPanel | None = None  # moved to the estimator after the fit: it is not saved


def solve(
    domains: Domains,
    *,
    target_error: float,
    class_prior: Any,
    rng: np.random.Generator,
    second_view: Any = None,
    panel: FittedPanel | None = None,
    languages: Languages | None = None,
    none_of_these: Sequence[int] | Array = (),
    voters: Sequence[Voter] = (),
) -> Solution:
    hidden = domains.hide_target_labels()  # the pool learns from errors of a panel that has not seen these labels
    if panel is None:
        panel = fit_and_combine(hidden, rng, second_view)
    panel_domains, predictions = panel.used_domains(hidden), panel.predictions
    codes = domains.in_row_order(d.codes for d in domains.targets)
    known = np.flatnonzero(codes != UNKNOWN)
    P, prior = panel.answer.proba, Prior.read(class_prior, domains)
    if prior is not None:
        P = match_label_proportions(P, prior.values)
        free = match_label_proportions(panel.answer.before_budget, prior.values)
        panel = panel._replace(answer=panel.answer._replace(proba=P, before_budget=free))  # what answers start from
    wrong = np.setdiff1d(np.flatnonzero(np.isin(domains.target_rows, none_of_these)), known)
    calibration = load_calibration()
    votes = count_votes(P, predictions, [v.of_rows(domains.target_rows) for v in voters], calibration)
    panel = panel._replace(voted=votes.start if votes is not None else None)
    answered = None
    if len(known) or len(wrong):
        rows, answers = np.append(known, wrong), np.append(codes[known], np.full(len(wrong), domains.n_classes))
        before = estimate_balanced_accuracy(P, predictions, calibration).mean
        learned = after_answers(panel.pool_inputs, rows, answers, before)
        P, answered = learned.pooled, learned.found
    elif votes is not None:
        P = votes.proba
    assessment = assess(
        P,
        predictions,
        panel.facts.with_languages(languages),
        classes=[str(c) for c in domains.classes],
        weights=panel.answer.weights,
        target_error=target_error,
        calibration=calibration,
        known=known,
        prior=prior,
        answered=answered,
    )
    if votes is not None:
        assessment = votes.assess(assessment, P, target_error, calibration, answered)
    some = sample_domains(panel_domains, MAX_FITTED)
    student = fit_student(some.target_documents(), P[rows_of(some, panel_domains)].argmax(axis=1), some)
    Z = panel.coordinates.astype(np.float32, copy=False)
    return Solution(AutoState(assessment, student, panel.sources, Z, known, panel), (), len(predictions.proba), True)


@register
class AutoTransfer(TransductiveClassifier):
    """Fit several models, combine their predictions, and estimate how good the result is without target labels.

    Use it unless you have a reason for another method: it needs no settings, and it assesses its own labels.

    Parameters
    ----------
    target_error : float, default=0.05
        Expected share of wrong labels that is allowed among those not marked for review. With target labels the marks
        are cautious, because the expected share is uncertain.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target, if they are known: the labels are matched to them. "source": those of the
        labelled documents; "uniform": equal; "estimate": estimated from the target.
    random_state : int, RandomState instance or None, default=None
        Random seed of the methods.

    Attributes
    ----------
    verdict_ : Verdict
        `level` ("safe", "doubtful" or "unsafe"), `sentence` and `reasons`.
    estimated_balanced_accuracy_, estimated_accuracy_ : dict
        `mean`, `low` and `high`: estimates without labels of the target, with 90% intervals from the errors of
        such estimates on other corpora; with at least ten target labels, estimates based on these. None for fewer than
        30 target documents.
    needs_review_ : array of bool, shape (n_target,)
        The target rows whose labels should be reviewed.
    none_of_these_ : array of bool, shape (n_target,)
        The target rows that no class explains; they may belong to a class that the source lacks.
    groups_ : array of int, shape (n_target,)
        The group of each of these rows: 0, 1, ...; -1 for all other rows.
    members_ : list of dict
        One per model: `method`, `weight` in the result, `agreement` (mean Cohen's kappa with the others), `level`
        ("better", "worse" or "cannot tell", compared with SourceLR, logistic regression trained on the source only),
        `seconds`.
    class_levels_ : dict
        A level for each class: "safe", "doubtful", "unsafe", or "vanished" if no document got this
        class.
    changed_ : float
        Share of the labels that differ from those of SourceLR. The accuracy cannot be lower than that of SourceLR by
        more than this share.
    facts_ : tuple of Fact
        Facts that rule out the verdict "safe", whatever the estimates are. Each has a `name`, a `sentence` and advice
        (`way_out`).
    target_shares_ : array of shape (n_classes,)
        Class proportions of the predicted labels.
    sources_ : list of dict
        One per source, highest `agreement` first: `source` (its name), `agreement` (kappa between the predicted labels
        and a classifier trained on this source only), `gain` (increase of the kappa between the predicted labels and a
        classifier trained on all sources if this source is left out; above 0 the source may do harm) and `used` (False
        if it was left out because it does harm).
    in_fit_ : array of bool, shape (n_target,)
        The target rows that `state_` refers to: documents with at least one word; all rows if no document has one.
    state_ : AutoState
        Internal result of the fit. The other attributes are those of every estimator; here `transduction_proba_` is
        calibrated, with coefficients that were fitted on other corpora.

    Examples
    --------
    >>> from labelferry import AutoTransfer, load_demo
    >>> demo = load_demo()
    >>> auto = AutoTransfer(random_state=0)
    >>> labels = auto.transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> bool((labels == demo.y_target).mean() > 0.95)
    True
    """

    State = AutoState
    in_fit_: Annotated[Array, "rows"]
    matches_prior = False
    sorts = False  # the panel does
    takes_blocks = True
    exceptions: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("target rows", "source rows", "columns", "class names", "empty column", "form", "all changes at once"),
        "of equally probable classes the first is taken, and whether a source does harm may depend on rounding errors: "
        "with a handful of documents the answer can change",
    )
    state_: AutoState
    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[Rules] = {
        "target_error": share(),
        "class_prior": CLASS_PRIOR,
        "random_state": SEED,
    }

    def __init__(
        self, target_error: float = TARGET_ERROR, *, class_prior: Any = None, random_state: Any = None
    ) -> None:
        self.target_error = target_error
        self.class_prior = class_prior
        self.random_state = random_state

    def _fold_in(self, X: Matrix, d: int) -> Array:
        return self.state_.student.proba(X)

    def _scores(self, domains: Domains) -> list[Array]:
        proba = self.state_.assessment.proba
        return [proba[np.searchsorted(domains.target_rows, d.rows)] for d in domains.targets]

    def _set_transduction(self, domains: Domains, used: Domains) -> None:
        super()._set_transduction(domains, used)
        self.in_fit_ = np.isin(domains.target_rows, used.target_rows)
        self._panel_ = self.state_.panel
        self.state_ = self.state_._replace(panel=None)

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
        """Predict the labels of the target rows of X.

        Parameters
        ----------
        X, y, sample_domain, target, use_target_labels : object
            As in `TransductiveClassifier.fit`.
        second_view : array or sparse matrix of shape (n_documents, n_features), default=None
            Other features of the same documents, such as embeddings; two more members use them.

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

    def fit_domains(self, domains: Domains, **data: Any) -> Self:
        """As for every estimator; domains with many documents, which are not all fitted, are visited in blocks."""
        return super().fit_domains(in_blocks(domains, MAX_FITTED), **data)

    def suggest(self, n: int = 20) -> Array:
        """The target rows (positions in `transduction_`) to label by hand: typical documents of n groups.

        Put the labels into y and fit again with `use_target_labels=True`. The largest groups come first. Documents
        without words and rows with a given label are not suggested. For a certificate, label a random sample instead:
        it helps almost as much (`queries.py` has the figures).

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
        return rows[typical_documents(s.coordinates, n, excluded, np.random.default_rng(0))]

    @property
    def panel_(self) -> FittedPanel:
        """The predictions of the members for the rows `in_fit_`, to learn from answers without a new fit. Not saved."""
        check_is_fitted(self)
        panel: FittedPanel | None = getattr(self, "_panel_", None)
        if panel is None:
            raise ValueError("a loaded AutoTransfer cannot learn from answers: fit it again with use_target_labels.")
        return panel

    @property
    def pool_inputs_(self) -> PoolInputs:
        """What `fit_pool` needs, in single precision, for the rows `in_fit_`: the answer without target labels."""
        return self.panel_.pool_inputs

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
        """Target rows in row order: True for every document without words, False for others with a given label."""
        review = self.transduction_empty_.copy()
        review[self.in_fit_] |= self.state_.assessment.review
        return review

    @property
    def groups_(self) -> Array:
        """Groups of the target rows that no class explains, in row order."""
        groups = np.full(len(self.in_fit_), NOT_MARKED)
        groups[self.in_fit_] = self.state_.assessment.groups
        groups[self.transduction_empty_] = NOT_MARKED
        return groups

    @property
    def none_of_these_(self) -> Array:
        """Target rows that no class explains, in row order."""
        return np.asarray(self.groups_ != NOT_MARKED)

    @property
    def estimated_accuracy_(self) -> dict[str, float | None]:
        """Estimated share of correct labels, with its interval."""
        return self.state_.assessment.estimated("accuracy")

    @property
    def estimated_balanced_accuracy_(self) -> dict[str, float | None]:
        """Estimated mean accuracy of the classes, with its interval."""
        return self.state_.assessment.estimated("balanced_accuracy")

    @property
    def changed_(self) -> float:
        """Share of the labels that differ from SourceLR."""
        return self.state_.assessment.changed

    @property
    def facts_(self) -> tuple[Fact, ...]:
        """Facts that overrule the estimates."""
        return self.state_.assessment.facts

    @property
    def target_shares_(self) -> Array:
        labels = self.state_.assessment.proba.argmax(axis=1)
        return np.bincount(labels, minlength=len(self.classes_)) / len(labels)
