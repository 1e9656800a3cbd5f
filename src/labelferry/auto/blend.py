r"""One answer from a panel, without labels of the target: a coalition around an anchor.

    P_m   documents x classes, the probabilities of member m     a_m  its labels     kappa(a, b)  Cohen's kappa

Two anchors stand for two worlds. Where the classes are the target's own clusters, naive Bayes by EM finds them, and
everything that follows clusters agrees with it. Where they are not, as praise and blame are not, EM drifts off to the
topics, and the classifier of the source is the best there is. Which world it is shows in EM alone:

    stable = kappa(EM with little smoothing, EM with much)      a drifting EM drifts elsewhere when it is smoothed
    kept   = share of the source classifier's surest fifth, class by class, that EM labels alike, freed of chance; of
             the EM that keeps less
    the anchor is EM (the mean of both) where stable >= 2/3 and kept >= 1/5, and the source classifier elsewhere     (1)

Members join the anchor A by how well they agree with it, and the answer is the mean of the coalition:

    w_m = k_m / max(1 - k_m, 1/50)  for  k_m = kappa(a_m, A) >= tau;      w_A = max_m w_m, or 1                      (2)
    P   = (w_A S(A) + sum_m w_m S(P_m)) / (w_A + sum_m w_m)                                                          (3)

S makes members equally sharp, since a mixture model is certain of everything and a linear one of little: the label
stays, and its probability grows with the rank, among all documents, of the odds of the first class against the second.
Beside the source classifier the shares of the classes are held at its own, since nothing else there tells of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from ..linalg.matrix import Array
from ..linalg.multiplicative import add_up

STABLE, KEPT = 2 / 3, 1 / 5
TAU_CLUSTERS, TAU_SOURCE = 0.7, 0.5  # agreement with the anchor below which a member stays out
FLOOR = 0.25  # how sure the least sure answer is, between chance (0) and certainty (1)
CAP = 1 / 50  # a member that nearly repeats the anchor is not worth more than this much disagreement
SUREST = 0.2

SOURCE = "SourceLR"
MIXTURES = ("EMNaiveBayes", "EMNaiveBayes(smoothing=1)")


class Blend(NamedTuple):
    proba: Array  # documents x classes, rows sum to one; its order means something, its values do not yet
    weights: dict[str, float]  # of the members in the coalition, the anchors first; sum one


def blend(panel: Mapping[str, Array]) -> Blend:
    """The coalition's answer. The panel has SOURCE, and MIXTURES where the data allows them."""
    stable, kept = gate(panel)
    clusters = is_clustered(stable, kept)
    anchors = MIXTURES if clusters else (SOURCE,)
    anchor = add_up(spread(panel[name]) for name in anchors) / len(anchors)
    tau = TAU_CLUSTERS if clusters else TAU_SOURCE
    kappas = {name: kappa(P.argmax(axis=1), anchor.argmax(axis=1)) for name, P in panel.items() if name not in anchors}
    joined = {name: k / max(1 - k, CAP) for name, k in kappas.items() if k >= tau}  # (2)
    own = max(joined.values(), default=1.0)
    P = add_up([own * anchor, *(w * spread(panel[name]) for name, w in joined.items())])  # (3)
    P = P / P.sum(axis=1, keepdims=True)
    if not clusters:
        P = hold_shares(P, shares_of(panel[SOURCE]))
    total = own + sum(joined.values())
    weights = {name: own / len(anchors) / total for name in anchors} | {n: w / total for n, w in joined.items()}
    return Blend(P, weights)


def is_clustered(stable: float, kept: float) -> bool:
    """Are the classes the target's own clusters?"""
    return stable >= STABLE and kept >= KEPT  # (1)


def gate(panel: Mapping[str, Array]) -> tuple[float, float]:
    """`stable` and `kept`; without the mixtures both are 0."""
    if any(name not in panel for name in MIXTURES):
        return 0.0, 0.0
    few, many = (panel[name].argmax(axis=1) for name in MIXTURES)
    sure = surest(panel[SOURCE])
    labels, n_classes = panel[SOURCE].argmax(axis=1)[sure], panel[SOURCE].shape[1]

    def kept(codes: Array) -> float:
        alike = np.mean([(codes[sure][labels == c] == c).mean() for c in np.unique(labels)])
        return float((alike * n_classes - 1) / (n_classes - 1))

    return kappa(few, many), min(kept(few), kept(many))


