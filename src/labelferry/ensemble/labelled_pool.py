r"""Labels that learn from answers: what people said about some target documents.

    P_0   target documents x classes: the answer without any answers, before the budget of change (`pool.py`)
    S_m   target documents x classes: the probabilities of member m, made equally confident by ranks
    z_i   unit rows: coordinates of the target documents (`queries.py`)
    A, y  the documents with an answer, and their classes

    score_ic = log P_0ic + sum_m a_m log S_mic + b_c + sum_j in A k(z_i, z_j) B_jc                                   (1)
    k(z, z') = (z'z + max(z'z, 0)^4) / 2                                                                             (2)
    min  - sum_i in A v_i log softmax(score_i)_y_i
         + 1/2 (r_a sum a_m^2 + r_b sum b_c^2 + r_k trace(B' k_AA B))                                                (3)

a changes the weights of the members, b is a bias per class, and the kernel part is logistic regression on the answered
documents: it finds what no member knows. v is 1 - BALANCE + BALANCE times the weight that makes all answered classes
equal, with mean one. The problem is convex. All letters are 0 without answers, and for infinite r: then the labels are
those of P_0. The budget protects from errors that answers show, so it ends with MIN_UNLIMITED answers. Only the
members' probabilities and the coordinates are needed, not the documents: 200 answers and 200,000 documents of 4 classes
take 1.2 seconds. Answers that name no class (none of these, unclear) are not learned from.

Departures. A plain pool of log-probabilities has a and b only. Gain over SourceLR on documents without an answer, 40
answers at random, accuracy / balanced accuracy, mean over 17 corpora, and the accuracy of the worst of 201 tasks (two
draws):

    P_0, without answers                                 +.035 / +.050    -.13
    best member by the answers                           +.089 / +.064    -.05
    answers as a second source, weight 10 (weight 1)     +.088 / +.056    -.10    (+.051 / +.037    -.09)
    logistic regression on the answers alone             +.051 / -.051    -.68
    Gaussian-process correction of P_0                   +.093 / +.084    -.08
    (1) without the kernel part, BALANCE .5              +.108 / +.089    -.11
    (1) as it is here                                    +.139 / +.097    -.04
    (1), r_k = .6 instead of .3                          +.137 / +.097    -.03
    (1), BALANCE .35                                     +.138 / +.100    -.05
    (1), BALANCE .5                                      +.137 / +.102    -.06
    (1), BALANCE 0, r_a = 8                              +.139 / +.092    -.03

On 68 tasks (two draws): without the members (a = 0) +.121 / +.086 instead of +.128 / +.100; the kernel z'z alone is as
good on average, +.127 / +.102. With vectors (81 tasks of 21 corpora): P_0 within the budget +.111 / +.080, before it
+.115 / +.083, and with self-training on the vectors as a member +.117 / +.085.
A kernel of the documents' words instead of the fourth power gives +.131 / +.104 instead of +.129 / +.103, but needs the
documents. A factor for log P_0 gives +.001 / +.001 (201 tasks, one draw). r chosen on the other corpora from twelve
triples: +.136 / +.101 (BALANCE .5), where the best triple on all corpora has +.137 / +.103. BALANCE was then
chosen on all corpora by the worst task: accuracy and balanced accuracy are in conflict if a class is rare. With
r_k = .6 the second source is .02 better on one corpus (tweets of disasters, 5 to 6 classes); with .3 at most .003.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from ..linalg.matrix import Array
from .pool import rank_calibrate
from .votes import Voter, log_likelihood

MIN_PROBABILITY = 1e-6  # of P_0 in (1)
MAX_INFLUENTIAL = 500  # answers in the kernel part; all answers are in the rest
BALANCE = 0.25  # in v
MIN_UNLIMITED = 10  # answers that name a class: with fewer, P_0 is the answer within the budget
N_FOLDS = 10
MAX_ITER = 100
JITTER = 1e-6
BLOCK = 4096  # rows of the kernel at a time


class Ridges(NamedTuple):
    """r in (3)."""

    weights: float = 16.0
    bias: float = 4.0
    kernel: float = 0.3


RIDGES = Ridges()


class PoolInputs(NamedTuple):
    """What is kept from a fit of the panel, so that it can learn from answers later."""

    start: Array  # the answer without answers; P_0 if there is no `unlimited`
    members: dict[str, Array]  # probabilities, target documents x classes each
    coordinates: Array  # z
    voters: tuple[Voter, ...] = ()  # other labellers, by whose votes P_0 is updated
    unlimited: Array | None = None  # P_0; jobs of earlier versions, several labels and answers with votes lack it

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.start.shape[1])


class LabelledPool(NamedTuple):
    """The letters of (1)."""

    weights: Array  # a, in the order of the members
    bias: Array  # b
    influential: Array  # A, target rows
    influence: Array  # B, influential rows x classes


class Terms(NamedTuple):
    """The parts of (1), computed once for several fits."""

    offset: Array  # log P_0, without votes
    members: list[Array]  # log S_m


def fit_pool(inputs: PoolInputs, rows: Array, codes: Array, ridges: Ridges = RIDGES) -> LabelledPool:
    """Fit (1) to answers.

    `inputs`: the answer without answers, the members' probabilities and the coordinates.
    `codes`: their classes. Answers with other codes than 0 to n_classes - 1 (none of these, unclear) are ignored.
    """
    inputs = starting_from(inputs, codes)
    return fit_with_terms(inputs, with_votes(inputs, make_terms(inputs), rows, codes), rows, codes, ridges)


def starting_from(inputs: PoolInputs, codes: Array) -> PoolInputs:
    """The inputs with the P_0 that so many answers start from."""
    n_named = int(((np.asarray(codes) >= 0) & (np.asarray(codes) < inputs.n_classes)).sum())
    return inputs if n_named >= MIN_UNLIMITED else inputs._replace(unlimited=None)


def pool_labels(inputs: PoolInputs, pool: LabelledPool, rows: Array, codes: Array) -> Array:
    """Probabilities of all target rows by (1); rows with the answer of a class get this class."""
    rows, codes = usable(rows, codes, inputs.n_classes)
    inputs = starting_from(inputs, codes)
    P = predict(inputs, with_votes(inputs, make_terms(inputs), rows, codes), pool, np.arange(len(inputs.start)))
    P[rows] = np.eye(inputs.n_classes)[codes]
    return P


def held_out(inputs: PoolInputs, rows: Array, codes: Array, ridges: Ridges = RIDGES, n_folds: int = N_FOLDS) -> Array:
    """For each answered row, the probabilities of a pool that was fitted without its answer.

    `rows`, `codes`: the answers, as in `fit_pool`; also rows whose answer names no class are predicted.
    """
    rows, codes = np.asarray(rows, dtype=np.intp), np.asarray(codes, dtype=np.intp)
    inputs = starting_from(inputs, codes)
    terms, P = make_terms(inputs), np.zeros((len(rows), inputs.n_classes))
    documents, group = np.unique(rows, return_inverse=True)  # all answers to one document are in one fold
    fold = np.random.default_rng(0).permutation(len(documents))[group] % n_folds
    for k in np.unique(fold):
        test = fold == k
        voted = with_votes(inputs, terms, rows[~test], codes[~test])
        pool = fit_with_terms(inputs, voted, rows[~test], codes[~test], ridges)
        P[test] = predict(inputs, voted, pool, rows[test])
    return P


def keep_inputs(
    start: Array,
    members: Mapping[str, Array],
    coordinates: Array,
    voters: tuple[Voter, ...] = (),
    unlimited: Array | None = None,
) -> PoolInputs:
    """The inputs in single precision."""
    single = {name: P.astype(np.float32) for name, P in members.items()}
    free = None if unlimited is None else unlimited.astype(np.float32)
    return PoolInputs(start.astype(np.float32), single, coordinates.astype(np.float32), voters, free)


def start_of(inputs: PoolInputs) -> Array:
    """The answer without answers, after the votes."""
    if not inputs.voters:
        return np.asarray(inputs.start, dtype=np.float64)
    nothing = np.zeros(0, dtype=np.intp)
    P: Array = softmax(with_votes(inputs, make_terms(inputs), nothing, nothing).offset, axis=1)
    return P


def with_votes(inputs: PoolInputs, terms: Terms, rows: Array, codes: Array) -> Terms:
    """The terms with the votes, whose meaning is estimated again from these answers (`votes.py`)."""
    if not inputs.voters:
        return terms
    rows, codes = usable(rows, codes, inputs.n_classes)
    return terms._replace(offset=terms.offset + log_likelihood(inputs.voters, rows, codes))


def usable(rows: Array, codes: Array, n_classes: int) -> tuple[Array, Array]:
    """The answers that name a class."""
    rows, codes = np.asarray(rows, dtype=np.intp), np.asarray(codes, dtype=np.intp)
    named = (codes >= 0) & (codes < n_classes)
    return rows[named], codes[named]


def make_terms(inputs: PoolInputs) -> Terms:
    """log P_0 and log S_m of all target rows."""
    P_0 = inputs.start if inputs.unlimited is None else inputs.unlimited
    offset = np.log(np.maximum(P_0.astype(np.float64), MIN_PROBABILITY))
    return Terms(offset, [np.log(rank_calibrate(P)) for P in inputs.members.values()])


def predict(inputs: PoolInputs, terms: Terms, pool: LabelledPool, rows: Array) -> Array:
    """Probabilities of these target rows by (1)."""
    score = terms.offset[rows] + pool.bias
    for weight, log_S in zip(pool.weights, terms.members, strict=True):
        score += weight * log_S[rows]
    if len(pool.influential):
        Z = inputs.coordinates
        for i in range(0, len(rows), BLOCK):
            score[i : i + BLOCK] += kernel(Z[rows[i : i + BLOCK]], Z[pool.influential]) @ pool.influence
    P: Array = softmax(score, axis=1)
    return P


def kernel(Za: Array, Zb: Array) -> Array:
    """(2)."""
    cosine: Array = Za.astype(np.float64) @ Zb.T.astype(np.float64)
    square = np.maximum(cosine, 0)
    square *= square
    cosine += square * square
    return cosine / 2


def answer_weights(codes: Array) -> Array:
    """v in (3)."""
    counts = np.bincount(codes)
    return np.asarray(1 - BALANCE + BALANCE * len(codes) / ((counts > 0).sum() * counts[codes]))


class Design(NamedTuple):
    """(1) on the answered rows. Each part is divided by the root of its ridge, so that all penalties are 1."""

    offset: Array  # answers x classes
    members: Array  # answers x classes x members
    bias: float
    kernel: Array  # answers x influential answers
    codes: Array
    weights: Array  # v

    def split(self, theta: Array) -> tuple[Array, Array, Array]:
        """a, b and B of a vector of all variables."""
        (_, K, M), R = self.members.shape, self.kernel.shape[1]
        return theta[:M], theta[M : M + K], theta[M + K :].reshape(R, K)


def loss(theta: Array, d: Design) -> tuple[float, Array]:
    """(3) and its gradient."""
    a, b, B = d.split(theta)
    log_P = log_softmax(d.offset + d.members @ a + d.bias * b + d.kernel @ B, axis=1)
    each = np.arange(len(d.codes))
    G = np.exp(log_P)
    G[each, d.codes] -= 1
    G *= d.weights[:, None]
    value = 0.5 * float(theta @ theta) - float(d.weights @ log_P[each, d.codes])
    slope = [np.einsum("ic,icm->m", G, d.members), d.bias * G.sum(axis=0), (d.kernel.T @ G).ravel()]
    return value, theta + np.concatenate(slope)


def fit_with_terms(inputs: PoolInputs, terms: Terms, rows: Array, codes: Array, ridges: Ridges) -> LabelledPool:
    rows, codes = usable(rows, codes, inputs.n_classes)
    n_classes, n_members = inputs.n_classes, len(terms.members)
    if not len(rows):
        nothing = np.zeros(0, dtype=np.intp)
        return LabelledPool(np.zeros(n_members), np.zeros(n_classes), nothing, np.zeros((0, n_classes)))
    distinct = np.unique(rows)
    influential = distinct[np.linspace(0, len(distinct) - 1, min(len(distinct), MAX_INFLUENTIAL)).astype(np.intp)]
    Z, scale = inputs.coordinates, [r**-0.5 for r in ridges]
    k = kernel(Z[influential], Z[influential])
    shift = JITTER + max(0.0, -float(np.linalg.eigvalsh(k)[0]))  # (2) can have negative eigenvalues
    root = np.linalg.cholesky(k + shift * np.eye(len(k)))  # B = root'^-1 U, so that the penalty is |U|^2
    features = solve_triangular(root, kernel(Z[influential], Z[rows]), lower=True).T
    F = np.stack([log_S[rows] for log_S in terms.members], axis=2)
    d = Design(terms.offset[rows], F * scale[0], scale[1], features * scale[2], codes, answer_weights(codes))
    start = np.zeros(n_members + n_classes + len(influential) * n_classes)
    result = minimize(loss, start, args=(d,), jac=True, method="L-BFGS-B", options={"maxiter": MAX_ITER})
    a, b, U = d.split(result.x)
    B = solve_triangular(root, U, lower=True, trans="T")
    return LabelledPool(a * scale[0], b * scale[1], influential, B * scale[2])
