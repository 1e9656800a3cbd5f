"""Self-training: logistic regression learns from the given labels, then also from its most confident predictions.

    repeat: fit on the labelled documents; add the confident predictions of unlabelled documents as labels

Paper: Yarowsky, Unsupervised Word Sense Disambiguation Rivaling Supervised Methods, ACL 1995.

Departures: the loop and its stopping rules are those of scikit-learn's SelfTrainingClassifier. It never removes a label
that it has added; Yarowsky assigns all labels again in each iteration. The loop has no objective, so
`objective_history_` is empty.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.semi_supervised import SelfTrainingClassifier

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, choice, count, positive, share
from ..core.registry import register
from ..families.linear import START_C, LinearClassifier, in_double_precision, logistic_regression, weights
from ..linalg.matrix import stack_rows


def solve(domains: Domains, *, C: float, rng: np.random.Generator, **settings: Any) -> Solution:
    model = SelfTrainingClassifier(logistic_regression(C), **settings)
    # The code of a row without a label is -1, as in scikit-learn.
    model.fit(in_double_precision(stack_rows(domains.X)), np.concatenate([d.codes for d in domains]))
    state = weights(model.estimator_, domains.dtype)
    return Solution(state, (), model.n_iter_, model.termination_condition_ != "max_iter")


@register
class SelfTraining(LinearClassifier):
    """Logistic regression that adds its most confident predictions on the target as labels and learns again.

    Use it if most labels of the source-only classifier are correct.

    Parameters
    ----------
    criterion : {"threshold", "k_best"}, default="threshold"
        Which predictions become labels in an iteration: those above the threshold, or the k most confident.
    threshold : float, default=0.75
        Probability above which a prediction becomes a label.
    k_best : int, default=10
        Number of predictions that become labels per iteration.
    C : float, default=10.0
        Weight of the loss against the squared norm of the weights.
    max_iter : int or None, default=10
        Largest number of iterations; None continues until no prediction is added.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.

    Attributes
    ----------
    state_ : LinearModel
        Weights and intercepts of the last iteration. The other attributes are those of `TransductiveClassifier`.
    converged_ : bool
        Whether the iterations ended before `max_iter`.
    objective_history_ : array
        Empty.

    References
    ----------
    D. Yarowsky. Unsupervised Word Sense Disambiguation Rivaling Supervised Methods. ACL 1995.
    scikit-learn, `sklearn.semi_supervised.SelfTrainingClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelferry.baselines import SelfTraining
    >>> Xs = np.array([[2.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 1, 0]])
    >>> Xt = np.array([[2.0, 0, 1], [0, 0, 2], [0, 2, 0]])
    >>> SelfTraining().transfer(Xs, ["sport", "sport", "trade", "trade"], Xt).tolist()
    ['sport', 'sport', 'trade']
    """

    solve = staticmethod(solve)
    _parameter_constraints: ClassVar[Rules] = {
        "criterion": choice("threshold", "k_best"),
        "threshold": share(closed="left"),
        "k_best": count(),
        "C": positive(),
        "max_iter": [*count(), None],
    }

    def __init__(
        self,
        criterion: str = "threshold",
        *,
        threshold: float = 0.75,
        k_best: int = 10,
        C: float = START_C,
        max_iter: int | None = 10,
        class_prior: Any = None,
    ) -> None:
        self.criterion = criterion
        self.threshold = threshold
        self.k_best = k_best
        self.C = C
        self.max_iter = max_iter
        self.class_prior = class_prior
