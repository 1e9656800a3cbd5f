r"""AutoTransfer: the right method without labels of the target, and a warning where there is none.

A panel of methods is fitted (`panel.py`), blended into one answer (`blend.py`) and judged (`trust.py`, `judgement.py`).
No label of the target is looked at, unless `use_target_labels` says so: then the blend learns from its mistakes on
these documents (`suggest.py`). For new documents a student is trained: logistic regression on the target's own
documents with the labels of the answer, so that a model is one small file whatever its members were.

The constants were chosen on newsgroups, Reuters and Amazon reviews by their labels, and checked by leaving out one
corpus at a time; `benchmarks/auto.py` prints the tables. Several targets are judged as one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _num_samples, check_array, check_is_fitted

from ..linalg.matrix import Array, Matrix, short_indices, stack_rows, take_rows
from ..optim import Solution
from ..transfer.base import TransductiveClassifier
from ..transfer.domains import Domains
from ..transfer.labels import UNKNOWN
from ..transfer.linear import START_C, LinearModel, held_out_accuracy, logistic
from ..transfer.registry import register
from .assess import assess, class_rows, member_rows, verdict
from .blend import SOURCE, blend
from .judgement import Verdict
from .panel import ask, make_panel
from .sources import rank, without
from .suggest import coordinates, learn, propose

TARGET_ERROR = 0.05
FEW, FEW_AT_HOME = 10, 0.75


class Answer(NamedTuple):
    """What was found, as in `Assessment`, and what it takes to go on from there."""

    proba: Array
    blended: Array
    right: Array
    review: Array
    accuracy: Array
    shares: Array
    members: tuple[str, ...]
    codes: Array
    weights: Array
    agreement: Array
    seconds: Array
    member_levels: Array
    class_levels: Array
    stable: float
    kept: float
    coef: Array  # of the student
    intercept: Array
    Z: Array  # where the documents lie, for suggestions
    known: Array  # target rows with a given label
    source_names: tuple[str, ...]  # as in `Sources`
    source_kappa: Array
    source_gain: Array
    source_used: Array


def solve(
    domains: Domains,
    *,
    target_error: float,
    rng: np.random.Generator,
    begin: Callable[[str], None] = lambda _: None,
    second_view: Any = None,
) -> Solution:
    seed = int(rng.integers(2**31 - 1))
    asked = without_answers(domains)
    answers = ask(make_panel(seed), asked, begin, second_view)
    found = blend(answers.proba)
    sources = rank(asked, found.proba.argmax(axis=1), answers.proba[SOURCE].argmax(axis=1))
    asked, sources = without(asked, sources)
    if not sources.used.all():
        answers = ask(make_panel(seed), asked, begin, second_view)
        found = blend(answers.proba)
    begin("judging the answer")
    X, given = target_documents(domains), domains.in_row_order(d.codes for d in domains.targets)
    Z, known = coordinates(X, rng), np.flatnonzero(given != UNKNOWN)
    P = learn(found.proba, Z, known, given[known]) if len(known) else found.proba
    judged = assess(P, answers, X, at_home(asked), found.weights, target_error, known)
    model = student(X, judged.proba.argmax(axis=1), domains)
    state = Answer(*judged, *model, Z.astype(np.float32), known, *sources)  # type: ignore[arg-type]
    return Solution(state, (), len(judged.members), True)


def without_answers(domains: Domains) -> Domains:
    """The domains with the given labels of the targets hidden. The panel is asked without them: only so does it show
    where it was wrong, from which `learn` goes on. A class that no source has needs them; then they stay."""
    hidden = tuple(replace(d, codes=np.full_like(d.codes, UNKNOWN)) if d.is_target else d for d in domains)
    left = np.concatenate([d.codes[d.known] for d in hidden])
    return replace(domains, domains=hidden) if len(np.unique(left)) == domains.n_classes else domains


def target_documents(domains: Domains) -> Matrix:
    """Of all targets, in row order."""
    X = stack_rows([d.X for d in domains.targets])
    return take_rows(X, np.argsort(np.concatenate([d.rows for d in domains.targets])))


def at_home(domains: Domains) -> float:
    """Accuracy of a linear classifier on held-out documents with given labels; at most FEW_AT_HOME where a class has
    fewer than FEW of them, since so few say little of a class."""
    X, codes = domains.labelled()
    least = int(np.bincount(codes).min())
    if least < 2:
        return FEW_AT_HOME
    found = held_out_accuracy(LogisticRegression(C=START_C, max_iter=1000), short_indices(X), codes)
    return found if least >= FEW else min(found, FEW_AT_HOME)


def student(X: Matrix, codes: Array, domains: Domains) -> LinearModel:
    """A classifier of the target's documents by the labels of the answer; with the source's where a class has none."""
    if len(np.unique(codes)) < domains.n_classes:
        Xs, ys = domains.labelled()
        return logistic(stack_rows([Xs, X]), np.concatenate([ys, codes]))
    return logistic(X, codes)


@register
class AutoTransfer(TransductiveClassifier):
    """A panel of methods, blended into one answer without labels of the target, with a verdict on it.

    Parameters
    ----------
    target_error : share of wrong labels that is allowed among those that need no review.
    random_state : seed of the members.

    Attributes
    ----------
    verdict_ : `level` ("safe", "doubtful" or "unsafe"), `sentence` and `reasons`.
    members_ : one dict a member: `method`, `weight` in the answer, `agreement` (mean kappa with the others), `level`,
        `seconds`.
    class_levels_ : a level for every class.
    needs_review_ : the target rows whose labels are to be looked at.
    estimated_accuracy_ : dict with `mean`, `low` and `high`.
    target_shares_ : estimated shares of the classes in the target.
    sources_ : one dict a source, the nearest first: `source`, `agreement` of its own classifier with the answer
        (kappa), `gain` in that of all by leaving it out, and `used`: a source that hurts is left out.
    in_fit_ : the target rows that `state_` tells of: those with words, or all of a target that has none.
    state_ : Answer. The others are those of every estimator; `transduction_proba_` is calibrated without labels.

    Examples
    --------
    >>> from labelferry import AutoTransfer, load_demo
    >>> demo = load_demo()
    >>> auto = AutoTransfer(random_state=0)
    >>> labels = auto.transfer(demo.X_source, demo.y_source, demo.X_target)
    >>> bool((labels == demo.y_target).mean() > 0.95), auto.verdict_.level
    (True, 'safe')
    """

    State = Answer
    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[dict] = {
        "target_error": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(self, target_error=TARGET_ERROR, *, random_state=None):
        self.target_error = target_error
        self.random_state = random_state

    def _fold_in(self, X: Matrix, d: int) -> Array:
        return LinearModel(self.state_.coef, self.state_.intercept).proba(X)

    def _scores(self, domains: Domains) -> list[Array]:
        return [self.state_.proba[np.searchsorted(domains.target_rows, d.rows)] for d in domains.targets]

    def _set_transduction(self, domains: Domains, speaking: Domains) -> None:
        super()._set_transduction(domains, speaking)
        self.in_fit_ = np.isin(domains.target_rows, speaking.target_rows)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_domain: Any = None,
        *,
        target: Any = None,
        use_target_labels: bool = False,
        begin: Callable[[str], None] = lambda _: None,
        second_view: Any = None,
    ) -> AutoTransfer:
        """As every estimator.

        begin : called with the name of each member as its turn comes.
        second_view : other features of the same documents, such as embeddings, rows as in X; one member reads them.
        """
        if second_view is not None:
            second_view = check_array(second_view, accept_sparse="csr", input_name="second_view")
            if second_view.shape[0] != (n := _num_samples(X)):
                raise ValueError(
                    f"second_view must have a row for each of the {n} rows of X; got {second_view.shape[0]}."
                )
        data = {"begin": begin, "second_view": second_view}
        return self._fit(X, y, sample_domain, target=target, use_target_labels=use_target_labels, **data)

    def suggest(self, n: int = 20) -> Array:
        """The target rows (positions in `transduction_`) whose labels would help most, the first one most.

        Put the answers into y and fit again with `use_target_labels=True`. Documents without words, and rows that had a
        label, are not asked about.
        """
        check_is_fitted(self)
        if n < 1:
            raise ValueError(f"n must be at least 1; got {n}.")
        rows, s = np.flatnonzero(self.in_fit_), self.state_
        never = np.union1d(s.known, np.flatnonzero(self.transduction_empty_[rows]))
        return rows[propose(s.blended, s.Z, n, never, np.random.default_rng(0))]

    @property
    def verdict_(self) -> Verdict:
        return verdict(self.state_)

    @property
    def members_(self) -> list[dict[str, Any]]:
        return member_rows(self.state_)

    @property
    def class_levels_(self) -> dict[Any, str]:
        return class_rows(self.state_, self.classes_)

    @property
    def sources_(self) -> list[dict[str, Any]]:
        s = self.state_
        columns = (s.source_names, s.source_kappa.tolist(), s.source_gain.tolist(), s.source_used.tolist())
        rows = [
            {"source": name, "agreement": alike, "gain": gain, "used": used}
            for name, alike, gain, used in zip(*columns, strict=True)
        ]
        return sorted(rows, key=lambda row: -row["agreement"])

    @property
    def needs_review_(self) -> Array:
        """Target rows in row order. Documents without words always need it, given labels never."""
        review = self.transduction_empty_.copy()
        review[self.in_fit_] |= self.state_.review
        return review

    @property
    def estimated_accuracy_(self) -> dict[str, float]:
        return dict(zip(("mean", "low", "high"), self.state_.accuracy.tolist(), strict=True))

    @property
    def target_shares_(self) -> Array:
        return self.state_.shares
