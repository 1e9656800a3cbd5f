r"""One answer from a panel, without labels of the target: a coalition around an anchor.

    P_m   documents x classes, the probabilities of member m     a_m  its labels     kappa(a, b)  Cohen's kappa

The anchor A is the mean of the mixture models if the classes are clusters of the target (`cluster_evidence`), and the
source-only classifier otherwise. Members join the anchor if they agree with it, and the answer is their mean:

    w_m = k_m / max(1 - k_m, 1/50)  for  k_m = kappa(a_m, A) >= tau;      w_A = max_m w_m, or 1                      (1)
    P   = (w_A S(A) + sum_m w_m S(P_m)) / (w_A + sum_m w_m)                                                          (2)

S makes the members equally confident, since a mixture model is certain of everything and a linear model of little: the
label stays, and its probability grows with the rank, among all documents, of the odds of the first class against the
second. If the anchor is the source-only classifier, the class proportions of its labels are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from ..assessment.agreement import kappa, set_top_probability
from ..assessment.cluster_evidence import MIXTURES, SOURCE_ONLY, cluster_evidence
from ..linalg.matrix import Array
from ..linalg.multiplicative import add_up

TAU_CLUSTERS, TAU_SOURCE = 0.7, 0.5  # smallest agreement with the anchor
LEAST_CONFIDENT = 0.25  # confidence of the least confident prediction, between chance (0) and certainty (1)
MIN_DISAGREEMENT = 1 / 50  # limits the weight of a member that nearly repeats the anchor


class Blend(NamedTuple):
    proba: Array  # documents x classes, rows sum to one; ordered, but not calibrated
    weights: dict[str, float]  # of the members in the coalition, the anchors first; they sum to one


def blend(panel: Mapping[str, Array]) -> Blend:
    """The answer of the coalition. The panel contains SOURCE_ONLY, and MIXTURES if the features allow them."""
    evidence = cluster_evidence(panel)
    clusters = evidence is not None and evidence.classes_are_clusters
    anchors = MIXTURES if clusters else (SOURCE_ONLY,)
    anchor = add_up(rank_calibrate(panel[name]) for name in anchors) / len(anchors)
    tau = TAU_CLUSTERS if clusters else TAU_SOURCE
    kappas = {name: kappa(P.argmax(axis=1), anchor.argmax(axis=1)) for name, P in panel.items() if name not in anchors}
    joined = {name: k / max(1 - k, MIN_DISAGREEMENT) for name, k in kappas.items() if k >= tau}  # (1)
    own = max(joined.values(), default=1.0)
    P = add_up([own * anchor, *(w * rank_calibrate(panel[name]) for name, w in joined.items())])  # (2)
    P = P / P.sum(axis=1, keepdims=True)
    if not clusters:
        P = keep_label_proportions(P, label_proportions(panel[SOURCE_ONLY]))
    total = own + sum(joined.values())
    weights = {name: own / len(anchors) / total for name in anchors} | {n: w / total for n, w in joined.items()}
    return Blend(P, weights)


def rank_calibrate(P: Array, least: float = LEAST_CONFIDENT) -> Array:
    """S in (2): the label stays, its probability is set by the rank of its odds; the other classes share the rest."""
    n, c = P.shape
    ordered = np.log(np.maximum(np.sort(P.astype(np.float64), axis=1), 1e-30))
    rank = rankdata(ordered[:, -1] - ordered[:, -2]) / (n + 1)
    return set_top_probability(P, 1 / c + (1 - 1 / c) * (least + (1 - least) * rank))


def keep_label_proportions(P: Array, proportions: Array, max_iter: int = 200) -> Array:
    """Scale each class by one factor, so that the labels have the given proportions as nearly as ties allow."""
    log, best, least = np.log(np.maximum(P, 1e-12)), np.zeros(P.shape[1]), np.inf
    factors = best
    for i in range(max_iter):
        current = np.bincount((log + factors).argmax(axis=1), minlength=P.shape[1]) / len(P)
        off = float(np.abs(current - proportions).sum())
        if off < least:
            best, least = factors, off
        if off < 2 / len(P):
            break
        factors = factors + 0.5 / (1 + i / 20) * (np.log(proportions + 1e-3) - np.log(current + 1e-3))
    Q = np.exp(log + best - (log + best).max(axis=1, keepdims=True))
    scaled: Array = Q / Q.sum(axis=1, keepdims=True)
    return scaled


def label_proportions(P: Array) -> Array:
    """Class proportions of the predicted labels."""
    return np.bincount(P.argmax(axis=1), minlength=P.shape[1]) / len(P)
