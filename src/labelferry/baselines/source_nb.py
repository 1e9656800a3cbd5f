"""Naive Bayes on the labelled documents only: a second source-only model, different from the linear ones.

    theta_wc = (N_wc + alpha) / sum_w (N_wc + alpha),   label = argmax_c log pi_c + sum_w x_iw log theta_wc

N_wc is the weight of word w in the labelled documents of class c. EMNaiveBayes starts from this model.

Departures: none; the model is scikit-learn's MultinomialNB, of the words that occur in some document, labelled or not:
the sum over w does not count empty columns. alpha is 0.1 and pi uniform, as in EMNaiveBayes, since the
class proportions of the source give no information about those of the target.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core.domains import Domains
from ..core.iterate import Solution
from ..core.params import Rules, positive
from ..core.registry import register
from ..families.linear import LinearClassifier, LinearModel


def solve(domains: Domains, *, smoothing: float, rng: np.random.Generator) -> Solution:
    X, codes = domains.labelled()
    n_classes = domains.n_classes
    N = np.asarray(X.T @ np.eye(n_classes, dtype=X.dtype)[codes]).T + np.float64(smoothing)  # classes x words
    log_theta = np.log(N) - np.log(N.sum(axis=1, keepdims=True))
    # Naive Bayes is linear in x. The mean over the classes is subtracted, since float32 has few digits.
    coef = log_theta - log_theta.mean(axis=0)
    log_pi = np.full(n_classes, -np.log(n_classes))
    return Solution(LinearModel(coef.astype(domains.dtype), log_pi.astype(domains.dtype)), (), 1, True)


@register
class SourceNB(LinearClassifier):
    """Multinomial naive Bayes trained on the labelled documents; the unlabelled ones have no influence.

    Use it to compare with SourceLR, and with EMNaiveBayes, which starts from it.

    Parameters
    ----------
    smoothing : float, default=0.1
        alpha, added to the count of each word in each class.
    class_prior : {"source", "uniform", "estimate"} or array of shape (n_classes,), default=None
        Class proportions of the target that the predictions have to match; None leaves the predictions as they are.
        See `labelferry.core.proportions`.

    Attributes
    ----------
    state_ : LinearModel
        coef and intercept, one row per class. The other attributes are those of `TransductiveClassifier`.
    objective_history_ : array
        Empty.

    References
    ----------
    scikit-learn, `sklearn.naive_bayes.MultinomialNB`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelferry.baselines import SourceNB
    >>> Xs = np.array([[2.0, 0, 1], [1, 0, 1], [0, 2, 1], [0, 1, 1]])
    >>> Xt = np.array([[1.0, 0, 3], [0, 1, 3]])
    >>> SourceNB().transfer(Xs, ["sport", "sport", "trade", "trade"], Xt).tolist()
    ['sport', 'trade']
    """

    solve = staticmethod(solve)
    needs_target = False
    non_negative: ClassVar[bool] = True
    takes_blocks: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Rules] = {"smoothing": positive()}

    def __init__(self, smoothing: float = 0.1, *, class_prior: Any = None) -> None:
        self.smoothing = smoothing
        self.class_prior = class_prior
