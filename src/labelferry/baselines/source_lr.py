"""Logistic regression on the labelled documents only: what a source says of a target it has never seen.

    minimise  1/2 ||w||^2 + C sum_i log(1 + exp(-y_i (w'x_i + b)))      over the documents i with a given label

(for more than two classes the multinomial form). The floor that every transfer method has to be measured against.

Departures: none; the solver is scikit-learn's. C is the one that classifies held-out *source* documents best, since the
target has no labels to ask; under a shift that tends to be too large (six newsgroup tasks: .806, with C=10 .810).
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import CLASS_PRIOR, Rules, choice, positive
from ..core.registry import register
from ..families.linear import GRID, START_C, LinearClassifier, fit_with_C


def solve(domains: Domains, *, C: float | str, rng: np.random.Generator) -> Solution:
    X, codes = domains.labelled()
    # lbfgs, the default, is as fast on 4,000 x 22,000 words as liblinear, which cannot do more than two classes and
    # shrinks the intercept; newton-cholesky would form a words x words matrix.
    state, n_iter, converged = fit_with_C(LogisticRegression(max_iter=1000), X, codes, C, GRID, default_C=START_C)
    return Solution(state, (), n_iter, converged)


@register
class SourceLR(LinearClassifier):
    """Logistic regression trained on the labelled documents; the unlabelled ones have no influence.

    Parameters
    ----------
    C : weight of the loss against the squared norm of the weights, or "cv": the one of 0.1, 1, 10 and 100 with the best
        accuracy in stratified cross-validation. There are 5 folds, or as many as the smallest class has documents;
        where a class has a single document, C is 10.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.

    Attributes
    ----------
    state_ : LinearModel(coef, intercept), as in scikit-learn. The others are those of every estimator;
        `objective_history_` is empty, `n_iter_` and `converged_` are the solver's.

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
    _parameter_constraints: ClassVar[Rules] = {
        "C": [*choice("cv"), *positive()],
        "class_prior": CLASS_PRIOR,
    }

    def __init__(self, C="cv", *, class_prior=None):
        self.C = C
        self.class_prior = class_prior
