r"""Class proportions of the target: given by the user or estimated, and how predictions are scaled to them.

    Q_ic  proportional to  f_c P_ic^t,   1/n sum_i Q_ic = pi_c                                                       (1)

    P  documents x classes, rows sum to one     pi  wanted proportions     f  one factor per class     t  power >= 1

Every estimator with the parameter `class_prior` scales its predictions by (1) (`core/classifier.py`), those for new
documents with the same f and t. Some methods also use the proportions during the fit: the tri-factorizations except DKT
match V after each update (GCMF gives its columns that mass), and label propagation matches the partition of every
round. With None nothing of this is done. Accuracy on three uneven targets with None, the true proportions, and
"estimate" (random state 0):

                              rec vs sci 9:1      sci vs talk 9:1     comp vs rec 1:9     three others
    TCL                       .959  .959  .927    .670  .949  .946    .963  .974  .970    .835  .973  .908
    GCMF                      .840  .951  .885    .558  .950  .936    .883  .982  .982    .707  .963  .909
    CDSC                      .563  .909  .836    .584  .928  .909    .617  .941  .935    .610  .936  .879
    HybridLabelPropagation    .793  .971  .910    .622  .915  .904    .899  .980  .977    .810  .968  .904
    NormalizedCut             .525  .810  .734    .508  .812  .774    .528  .831  .822    .456  .808  .766

`fit_label_proportions` and the use in label propagation were chosen by the accuracy on the first three tasks and
checked on others: comp vs sci 9:1, rec vs talk 1:9 and comp vs talk 1:9. The estimate for comp vs sci is .66 instead of
.90 and costs most. Predicting the larger class for all documents has accuracy .900. NormalizedCut stays below that: its
cut divides the larger class, so that the proportions cannot repair it; SphericalKMeans and SGT are no better. The mean
accuracy of the two classes rises where it was low (TCL, GCMF on sci vs talk) and falls where it was high (TCL on rec vs
sci): fewer documents get the rare class.

"estimate" is `neighbor_proportions`. `benchmarks/proportions.py` prints the errors of this and other estimators. On
targets whose proportions hardly differ from the source it is no better than the proportions of the source. So give the
proportions if they are known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from ..linalg.knn import neighbor_graph
from ..linalg.matrix import Array, Matrix, empty_rows, sample_blocks, stack_rows
from ..linalg.multiplicative import normalize_rows_l1
from ..linalg.normalize import normalize_rows_l2
from ..linalg.smoothing import smooth
from .domains import Domain, Domains

_POWERS = tuple(2.0**k for k in range(8))
_C = 10.0  # of logistic regression on rows of unit length
_N_NEIGHBORS, _OWN_WEIGHT, _N_ROUNDS = 10, 0.25, 10  # of `neighbor_proportions`
_SAMPLE = 20_000  # documents of a matrix of blocks that "estimate" looks at
_NEAR = 0.02  # largest share of labels in the wrong class that is accepted
_NEAR_RARE = 0.2  # the same, as a share of the smallest class


class ProportionScaling(NamedTuple):
    """(1), for documents of one domain."""

    power: float
    log_factor: Array

    def apply(self, P: Array) -> Array:
        """Scale rows of probabilities."""
        Q: Array = softmax(self.power * _log(P) + self.log_factor.astype(P.dtype), axis=1)
        return Q


def match_proportions(P: Array, proportions: Array, tol: float = 1e-9) -> Array:
    """Scale each class by one factor, so that the column means of the normalized rows are the proportions."""
    # The order of the documents between two classes stays. Zeros count as the smallest positive number, so that any
    # proportions can be matched; documents with equal probabilities move together.
    return ProportionScaling(1.0, log_factors(_log(P), proportions, tol)).apply(P)


def fit_label_proportions(P: Array, proportions: Array) -> ProportionScaling:
    """The scaling (1) after which the labels, not only the probabilities, have the proportions."""
    # Scores that hardly differ, such as .51 and .49, match proportions of .9 and .1 by giving every document to the
    # larger class. So the power is the smallest of 1, 2, 4, ..., 128 for which at most 2% of the labels are in the
    # wrong class, and at most a fifth of the smallest class, which would vanish otherwise; or the last one.
    L, near = _log(P), min(_NEAR, _NEAR_RARE * float(proportions.min()))
    for power in _POWERS:
        scaling = ProportionScaling(power, log_factors(power * L, proportions))
        labels = np.bincount(scaling.apply(P).argmax(axis=1), minlength=len(proportions)) / len(P)
        if np.abs(labels - proportions).sum() / 2 <= near:
            break
    return scaling


def match_label_proportions(scores: Array, proportions: Array) -> Array:
    """Scores >= 0 as probabilities, scaled by `fit_label_proportions`; the proportions may sum to less than one."""
    P = normalize_rows_l1(scores)
    return fit_label_proportions(P, proportions / proportions.sum()).apply(P)


def proportion_scalings(domains: Domains, scores: Iterable[Array]) -> Array | None:
    """One row (t, log f) per domain, from the scores of each target; None if no proportions have to be matched."""
    if domains.target_prior is None:
        return None
    rows, target_scores = [], iter(scores)
    for d in domains:
        scaling = ProportionScaling(1.0, np.zeros(domains.n_classes))
        if d.is_target and d.shares is not None:
            S = next(target_scores)
            free = (S.sum(axis=1) > 0) & ~d.known
            scaling = fit_label_proportions(normalize_rows_l1(S[free]), d.shares) if free.any() else scaling
        rows.append(np.append(scaling.power, scaling.log_factor))
    return np.array(rows)


def log_factors(L: Array, proportions: Array, tol: float = 1e-9) -> Array:
    """log f such that softmax(L + log f) has the column means `proportions`."""
    # It is the maximum of pi'b - 1/n sum_i log sum_c e^(L + b), which is concave; the gradient is the difference
    # between the wanted and the current column means.
    L = L.astype(np.float64)

    def loss(b: Array) -> tuple[float, Array]:
        A = L + b
        top = A.max(axis=1, keepdims=True)
        E = np.exp(A - top)
        total = E.sum(axis=1, keepdims=True)
        return float((np.log(total) + top).mean() - proportions @ b), (E / total).mean(axis=0) - proportions

    options = {"maxiter": 500, "ftol": 0.0, "gtol": tol}
    b: Array = minimize(loss, np.zeros(len(proportions)), jac=True, method="L-BFGS-B", options=options).x
    centered: Array = b - b.mean()
    return centered


def class_proportions(class_prior: Any, domains: Domains, target: Domain | None = None) -> Array:
    """The proportions that `class_prior` stands for."""
    # The given array; for "source" the proportions among the given labels; for "uniform" equal ones; for "estimate"
    # those of `neighbor_proportions` in the target or, without one, in all targets.
    if isinstance(class_prior, str):
        if class_prior == "source":
            return domains.class_prior
        if class_prior == "uniform":
            return np.full(domains.n_classes, 1 / domains.n_classes)
        X = stack_rows([_unlabelled(d) for d in (domains.targets if target is None else [target])])
        Xs, codes = domains.labelled()
        rows, Xs = sample_blocks(Xs, _SAMPLE)
        return neighbor_proportions(Xs, codes[rows], sample_blocks(X, _SAMPLE)[1])
    pi = np.asarray(class_prior, dtype=np.float64)
    if pi.shape != (domains.n_classes,) or not (pi > 0).all() or abs(pi.sum() - 1) > 1e-6:
        raise ValueError(
            f"class_prior must have one proportion per class, in the order {domains.classes.tolist()}, each above 0, "
            f"with the sum 1; got {pi.tolist()}. Divide by the sum; remove a class that cannot occur from the "
            "sources."
        )
    return pi


def with_target_proportions(domains: Domains, class_prior: Any) -> Domains:
    """The domains, each target with the proportions that its predictions have to match; None changes nothing."""
    if class_prior is None:
        return domains
    targets = (replace(d, shares=class_proportions(class_prior, domains, d)) if d.is_target else d for d in domains)
    return replace(domains, domains=tuple(targets))


def neighbor_proportions(Xs: Matrix, codes: Array, Xt: Matrix) -> Array:
    """Class proportions of the labels of logistic regression, its probabilities averaged over neighbors."""
    P = LogisticRegression(C=_C, max_iter=1000).fit(normalize_rows_l2(Xs), codes).predict_proba(normalize_rows_l2(Xt))
    W = neighbor_graph(Xt, n_neighbors=_N_NEIGHBORS).astype(P.dtype)
    S = smooth(P, W, 1 - _OWN_WEIGHT, _N_ROUNDS)
    count = 1.0 + np.bincount(S.argmax(axis=1), minlength=P.shape[1])  # no class gets 0
    proportions: Array = count / count.sum()
    return proportions


def _unlabelled(target: Domain) -> Matrix:
    rows = ~target.known & ~empty_rows(target.X)
    return target.X[rows] if rows.any() else target.X


def _log(P: Array) -> Array:
    logarithms: Array = np.log(np.maximum(P, np.finfo(P.dtype).tiny))
    return logarithms
