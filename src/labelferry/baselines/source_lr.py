r"""Logistic regression on the labelled documents only: the source-only baseline.

    minimize  1/2 ||w||^2 + C sum_i v_i log(1 + exp(-y_i (w'x_i + b)))      over the documents i with a given label

(for more than two classes the multinomial form). Every transfer method has to be compared with it, so it is the best
plain classifier that we know: x has the words and the inverse document frequencies of the labelled documents
(`labelferry.families.source_weights`), v gives all classes the same weight, and C is 10. Papers compare with
`SourceLR(C="cv", class_weight=None, weighting="given")`, which was the default before.

Accuracy / balanced accuracy, mean over 17 corpora of `labelferry bench trust` (201 tasks): papers' form .622 / .579,
default .641 / .606. On 29 of these tasks unknown features dropped and C = 10 gave most of the gain (.586 / .584 to .613
/ .603), balanced classes +.005 / +.006, and (1) +.005 / +.005.

Departures: none; the solver is scikit-learn's. C is the same for all tasks: the value that classifies held-out *source*
documents best is not the best one for another domain.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, choice, positive
from ..core.registry import register
from ..families.linear import (
    GRID,
    START_C,
    LinearClassifier,
    LinearModel,
    fit_with_C,
    logistic_regression,
)
from ..families.source_weights import reweigh, source_weights
from ..linalg.matrix import Array, Matrix


class SourceModel(NamedTuple):
    """A linear model of documents that are weighted by `source_weights`."""

    coef: Annotated[Array, "outputs x words"]
    intercept: Annotated[Array, "outputs"]
    feature_weights: Annotated[Array, "words"]

    def proba(self, X: Matrix) -> Array:
        """Probabilities of the classes."""
        return LinearModel(self.coef, self.intercept).proba(reweigh(X, self.feature_weights))


def solve(domains: Domains, *, C: float | str, class_weight: Any, weighting: str, rng: np.random.Generator) -> Solution:
    X, codes = domains.labelled()
    g = np.ones(domains.n_words) if weighting == "given" else source_weights(domains)
    v = None if class_weight is None else compute_sample_weight(class_weight, domains.classes[codes])
    fit = fit_with_C(logistic_regression(), reweigh(X, g), codes, C, GRID, default_C=START_C, sample_weight=v)
    model = SourceModel(*fit.model, g.astype(domains.dtype))
    return Solution(model, (), fit.n_iter, fit.converged)


@register
class SourceLR(LinearClassifier):
    """Logistic regression trained on the labelled documents; the unlabelled ones have no influence.

    Use it to see what the labelled documents achieve without transfer.

    Parameters
    ----------
    C : float or "cv", default=10.0
        Weight of the loss against the squared norm of the weights. "cv" chooses the one of 0.1, 1, 10 and 100 with the
        best accuracy in stratified cross-validation, with 5 folds or as many as the smallest class has documents. If a
        class has a single document, C is 10.
    class_weight : "balanced", dict or None, default="balanced"
        "balanced": all classes have the same weight in the loss. dict: weight of a document by class, 1 for others.
        None: all documents have the same weight.
    weighting : {"source", "given"}, default="source"
        "source": features that no labelled document has are left out, and the inverse document frequencies of all
        documents, which X is supposed to contain, are replaced by those of the labelled ones; rows keep their length.
        "given": X as it is. Features that all documents have, such as embeddings, are the same in both.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.

    Attributes
    ----------
    state_ : SourceModel
        coef and intercept as in scikit-learn, and the weights of the features. The other attributes are those of
        `TransductiveClassifier`.
    objective_history_ : array
        Empty.
    n_iter_, converged_ : int, bool
        Those of the solver.

    References
    ----------
    scikit-learn, `sklearn.linear_model.LogisticRegression`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelferry.baselines import SourceLR
    >>> Xs = np.array([[2.0, 0, 1], [1, 0, 1], [0, 2, 1], [0, 1, 1]])
    >>> Xt = np.array([[1.0, 0, 3], [0, 1, 3]])
    >>> SourceLR().transfer(Xs, ["sport", "sport", "trade", "trade"], Xt).tolist()
    ['sport', 'trade']
    """

    State: ClassVar[type] = SourceModel
    solve = staticmethod(solve)
    needs_target = False
    takes_blocks: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Rules] = {
        "C": [*choice("cv"), *positive()],
        "class_weight": [*choice("balanced"), dict, None],
        "weighting": choice("source", "given"),
    }

    def __init__(
        self,
        C: float | str = START_C,
        *,
        class_weight: str | Mapping[Any, float] | None = "balanced",
        weighting: str = "source",
        class_prior: Any = None,
    ) -> None:
        self.C = C
        self.class_weight = class_weight
        self.weighting = weighting
        self.class_prior = class_prior

    def _fold_in(self, X: Matrix, d: int) -> Array:
        model: SourceModel = self.state_
        return model.proba(X)
