r"""Which labels are most likely correct, for the ladder of `labelferry.certificate`: a score and a chance to be wrong.

    P        target documents x classes: the answer, learned from answers or not (`labelled_pool.py`, `pool.py`)
    y_i      the label: the class with the largest P_ic
    score_i  mean of three ranks, each from 0 to 1:
             the margin of P_i: log of its largest probability minus that of the second;
             the confidence: b_2 votes + b_3 rank, as in (1) of `assessment/confidence.py`;
             the mean of P_jy_i over the N_NEIGHBORS nearest documents j by the coordinates z (`queries.py`)

    P(label i is wrong) = 1 - expit(a + b logit(max_c P_ic))                                                         (1)

(a, b) is fitted to the answers that the labels learned from, each predicted by a fit without it, with the priors
a ~ N(0, 1) and b ~ N(.7, .3^2). Without answers the chance is 1 - p_correct of the assessment.

Error among the documents without an answer, area under the risk-coverage curve after 40 answers, mean over 17 corpora
(85 tasks): this score .145; pool probability .148; confidence .152; logistic regression of 13 features, fitted on the
other corpora, .144. Neighbors are searched among at most N_COMPARED documents, among FEW_COMPARED if there are more
than LARGE: comparing 600 to 2,000 documents with 500 of them changes the area by less than .001.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit
from scipy.stats import rankdata

from ..assessment.calibration import load_calibration
from ..assessment.confidence import ConfidenceCoefficients, confidence_features
from ..core.sampling import sample_rows
from ..linalg.matrix import Array
from ..linalg.normalize import normalize_rows_l2
from ..linalg.shared import shared
from .labelled_pool import PoolInputs, fit_pool, held_out, pool_labels, start_of, usable

N_NEIGHBORS = 10
N_COMPARED, LARGE, FEW_COMPARED = 2000, 20_000, 500
BLOCK = 2048  # documents whose cosines are in memory
LEAST = 1e-6  # probability, before a logarithm
SLOPE, SLOPE_SD = 0.7, 0.3  # prior of b


class Candidates(NamedTuple):
    """Labels with everything that a ladder needs; one row per target document."""

    proba: Array  # probabilities; rows with an answer have its class
    labels: Array  # the labels
    score: Array  # larger for labels that are more likely correct
    p_wrong: Array  # estimated chance to be wrong


class Neighbors(NamedTuple):
    """Pairs of documents that are near each other."""

    rows: Array
    others: Array


def candidates(
    inputs: PoolInputs, rows: Array, codes: Array, p_correct: Array, neighbors: Neighbors | None = None
) -> Candidates:
    """The labels after learning from answers, with score and chance to be wrong.

    `rows`, `codes`: the answers to learn from, as in `fit_pool`; none: the labels of the panel.
    """
    rows, codes = np.asarray(rows, dtype=np.intp), np.asarray(codes, dtype=np.intp)
    if len(rows):
        P = pool_labels(inputs, fit_pool(inputs, rows, codes), rows, codes)
        H = held_out(inputs, rows, codes)
        line = fit_line(H.max(axis=1), H.argmax(axis=1) == codes)
        p_wrong = chance_wrong(P.max(axis=1), *line)
    else:
        P = start_of(inputs)
        p_wrong = 1 - np.asarray(p_correct, dtype=np.float64)
    near = find_neighbors(inputs.coordinates) if neighbors is None else neighbors
    return Candidates(P, P.argmax(axis=1), label_score(P, inputs.members, near), p_wrong)


def score_after_answers(inputs: PoolInputs, rows: Array, codes: Array) -> Array:
    """The score of the labels of all target rows after learning from answers, as in `candidates`.

    `rows`, `codes`: the answers, as in `fit_pool`; their order does not matter. None that names a class: the labels
    of the panel.
    """
    order = np.argsort(rows, kind="stable")
    rows, codes = usable(np.asarray(rows)[order], np.asarray(codes)[order], inputs.n_classes)
    P = pool_labels(inputs, fit_pool(inputs, rows, codes), rows, codes) if len(rows) else start_of(inputs)
    return label_score(P, inputs.members, find_neighbors(inputs.coordinates))


def label_score(
    P: Array, members: Mapping[str, Array], neighbors: Neighbors, coefficients: ConfidenceCoefficients | None = None
) -> Array:
    """The mean of three ranks."""
    c = load_calibration().confidence if coefficients is None else coefficients
    codes = {name: member.argmax(axis=1) for name, member in members.items()}
    confidence = confidence_features(P, codes, 0.5)[:, 1:] @ [c.votes, c.rank]
    parts = (log_margin(P), confidence, neighbors_probability(P, neighbors))
    score: Array = np.mean([(rankdata(part) - 0.5) / len(P) for part in parts], axis=0)
    return score


def log_margin(P: Array) -> Array:
    """Log of the largest probability minus log of the second; 0 with one class."""
    if P.shape[1] < 2:
        return np.zeros(len(P))
    ordered = np.log(np.maximum(np.partition(P, (-2, -1), axis=1)[:, -2:], LEAST**2))
    margin: Array = ordered[:, 1] - ordered[:, 0]
    return margin


@shared
def find_neighbors(coordinates: Array) -> Neighbors:
    """The nearest neighbors of each document by cosine, among a sample if there are many; cosines are positive."""
    Z = normalize_rows_l2(np.asarray(coordinates))
    n = len(Z)
    compared = np.asarray(sample_rows(n, N_COMPARED if n <= LARGE else FEW_COMPARED))
    all_compared = len(compared) == n
    k, pairs = min(N_NEIGHBORS, len(compared) - all_compared), [np.zeros((2, 0), dtype=np.int64)]
    minus = -Z[compared].T  # the smallest products are the largest cosines
    for start in range(0, n if k > 0 else 0, BLOCK):
        products = Z[start : start + BLOCK] @ minus
        if all_compared:  # a document is not its own neighbor
            products[np.arange(len(products)), start + np.arange(len(products))] = 1
        best = np.sort(np.argpartition(products, k - 1, axis=1)[:, :k], axis=1)
        near, column = np.nonzero(np.take_along_axis(products, best, axis=1) < 0)
        pairs.append(np.stack([start + near, compared[best[near, column]]]))
    rows, others = np.concatenate(pairs, axis=1)
    different = rows != others
    return Neighbors(rows[different], others[different])


def neighbors_probability(P: Array, neighbors: Neighbors) -> Array:
    """For each document, the mean probability of its label at its nearest neighbors; its own without neighbors."""
    n, labels = len(P), P.argmax(axis=1)
    rows, others = neighbors
    counts = np.bincount(rows, minlength=n)
    total = np.bincount(rows, P[others, labels[rows]], minlength=n)
    own = P[np.arange(n), labels]
    return np.asarray(np.where(counts > 0, total / np.maximum(counts, 1), own))


def fit_line(top: Array, correct: Array) -> tuple[float, float]:
    """(a, b) of (1) from the probabilities of labels and whether they are correct.

    >>> a, b = fit_line(np.full(400, 0.9), np.arange(400) % 2 == 0)
    >>> bool(abs(a + b * logit(0.9)) < 0.1)
    True
    """
    x, sign = _logits(top), np.where(correct, 1.0, -1.0)

    def loss(line: Array) -> tuple[float, Array]:
        a, b = line
        z = sign * (a + b * x)
        slope = -sign * expit(-z)
        prior = np.array([a, (b - SLOPE) / SLOPE_SD**2])
        value = 0.5 * (a**2 + ((b - SLOPE) / SLOPE_SD) ** 2) - float(log_expit(z).sum())
        return value, prior + np.array([slope.sum(), slope @ x])

    a, b = minimize(loss, np.array([0.0, SLOPE]), jac=True, method="L-BFGS-B").x.tolist()
    return a, b


def chance_wrong(top: Array, a: float, b: float) -> Array:
    """(1)."""
    p: Array = expit(-(a + b * _logits(top)))
    return p


def _logits(top: Array) -> Array:
    x: Array = logit(np.clip(top, LEAST, 1 - LEAST))
    return x
