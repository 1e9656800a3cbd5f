"""A linear support vector machine on the labelled documents only.

    minimize  1/2 (||w||^2 + b^2) + C sum_i max(0, 1 - y_i (w'x_i + b))^2    over the documents i with a given label

(for more than two classes one against the rest), scikit-learn's LinearSVC with its defaults.

Departures
----------
- A support vector machine has no probabilities. `predict_proba` is the softmax of the decision values (for two classes
  the sigmoid of the single value). It keeps their order within a document, so the most probable class is the one that
  LinearSVC predicts, but it is not calibrated. Sigmoids of each value are not suitable: far above zero all become 1.
- The primal solver (dual=False) is used. It draws no random numbers, and the solution is the same.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.svm import LinearSVC

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, choice, positive
from ..core.registry import register
from ..families.linear import LinearClassifier, fit_with_C

GRID = (0.01, 0.1, 1.0, 10.0)  # a tenth of the values for the logistic loss


def solve(domains: Domains, *, C: float | str, rng: np.random.Generator) -> Solution:
    X, codes = domains.labelled()
    fit = fit_with_C(LinearSVC(dual=False), X, codes, C, GRID, default_C=1.0)
    return Solution(fit.model, (), fit.n_iter, fit.converged)


@register
class SourceSVM(LinearClassifier):
    """Linear support vector machine trained on the labelled documents; the unlabelled ones have no influence.

    Use it to compare with SourceLR, and with TSVM and LapSVM.

    Parameters
    ----------
    C : float or "cv", default="cv"
        Weight of the loss against the squared norm of the weights. "cv" chooses the one of 0.01, 0.1, 1 and 10 with the
        best accuracy in stratified cross-validation, with 5 folds or as many as the smallest class has documents. If a
        class has a single document, C is 1.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.

    Attributes
    ----------
    state_ : LinearModel
        coef and intercept as in scikit-learn. The other attributes are those of `TransductiveClassifier`.
    objective_history_ : array
        Empty.
    n_iter_, converged_ : int, bool
        Those of the solver.
    transduction_proba_ : array of shape (n_target, n_classes)
        The softmax of the decision values. It keeps their order and is not calibrated.

    References
    ----------
    scikit-learn, `sklearn.svm.LinearSVC`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelferry.baselines import SourceSVM
    >>> Xs = np.array([[2.0, 0, 1], [1, 0, 1], [0, 2, 1], [0, 1, 1]])
    >>> Xt = np.array([[1.0, 0, 3], [0, 1, 3]])
    >>> SourceSVM().transfer(Xs, ["sport", "sport", "trade", "trade"], Xt).tolist()
    ['sport', 'trade']
    """

    solve = staticmethod(solve)
    needs_target = False
    _parameter_constraints: ClassVar[Rules] = {"C": [*choice("cv"), *positive()]}

    def __init__(self, C: float | str = "cv", *, class_prior: Any = None) -> None:
        self.C = C
        self.class_prior = class_prior
