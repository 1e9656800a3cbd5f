"""Logistic regression on the labelled documents only: the source-only baseline.

    minimize  1/2 ||w||^2 + C sum_i log(1 + exp(-y_i (w'x_i + b)))      over the documents i with a given label

(for more than two classes the multinomial form). Every transfer method has to be compared with it.

Departures: none; the solver is scikit-learn's. C is the value that classifies held-out *source* documents best, since
the target has no labels. Under a shift it tends to be too large (six newsgroup tasks: .806, with C=10 .810).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, choice, positive
from ..core.registry import register
from ..families.linear import GRID, START_C, LinearClassifier, fit_with_C, logistic_regression


def solve(domains: Domains, *, C: float | str, rng: np.random.Generator) -> Solution:
    X, codes = domains.labelled()
    fit = fit_with_C(logistic_regression(), X, codes, C, GRID, default_C=START_C)
    return Solution(fit.model, (), fit.n_iter, fit.converged)


@register
class SourceLR(LinearClassifier):
    """Logistic regression trained on the labelled documents; the unlabelled ones have no influence.

    Use it to see what the labelled documents achieve without transfer.

    Parameters
    ----------
    C : float or "cv", default="cv"
        Weight of the loss against the squared norm of the weights. "cv" chooses the one of 0.1, 1, 10 and 100 with the
        best accuracy in stratified cross-validation, with 5 folds or as many as the smallest class has documents. If a
        class has a single document, C is 10.
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

    solve = staticmethod(solve)
    needs_target = False
    takes_blocks: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Rules] = {"C": [*choice("cv"), *positive()]}

    def __init__(self, C: float | str = "cv", *, class_prior: Any = None) -> None:
        self.C = C
        self.class_prior = class_prior
