r"""One answer from a panel, without labels of the target: a pool whose weights follow the evidence, with a budget.

    S_m   target documents x classes: the probabilities of member m, made equally confident by ranks
    k_m   mean kappa of the labels of member m with those of the other members
    h     balanced accuracy of SourceLR on held-out labelled documents, corrected for chance
    s     (kappa(EM, EM with much smoothing) + kappa(EM, EM with the source's class proportions)) / 2
    r     mean recall of the classes that the mixture finds, by self-training, corrected for chance
    e     h sqrt(s r)
    p_c   proportion of class c in the source, of K classes
    V     target documents x classes: co-training of words and the second view
    v     kappa of self-training by words and by the view, minus its usual value; 0 without a second view

    w_m  = exp(c_0 + c_m + c_k (k_m - mean k) + [m is the mixture] c_e logit(e))                                     (1)
    Q_ic proportional to  (K p_c)^lambda prod_m S_mic^w_m                                                            (2)
    tau  = t_0 + t_h h + t_e max(0, e - e_0) + t_v max(0, v)                                                         (3)
    A_ic proportional to  sqrt(S(Q)_ic S(V')_ic)      with a second view; otherwise A = Q                            (4)
    V'_ic proportional to  f_c^e V_ic,    f: V f has the mean of Q                                                   (5)
    cost of a change  1; with a second view a if Q and V want it too, otherwise b                                    (6)

(1) is scaled down if the weights sum to more than 3; h, s, r and e are cut at 0, logit(e) uses e from .05 to .97.

Where the classes are clusters of the target, the mixture models find the same clusters with any setting: e is near one
and the mixture decides. Where they are not, such as positive and negative reviews, the mixtures move to the topics: e
is small and the linear members decide. If they move to the topics together, as for classes that are a style, they
contradict self-training, which the classes of the source guide: so e needs r too. Unlike a kappa, r is high if the two
differ in class proportions only, which self-training with balanced classes cannot find. (2) ties the class proportions
to those of the source; a balanced source changes nothing. In (4) the words and co-training have the same vote, without
a coefficient. Co-training gives all classes the same weight; (5) lets the words decide the proportions as far as the
classes are clusters. (3) is the budget of change, per document: labels of SourceLR are changed, those with the largest
log A_new - log A_SourceLR first, while the sum of their costs (6) is within it. So the answer can lose at most the
share of labels that did change. Self-training by words and by vectors shares no feature: where the two agree, both find
the classes, and more labels may change. Words and view err on different documents: a change that both want is usually
right; one that only their mean wants is often a rare class, which co-training with its balanced classes finds too
often.

"mixture" is the mean of the three EM models. The coefficients are in `calibration.json`, fitted over corpora by
`labelferry bench calibrate`: c by the class-balanced log-likelihood (2) without lambda, every corpus with weight one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit, softmax
from scipy.stats import rankdata

from ..assessment.agreement import (
    balanced_accuracy,
    chance_corrected_recall,
    correct_for_chance,
    kappa,
    mean_kappas,
    set_top_probability,
)
from ..assessment.assessment import PanelPredictions
from ..assessment.calibration import load_calibration
from ..core.proportions import log_factors
from ..linalg.matrix import Array
from .panel import CO_TRAINING, LINEAR, MIXTURES, VIEW_MEMBERS

MIXTURE = "mixture"
SELF_TRAINING = LINEAR[1]
LEAST_CONFIDENT = 0.25  # confidence of the least confident prediction, between chance (0) and certainty (1)
MIN_PROBABILITY = 1e-4
MAX_WEIGHT = 3.0  # of all members: larger weights would make all probabilities 0 or 1
E_RANGE = (0.05, 0.97)  # of e in (1)


class PoolCoefficients(NamedTuple):
    """The letters of (1) to (3), and of (6)."""

    constant: float  # c_0
    members: dict[str, float]  # c_m; 0 for a member that is not listed
    agreement: float  # c_k
    stability: float  # c_e
    proportions: float  # lambda
    budget: tuple[float, float, float, float, float]  # t_0, t_h, t_e, e_0, t_v
    costs: tuple[float, float]  # a, b in (6)


class Evidence(NamedTuple):
    """What the weights follow."""

    held_out: float  # h
    stability: float  # sqrt(s r); 0 without mixtures
    agreement: dict[str, float]  # k_m
    views: float = 0.0  # v

    @property
    def clusters(self) -> float:
        """e: evidence that the classes are clusters of the target."""
        return max(self.held_out, 0.0) * max(self.stability, 0.0)


class PooledAnswer(NamedTuple):
    proba: Array  # target documents x classes; the largest one is the label
    weights: dict[str, float]  # of the members, sum one
    changed: float  # share of labels that differ from SourceLR: the most that can be lost against it
    evidence: Evidence
    before_budget: Array  # A: what the members say together, whatever SourceLR says


def load_coefficients() -> PoolCoefficients:
    """The fitted coefficients of this version."""
    return coefficients_from(load_calibration().pool)


def coefficients_from(values: dict[str, Any]) -> PoolCoefficients:
    """The coefficients in a calibration file."""
    return PoolCoefficients(**values | {name: tuple(values[name]) for name in ("budget", "costs")})


def combine(predictions: PanelPredictions, coefficients: PoolCoefficients) -> PooledAnswer:
    """The answer of the panel."""
    S = equally_confident(predictions.proba)
    return combine_members(predictions, S, find_evidence(predictions, S), coefficients)


def combine_members(
    predictions: PanelPredictions, S: Mapping[str, Array], evidence: Evidence, coefficients: PoolCoefficients
) -> PooledAnswer:
    """The answer from equally confident members and their evidence."""
    w = pool_weights(S, evidence, coefficients)
    A = Q = pool(S, w, predictions.source_proportions, coefficients.proportions)
    weights = dict(zip(S, (w / w.sum()).tolist(), strict=True))
    V, cost = predictions.proba.get(CO_TRAINING), np.ones(len(Q))
    if V is not None:
        A = vote_together(Q, V, evidence.clusters)
        agreed = (Q.argmax(axis=1) == A.argmax(axis=1)) & (V.argmax(axis=1) == A.argmax(axis=1))
        cost = np.where(agreed, *coefficients.costs)  # (6)
        weights = {name: weight / 2 for name, weight in weights.items()} | {CO_TRAINING: 0.5}
    before = predictions.source_only.argmax(axis=1)
    P = keep_within(A, before, budget_of_change(evidence, coefficients), cost)
    if MIXTURE in weights:
        share = weights.pop(MIXTURE) / len(MIXTURES)
        weights |= dict.fromkeys(MIXTURES, share)
    return PooledAnswer(P, weights, float((P.argmax(axis=1) != before).mean()), evidence, A)


def equally_confident(proba: Mapping[str, Array]) -> dict[str, Array]:
    """S of each member that uses words, the three mixtures as one."""
    S = {name: rank_calibrate(P) for name, P in proba.items() if name not in VIEW_MEMBERS}
    if all(name in S for name in MIXTURES):
        S[MIXTURE] = np.mean([S.pop(name) for name in MIXTURES], axis=0)
    return S


def find_evidence(predictions: PanelPredictions, S: Mapping[str, Array]) -> Evidence:
    """h, sqrt(s r), k_m, and v."""
    codes = {name: P.argmax(axis=1) for name, P in S.items()}
    agreement = dict(zip(codes, mean_kappas(list(codes.values())), strict=True))
    stability = 0.0
    if MIXTURE in S:
        em, smooth, tied = (predictions.proba[name].argmax(axis=1) for name in MIXTURES)
        stability = max((kappa(em, smooth) + kappa(em, tied)) / 2, 0.0)
        if SELF_TRAINING in codes:
            K = predictions.source_only.shape[1]
            recall = correct_for_chance(balanced_accuracy(codes[SELF_TRAINING], codes[MIXTURE], K), K)
            stability = float(np.sqrt(stability * max(recall, 0.0)))
    h = chance_corrected_recall(predictions.held_out, predictions.source_codes)
    return Evidence(h, stability, agreement, predictions.views)


def pool_weights(S: Mapping[str, Array], evidence: Evidence, c: PoolCoefficients) -> Array:
    """w in (1), in the order of S."""
    members = np.array([c.members.get(name, 0.0) for name in S])
    w: Array = np.exp(c.constant + members + weight_features(S, evidence) @ [c.agreement, c.stability])
    return w * min(1.0, MAX_WEIGHT / float(w.sum()))


def weight_features(S: Mapping[str, Array], evidence: Evidence) -> Array:
    """Members x 2: what (1) multiplies by c_k and c_e."""
    k = np.array([evidence.agreement[name] for name in S])
    e = float(logit(np.clip(evidence.clusters, *E_RANGE)))
    return np.stack([k - k.mean(), np.array([e if name == MIXTURE else 0.0 for name in S])], axis=1)


def pool(S: Mapping[str, Array], weights: Array, source_proportions: Array, strength: float) -> Array:
    """Q in (2)."""
    logarithms = sum(w * np.log(P) for w, P in zip(weights, S.values(), strict=True))
    tie = strength * np.log(np.maximum(source_proportions * len(source_proportions), 1e-3))
    Q: Array = softmax(logarithms + tie, axis=1)
    return Q


def vote_together(Q: Array, V: Array, e: float) -> Array:
    """A in (4)."""
    log_V = np.log(np.maximum(V, 1e-9))
    matched = softmax(log_V + min(e, 1.0) * log_factors(log_V, Q.mean(axis=0), tol=1e-6), axis=1)  # (5)
    A: Array = softmax((np.log(rank_calibrate(Q)) + np.log(rank_calibrate(matched))) / 2, axis=1)
    return A


def budget_of_change(evidence: Evidence, c: PoolCoefficients) -> float:
    """tau in (3), at least 0."""
    t0, th, te, e0, tv = c.budget
    h, clusters, views = (max(0.0, x) for x in (evidence.held_out, evidence.clusters - e0, evidence.views))
    return max(0.0, t0 + th * h + te * clusters + tv * views)


def keep_within(Q: Array, before: Array, budget: float, cost: Array) -> Array:
    """Q, with old and new label exchanged where a change is not within the budget (per document)."""
    after = Q.argmax(axis=1)
    moved = np.flatnonzero(after != before)
    log = np.log(np.maximum(Q, 1e-12))
    gain = log[moved, after[moved]] - log[moved, before[moved]]
    moved = moved[np.argsort(-gain, kind="stable")]
    back = moved[np.cumsum(cost[moved]) > budget * len(Q) + 1e-9]
    if not len(back):
        return Q
    P = Q.copy()
    P[back, before[back]], P[back, after[back]] = Q[back, after[back]], Q[back, before[back]]
    equal = back[P[back].argmax(axis=1) != before[back]]  # exact ties
    P[equal, before[equal]] += 1e-9
    return P


def rank_calibrate(P: Array, least: float = LEAST_CONFIDENT) -> Array:
    """S: the label stays, its probability is set by the rank of its odds; the other classes share the rest."""
    n, c = P.shape
    ordered = np.log(np.maximum(np.sort(P.astype(np.float64), axis=1), 1e-30))
    rank = rankdata(ordered[:, -1] - ordered[:, -2]) / (n + 1)
    S = set_top_probability(P, 1 / c + (1 - 1 / c) * (least + (1 - least) * rank))
    return np.maximum(S, MIN_PROBABILITY)
