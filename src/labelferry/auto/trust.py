r"""How far to trust an answer, without labels of the target: its neighbours are asked.

    n_i  the label that most of the 10 nearest documents of the target have, weighted by the cosine; a_i without any
    h    accuracy of the source's classifier on held-out documents of the source

Where classes are something that documents of a kind share, a wrong label stands out among its neighbours, so that

    accuracy  about  share of documents with n_i = a_i, among those that have neighbours; h + .05 at most            (1)
    shares    about  shares of the classes among the n_i                                                             (2)
    P(a_i is right)  about  isotonic regression of [n_i = a_i] on the margin of the answer                           (3)

(3), drawn towards chance where h holds (1) down, is a probability that grows with the margin and is right on average
if (1) is.

The neighbours see a label that is out of place, not a whole group that has the wrong name. What they say is therefore
the upper side of the truth where the source names the groups badly (Reuters: .94 in place of .76), and the interval
goes down to what the source's own classifier agrees with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.isotonic import IsotonicRegression

from ..linalg.knn import nearest
from ..linalg.matrix import Array
from .blend import margin

N_NEIGHBORS = 10
SLACK = 0.05  # by which a target may be easier than the source
COIN = 0.6  # a chance to be right below which a label is always looked at
TIE = 1e-3  # between the first and the last of documents with the same chance to be right
SPREAD = 0.1  # the interval ends so far above (1), and so far below it or the agreement with the source


class Trust(NamedTuple):
    accuracy: float
    interval: tuple[float, float]
    shares: Array
    right: Array  # the chance of every label to be right


def neighbour_graph(X: Any) -> Any:
    """Cosines with the nearest other documents."""
    return nearest(X, n_neighbors=N_NEIGHBORS)


def trust(P: Array, graph: Any, source: Array, ceiling: float = 1.0) -> Trust:
    """`graph`: see `neighbour_graph`. `source`: the codes that the source's own classifier gives. `ceiling`: its
    accuracy on held-out documents of the source, since labels that cannot be foretold there cannot be carried on."""
    n, c = P.shape
    codes, gap = P.argmax(axis=1), margin(P)
    votes = graph @ np.eye(c)[codes]
    asked = votes.sum(axis=1) > 0
    neighbours = np.where(asked, votes.argmax(axis=1), codes)
    alike = neighbours == codes
    seen = float(alike[asked].mean()) if asked.any() else 1 / c
    accuracy = min(seen, ceiling + SLACK)  # (1)
    shares = np.bincount(neighbours, minlength=c) / n  # (2)
    right = np.full(n, max(seen, 1 / c))
    if asked.any():
        curve = IsotonicRegression(y_min=1 / c, y_max=1 - 0.5 / n, out_of_bounds="clip")
        right = curve.fit(gap[asked], alike[asked]).predict(gap)  # (3)
    right = 1 / c + (right - 1 / c) * max(accuracy - 1 / c, 0) / max(seen - 1 / c, 1e-12)
    right = right - TIE * (1 - rankdata(gap) / n)  # the curve has steps; the order of the margins shall be seen
    low = min(accuracy, float((codes == source).mean())) - SPREAD
    return Trust(accuracy, (max(low, 0.0), min(accuracy + SPREAD, 1.0)), shares, np.clip(right, 1 / c, 1))


def to_review(right: Array, target_error: float) -> Array:
    """True for the labels to be looked at, so that the others are wrong no more often than `target_error`: the least
    sure ones, as few as will do (the risk-coverage curve), and all that are little better than a toss of a coin."""
    order = np.argsort(-right, kind="stable")
    error = np.cumsum(1 - right[order]) / np.arange(1, len(right) + 1)
    within = np.flatnonzero(error <= target_error)
    review = np.ones(len(right), dtype=bool)
    if len(within):
        review[order[: within[-1] + 1]] = False
    return review | (right < COIN)
