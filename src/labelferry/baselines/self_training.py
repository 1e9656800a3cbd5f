"""Self-training: logistic regression learns from the labels, then from its own surest answers, and so on.

    repeat: fit on the labelled documents; give the unlabelled documents of which it is sure their answer as a label

Paper: Yarowsky, Unsupervised Word Sense Disambiguation Rivaling Supervised Methods, ACL 1995.

Departures: the loop and its stop rules are scikit-learn's SelfTrainingClassifier, as is. A label once given is never
taken back there; Yarowsky labels afresh in every round. There is no objective that the loop lowers, so
`objective_history_` is empty.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import SelfTrainingClassifier

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import CLASS_PRIOR, Rules, choice, count, positive, share
from ..core.registry import register
from ..families.linear import START_C, LinearClassifier, weights
from ..linalg.matrix import stack_rows


def solve(
    domains: Domains,
    *,
    criterion: str,
    threshold: float,
    k_best: int,
    C: float,
    max_iter: int | None,
    rng: np.random.Generator,
) -> Solution:
    model = SelfTrainingClassifier(
        LogisticRegression(C=C, max_iter=1000),
        criterion=criterion,
        threshold=threshold,
        k_best=k_best,
        max_iter=max_iter,
    )
    # A code of a row without a label is -1, which is scikit-learn's own sign for it.
    model.fit(stack_rows(domains.X), np.concatenate([d.codes for d in domains]))
    state = weights(model.estimator_, domains.dtype)
    return Solution(state, (), model.n_iter_, model.termination_condition_ != "max_iter")


@register
class SelfTraining(LinearClassifier):
    """Logistic regression that takes its surest answers on the target for labels and learns again.

    Parameters
    ----------
    criterion : which answers become labels in a round: those above the "threshold", or the "k_best".
    threshold : probability above which an answer becomes a label.
    k_best : number of answers that become labels in a round.
    C : weight of the loss against the squared norm of the weights.
    max_iter : number of rounds; None goes on until no answer is added.
    class_prior : shares of the classes in the target that its answers have to meet: "source", "uniform", "estimate" or
        an array in the order of `classes_` (see `labelferry.core.proportions`); None leaves the answers as they are.

    Attributes
    ----------
    state_ : LinearModel(coef, intercept) of the last round. The others are those of every estimator; `converged_` says
        that the rounds ended before `max_iter` did, `objective_history_` is empty.

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
        "class_prior": CLASS_PRIOR,
    }

    def __init__(self, criterion="threshold", *, threshold=0.75, k_best=10, C=START_C, max_iter=10, class_prior=None):
        self.criterion = criterion
        self.threshold = threshold
        self.k_best = k_best
        self.C = C
        self.max_iter = max_iter
        self.class_prior = class_prior