def surest(P: Array, share: float = SUREST) -> Array:
    """Rows of the surest fifth of the documents of every class, by the margin."""
    codes, gap = P.argmax(axis=1), margin(P)
    rows = [np.flatnonzero(codes == c) for c in np.unique(codes)]
    return np.concatenate([r[np.argsort(-gap[r], kind="stable")[: max(1, round(share * len(r)))]] for r in rows])


def spread(P: Array, floor: float = FLOOR) -> Array:
    """S in (3): the label stays, its probability is set by the rank of its odds; the other classes share the rest."""
    n, c = P.shape
    ordered = np.log(np.maximum(np.sort(P.astype(np.float64), axis=1), 1e-30))
    rank = rankdata(ordered[:, -1] - ordered[:, -2]) / (n + 1)
    return with_top(P, 1 / c + (1 - 1 / c) * (floor + (1 - floor) * rank))


def with_top(P: Array, top: Array) -> Array:
    """P with `top` for the probability of each label; the other classes share the rest as they did. None overtakes
    the label: one that would is cut back, and the row brought to one again."""
    rows, codes = np.arange(len(P)), P.argmax(axis=1)
    rest = P.astype(np.float64)
    rest[rows, codes] = 0
    total = rest.sum(axis=1, keepdims=True)
    even = (1 - np.eye(P.shape[1])[codes]) / (P.shape[1] - 1)
    rest = np.where(total > 1e-12, rest / np.maximum(total, 1e-12), even) * (1 - top)[:, None]
    out = np.minimum(rest, top[:, None] * (1 - 1e-6))
    out[rows, codes] = top
    return out / out.sum(axis=1, keepdims=True)


def hold_shares(P: Array, shares: Array, max_iter: int = 200) -> Array:
    """One factor a class, so that the labels have the given shares, as nearly as ties allow."""
    log, best, least = np.log(np.maximum(P, 1e-12)), np.zeros(P.shape[1]), np.inf
    factors = best
    for i in range(max_iter):
        found = np.bincount((log + factors).argmax(axis=1), minlength=P.shape[1]) / len(P)
        off = float(np.abs(found - shares).sum())
        if off < least:
            best, least = factors, off
        if off < 2 / len(P):
            break
        factors = factors + 0.5 / (1 + i / 20) * (np.log(shares + 1e-3) - np.log(found + 1e-3))
    Q = np.exp(log + best - (log + best).max(axis=1, keepdims=True))
    return Q / Q.sum(axis=1, keepdims=True)


def kappa(a: Array, b: Array) -> float:
    """Cohen's kappa of two labellings by codes: 1 where they are the same, 0 for what chance would give."""
    n_classes = int(max(a.max(), b.max())) + 1
    table = np.bincount(a * n_classes + b, minlength=n_classes**2).reshape(n_classes, n_classes) / len(a)
    chance = table.sum(axis=0) @ table.sum(axis=1)
    return 1.0 if chance >= 1 else float((np.trace(table) - chance) / (1 - chance))


def margin(P: Array) -> Array:
    """By how much the first answer is before the second."""
    ordered = np.sort(P, axis=1)
    return ordered[:, -1] - ordered[:, -2]


def shares_of(P: Array) -> Array:
    """Shares of the classes among the labels."""
    return np.bincount(P.argmax(axis=1), minlength=P.shape[1]) / len(P)


def mean_kappas(labels: Sequence[Array]) -> list[float]:
    """Of every labelling, its mean kappa with the others; 1 where there are none."""
    n = len(labels)
    K = np.array([[1.0 if i == j else kappa(labels[i], labels[j]) for j in range(n)] for i in range(n)])
    return [1.0] if n == 1 else ((K.sum(axis=1) - 1) / (n - 1)).tolist()
