"""A linear support vector machine on the labelled documents only.

    minimise  1/2 (||w||^2 + b^2) + C sum_i max(0, 1 - y_i (w'x_i + b))^2    over the documents i with a given label

(for more than two classes one against the rest), scikit-learn's LinearSVC with its defaults.

Departures
----------
- A support vector machine has no probabilities. `predict_proba` is the softmax of the decision values (for two classes
  the sigmoid of the one value): within a document it keeps their order, so that the likeliest class is the one that
  LinearSVC predicts, but it is not calibrated. Sigmoids of each value would not do: far above zero all become 1.
- The primal solver (dual=False) is used. It draws no random numbers, and the solution is the same.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.svm import LinearSVC

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import CLASS_PRIOR, Rules, choice, positive
from ..core.registry import register
from ..families.linear import LinearClassifier, fit_with_C

GRID = (0.01, 0.1, 1.0, 10.0)  # a tenth of what the logistic loss wants


def solve(domains: Domains, *, C: float | str, rng: np.random.Generator) -> Solution:
    X, codes = domains.labelled()
    state, n_iter, converged = fit_with_C(LinearSVC(dual=False), X, codes, C, GRID, default_C=1.0)
    return Solution(state, (), n_iter, converged)


@register
class SourceSVM(LinearClassifier):
    """Linear support vector machine trained on the labelled documents; the unlabelled ones have no influence.

    Parameters
    ----------
    C : weight of the loss against the squared norm of the weights, or "cv": the one of 0.01, 0.1, 1 and 10 with the
        best accuracy in stratified cross-validation. There are 5 folds, or as many as the smallest class has documents;
        where a class has a single document, C is 1.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.

    Attributes
    ----------
    state_ : LinearModel(coef, intercept), as in scikit-learn. The others are those of every estimator;
        `transduction_proba_` keeps the order of the decision values but is not calibrated, `objective_history_` is
        empty, `n_iter_` and `converged_` are the solver's.

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
    _parameter_constraints: ClassVar[Rules] = {
        "C": [*choice("cv"), *positive()],
        "class_prior": CLASS_PRIOR,
    }

    def __init__(self, C="cv", *, class_prior=None):
        self.C = C
        self.class_prior = class_prior
