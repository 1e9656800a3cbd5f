r"""One answer from a panel, without labels of the target: a pool whose weights follow the evidence, with a budget.

    S_m   target documents x classes: the probabilities of member m, made equally confident by ranks
    k_m   mean kappa of the labels of member m with those of the other members
    h     balanced accuracy of SourceLR on held-out labelled documents, corrected for chance
    s     (kappa(EM, EM with much smoothing) + kappa(EM, EM with the source's class proportions)) / 2, at most
          kappa(mixture, self-training)
    e     h s
    p_c   proportion of class c in the source, of K classes
    V     target documents x classes: co-training of words and the second view, made equally confident by ranks

    w_m  = exp(c_0 + c_m + c_k (k_m - mean k) + [m is the mixture] c_e logit(e))                                     (1)
    Q_ic proportional to  (K p_c)^lambda prod_m S_mic^w_m                                                            (2)
    tau  = t_0 + t_h h + t_e max(0, e - e_0), times t_v with a second view                                           (3)
    A_ic proportional to  sqrt(S(Q)_ic V_ic)          with a second view; otherwise A = Q                            (4)

(1) is scaled down if the weights sum to more than 3; h and e are cut at 0, logit(e) uses e from .05 to .97.

Where the classes are clusters of the target, the mixture models find the same clusters with any setting: e is near one
and the mixture decides. Where they are not, such as positive and negative reviews, the mixtures move to the topics: e
is small and the linear members decide. If they move to the topics together, as for classes that are a style, they
contradict self-training, which the classes of the source guide: so s is at most this kappa. (2) ties the class
proportions to those of the source; a balanced source changes nothing. In (4) the words and co-training have the same
vote, without a coefficient. (3) is the budget of change: at most the share tau of SourceLR's labels is changed, those
with the largest log A_new - log A_SourceLR first. So the answer can lose at most this share against SourceLR, and the
share of labels that did change is an exact bound.

"mixture" is the mean of the three EM models. The coefficients are in `calibration.json`, fitted over corpora by
`labelferry bench calibrate`: c by the class-balanced log-likelihood (2) without lambda, every corpus with weight one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit, softmax
from scipy.stats import rankdata

from ..assessment.agreement import chance_corrected_recall, kappa, mean_kappas, set_top_probability
from ..assessment.assessment import PanelPredictions
from ..assessment.calibration import load_calibration
from ..linalg.matrix import Array
from .panel import CO_TRAINING, LINEAR, MIXTURES

MIXTURE = "mixture"
SELF_TRAINING = LINEAR[1]
LEAST_CONFIDENT = 0.25  # confidence of the least confident prediction, between chance (0) and certainty (1)
MIN_PROBABILITY = 1e-4
MAX_WEIGHT = 3.0  # of all members: larger weights would make all probabilities 0 or 1
E_RANGE = (0.05, 0.97)  # of e in (1)


class PoolCoefficients(NamedTuple):
    """The letters of (1) to (3)."""

    constant: float  # c_0
    members: dict[str, float]  # c_m; 0 for a member that is not listed
    agreement: float  # c_k
    stability: float  # c_e
    proportions: float  # lambda
    budget: tuple[float, float, float, float, float]  # t_0, t_h, t_e, e_0, t_v


class Evidence(NamedTuple):
    """What the weights follow."""

    held_out: float  # h
    stability: float  # s; 0 without mixtures
    agreement: dict[str, float]  # k_m

    @property
    def clusters(self) -> float:
        """e: evidence that the classes are clusters of the target."""
        return max(self.held_out, 0.0) * max(self.stability, 0.0)


class PooledAnswer(NamedTuple):
    proba: Array  # target documents x classes; the largest one is the label
    weights: dict[str, float]  # of the members, sum one
    budget: float  # tau
    changed: float  # share of labels that differ from SourceLR: the most that can be lost against it
    evidence: Evidence
    before_budget: Array  # A: what the members say together, whatever SourceLR says


def load_coefficients() -> PoolCoefficients:
    """The fitted coefficients of this version."""
    return coefficients_from(load_calibration().pool)


def coefficients_from(values: dict[str, Any]) -> PoolCoefficients:
    """The coefficients in a calibration file."""
    return PoolCoefficients(**{**values, "budget": tuple(values["budget"])})


def combine(predictions: PanelPredictions, coefficients: PoolCoefficients) -> PooledAnswer:
    """The answer of the panel."""
    S = equally_confident(predictions.proba)
    return combine_members(predictions, S, find_evidence(predictions, S), coefficients)


def combine_members(
    predictions: PanelPredictions, S: Mapping[str, Array], evidence: Evidence, coefficients: PoolCoefficients
) -> PooledAnswer:
    """The answer from equally confident members and their evidence."""
    words = {name: P for name, P in S.items() if name != CO_TRAINING}
    w = pool_weights(words, evidence, coefficients)
    Q = pool(words, w, predictions.source_proportions, coefficients.proportions)
    before = predictions.source_only.argmax(axis=1)
    tau = budget_of_change(evidence, coefficients, CO_TRAINING in S)
    weights = dict(zip(words, (w / w.sum()).tolist(), strict=True))
    if CO_TRAINING in S:
        Q = softmax((np.log(rank_calibrate(Q)) + np.log(S[CO_TRAINING])) / 2, axis=1)
        weights = {name: weight / 2 for name, weight in weights.items()} | {CO_TRAINING: 0.5}
    P = keep_within(Q, before, tau)
    if MIXTURE in weights:
        share = weights.pop(MIXTURE) / len(MIXTURES)
        weights |= dict.fromkeys(MIXTURES, share)
    return PooledAnswer(P, weights, tau, float((P.argmax(axis=1) != before).mean()), evidence, Q)


def equally_confident(proba: Mapping[str, Array]) -> dict[str, Array]:
    """S of each member, the three mixtures as one."""
    S = {name: rank_calibrate(P) for name, P in proba.items()}
    if all(name in S for name in MIXTURES):
        S[MIXTURE] = np.mean([S.pop(name) for name in MIXTURES], axis=0)
    return S


def find_evidence(predictions: PanelPredictions, S: Mapping[str, Array]) -> Evidence:
    """h, s, and k_m of the members that use words."""
    codes = {name: P.argmax(axis=1) for name, P in S.items() if name != CO_TRAINING}
    agreement = dict(zip(codes, mean_kappas(list(codes.values())), strict=True))
    stability = 0.0
    if MIXTURE in S:
        em, smooth, tied = (predictions.proba[name].argmax(axis=1) for name in MIXTURES)
        stability = (kappa(em, smooth) + kappa(em, tied)) / 2
        if SELF_TRAINING in codes:
            stability = min(stability, kappa(codes[MIXTURE], codes[SELF_TRAINING]))
    return Evidence(chance_corrected_recall(predictions.held_out, predictions.source_codes), stability, agreement)


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


def budget_of_change(evidence: Evidence, c: PoolCoefficients, with_view: bool) -> float:
    """tau in (3), from 0 to 1."""
    t0, th, te, e0, tv = c.budget
    tau = t0 + th * max(evidence.held_out, 0.0) + te * max(0.0, evidence.clusters - e0)
    return float(np.clip(tau * tv if with_view else tau, 0, 1))


def keep_within(Q: Array, before: Array, share: float) -> Array:
    """Q, with old and new label exchanged where a change is not within the budget."""
    after, room = Q.argmax(axis=1), int(share * len(Q))
    moved = np.flatnonzero(after != before)
    if len(moved) <= room:
        return Q
    log = np.log(np.maximum(Q, 1e-12))
    gain = log[moved, after[moved]] - log[moved, before[moved]]
    back = moved[np.argsort(-gain, kind="stable")[room:]]
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
