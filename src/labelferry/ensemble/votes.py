r"""Votes: guesses of other labellers (an LLM, rules, an older model) as one Bayes update of the finished answer.

    P_ic  the answer of the panel, raised to the power at which its mean largest probability is the estimated accuracy
    u_i   the vote on document i: a class with a level of confidence, or none if the voter abstains
    N_cu  labelled documents of class c with the vote u
    A_cu  answered new documents of class c with the vote u
    m_u   share of the vote u among all votes
    K, S  classes, and different votes: K times the levels of confidence

    H_cu = (N_cu + 2K G_cu) / (N_c + 2K)             G: right with one probability a, else any other class           (1)
    T_cu = t H_cu + (1 - t) m_u,   0 <= t <= 1                                                                       (2)
    M_cu = (HOME T_cu + A_cu) / (HOME + A_c)                                                                         (3)
    Q_ic proportional to  P_ic L_cu_i,   L_cu = max(M_cu / max_c M_cu, 1 / MAX_RATIO)                                (4)

t is the trust in what was measured on the labelled documents (`weigh`):

    expected = h b,   t = min(1, (k + 2 s) / expected),   0 if k < .3 expected and k < expected - 3 s                (5)

h is the balanced accuracy of the voter on the labelled documents and b the estimated one of the panel's labels, both
corrected for chance; k is Cohen's kappa of the votes with these labels, s its standard error. If the voter is as good
as at home and its errors are independent, k is about h b. t = 0 also if the votes at home are not better than chance by
two standard errors. The votes of a labeller that was trained on the labelled documents are not measured there: t = 0.

A voter that is good at home and bad on the new documents can pass (5), above all if the panel itself is weak.
Therefore labels with votes are never called safe before answers confirm them (`assessment/voted.py`). With answers
t is estimated again: it is the one at which the share of right votes is

    a = (PRIOR a(t) + right votes on answered documents) / (PRIOR + votes on answered documents)                     (6)

where a(t) is the share by (2). So with 40 answers they decide, and (3) finds out which classes a voter mistakes.

Departures. Gain over the labels without votes, accuracy / balanced accuracy, mean over 20 corpora (96 tasks), of a
voter with independent errors that is right with probability .8, and of one with .8 at home and .3 on new documents:

    t = 1 if better than chance at home                                  +.206 / +.225    -.164 / -.147
    t = 1, 0 if the votes contradict the labels                          +.168 / +.189    -.042 / -.035
    (5)                                                                  +.163 / +.185    -.036 / -.031
    (5), P with the confidence of each label instead of a power          +.155 / +.180    -.042 / -.036
    (5), b corrected by k / h, weight h^2 / (h^2 + .1)                   +.169 / +.193    -.060 / -.052

`python -m benchmarks.votes` has figures for these and other voters, also with answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from ..assessment.agreement import correct_for_chance
from ..linalg.matrix import Array

ABSTAINS = -1
MAX_RATIO = 10.0  # R: how much one vote can change the odds of two classes
HOME = 20.0  # answers that (2) is worth in each class
PRIOR = 5.0  # answers that t is worth in (6)
UNKNOWN_ACCURACY = 0.95  # a in (1) if nothing was measured: t is 0 until there are answers
CONTRADICTS = 0.3
SIGNIFICANT, CLEARLY = 2.0, 3.0  # standard errors
MIN_VOTES = 30  # on new documents: of fewer, the agreement with the panel tells nothing
POWERS, N_HALVINGS = (0.05, 20.0), 30
LEAST = 1e-12


class Voter(NamedTuple):
    """The votes of one labeller on the target documents, in row order."""

    name: str
    codes: Array  # votes: class + K level; ABSTAINS
    home: Array  # N; zeros if the votes on labelled documents are unknown, or were learned from their labels
    trust: float = 0.0  # t

    def of_rows(self, rows: Array) -> Voter:
        """The voter with its votes on these documents, if `codes` has one entry per row of the input."""
        return self._replace(codes=self.codes[rows])

    @property
    def n_classes(self) -> int:
        """K."""
        return int(self.home.shape[0])

    @property
    def classes(self) -> Array:
        """The classes of the votes without their levels; ABSTAINS."""
        return np.where(self.codes == ABSTAINS, ABSTAINS, self.codes % self.n_classes)


def merge_classes(voter: Voter, parents: Array) -> Voter:
    """The votes if class c is a part of the class parents[c]; the trust has to be found again."""
    K, above = voter.n_classes, int(parents.max()) + 1
    counts = voter.home.reshape(K, -1, K)
    home = np.zeros((above, counts.shape[1], above))
    for level in range(counts.shape[1]):
        np.add.at(home[:, level], (parents[:, None], parents[None, :]), counts[:, level])
    codes = np.where(voter.codes == ABSTAINS, ABSTAINS, parents[voter.classes] + above * (voter.codes // K))
    return Voter(voter.name, codes, home.reshape(above, -1))


class Weighed(NamedTuple):
    """What is known about a voter without answers."""

    voter: Voter  # with its trust
    n_votes: int  # on new documents
    n_home: int  # on labelled documents
    accuracy: float  # on labelled documents; 0 without votes there
    beyond_chance: bool  # whether it is better than chance there
    agreement: float  # k in (5); 0 if it is not known
    expected: float  # h b in (5)
    contradicts: bool


def shares_of(voter: Voter) -> Array:
    """m."""
    n_votes = voter.home.shape[1]
    counts = np.bincount(voter.codes[voter.codes != ABSTAINS], minlength=n_votes)
    return np.asarray((counts + 1) / (counts.sum() + n_votes))


def home_matrix(voter: Voter) -> Array:
    """H in (1)."""
    N, K = voter.home, voter.n_classes
    right, n = float(level_free(N).trace()), float(N.sum())
    a = (right + 1) / (n + K) if n else UNKNOWN_ACCURACY
    level = N.reshape(K, -1, K).sum(axis=(0, 2)) + 1  # votes of each level of confidence
    G = np.tile(np.full((K, K), (1 - a) / max(K - 1, 1)) + np.eye(K) * (a - (1 - a) / max(K - 1, 1)), len(level))
    G = G * np.repeat(level / level.sum(), K)
    H: Array = (N + 2 * K * G) / (N.sum(axis=1, keepdims=True) + 2 * K)
    return H


def level_free(N: Array) -> Array:
    """N without the levels of confidence, K x K."""
    K = len(N)
    return np.asarray(N.reshape(K, -1, K).sum(axis=1))


def confusion(voter: Voter, rows: Array, codes: Array) -> Array:
    """M in (3), after answers `codes` to the target documents `rows`."""
    H, m, K = home_matrix(voter), shares_of(voter), voter.n_classes
    voted = voter.codes[rows] != ABSTAINS
    votes, answers = voter.codes[rows][voted], codes[voted]
    t = voter.trust
    if len(votes):
        good, chance = (float(of_class(Q)[answers].mean()) for Q in (H, np.tile(m, (K, 1))))
        before, right = t * good + (1 - t) * chance, float((votes % K == answers).sum())
        a = (PRIOR * before + right) / (PRIOR + len(votes))
        t = float(np.clip((a - chance) / (good - chance), 0, 1)) if good > chance else 0.0  # (6)
    A = np.zeros_like(H)
    np.add.at(A, (answers, votes), 1)
    M: Array = (HOME * (t * H + (1 - t) * m) + A) / (HOME + A.sum(axis=1, keepdims=True))  # (2), (3)
    return M


def of_class(M: Array) -> Array:
    """The probability of a right vote in each class."""
    return np.asarray(np.diag(level_free(M)))


def log_likelihood(voters: Sequence[Voter], rows: Array, codes: Array) -> Array:
    """Sum over voters of log L in (4), target documents x classes; an abstention changes nothing."""
    total = np.zeros((len(voters[0].codes), voters[0].n_classes))
    for voter in voters:
        M = np.maximum(confusion(voter, rows, codes), LEAST)
        log_L = np.maximum(np.log(M / M.max(axis=0)), -np.log(MAX_RATIO))
        voted = voter.codes != ABSTAINS
        total[voted] += log_L.T[voter.codes[voted]]
    return total


def calibrated(P: Array, accuracy: float) -> Array:
    """P raised to the power at which its mean largest probability is the accuracy, as far as a power can do it."""
    log_P, low, high = np.log(np.maximum(P.astype(np.float64), LEAST)), *POWERS
    for _ in range(N_HALVINGS):
        power = np.sqrt(low * high)
        low, high = (power, high) if softmax(power * log_P, axis=1).max(axis=1).mean() < accuracy else (low, power)
    Q: Array = softmax(np.sqrt(low * high) * log_P, axis=1)
    return Q


def update(P: Array, voters: Sequence[Voter]) -> Array:
    """Q in (4) without answers."""
    nothing = np.zeros(0, dtype=np.intp)
    Q: Array = softmax(np.log(np.maximum(P, LEAST)) + log_likelihood(voters, nothing, nothing), axis=1)
    return Q


def weigh(voter: Voter, labels: Array, balanced_accuracy: float) -> Weighed:
    """The trust in a voter, from its votes on labelled documents and their agreement with the labels of the panel.

    `balanced_accuracy`: the estimate for these labels.
    """
    u, K = voter.classes, voter.n_classes
    voted = np.flatnonzero(u != ABSTAINS)
    N = level_free(voter.home)
    accuracy, beyond = beyond_chance(N)
    if not beyond or len(voted) < MIN_VOTES:
        return Weighed(voter._replace(trust=0.0), len(voted), int(N.sum()), accuracy, beyond, 0.0, 0.0, False)
    h = correct_for_chance(float((np.diag(N) / np.maximum(N.sum(axis=1), 1))[N.sum(axis=1) > 0].mean()), K)
    expected = max(h, 0.0) * max(correct_for_chance(balanced_accuracy, K), 0.0)  # (5)
    observed, error = kappa_with_error(u[voted], labels[voted], K)
    contradicts = observed < CONTRADICTS * expected and observed < expected - CLEARLY * error
    trust = 0.0 if contradicts else float(np.clip((observed + SIGNIFICANT * error) / max(expected, LEAST), 0, 1))
    trusted = voter._replace(trust=trust)
    return Weighed(trusted, len(voted), int(N.sum()), accuracy, True, observed, expected, contradicts)


def kappa_with_error(a: Array, b: Array, n_classes: int) -> tuple[float, float]:
    """Cohen's kappa and its standard error."""
    pairs = np.bincount(a * n_classes + b, minlength=n_classes**2).reshape(n_classes, n_classes) / len(a)
    same, chance = float(np.trace(pairs)), float(pairs.sum(axis=0) @ pairs.sum(axis=1))
    if chance >= 1:
        return 0.0, 1.0
    return (same - chance) / (1 - chance), float(np.sqrt(max(same * (1 - same), 1 / len(a)) / len(a))) / (1 - chance)


def beyond_chance(N: Array) -> tuple[float, bool]:
    """Share of right votes, and whether Cohen's kappa with the given labels is above two standard errors."""
    n = float(N.sum())
    if not n:
        return 0.0, False
    right = float(np.trace(N)) / n
    chance = float(N.sum(axis=0) @ N.sum(axis=1)) / n**2
    error = np.sqrt(max(chance * (1 - chance), 1 / n) / n)
    return right, bool(right - chance > SIGNIFICANT * error)


def voters_of(arrays: Mapping[str, Array], names: Sequence[str]) -> tuple[Voter, ...]:
    """The voters that `voter_arrays` made arrays of."""
    return tuple(
        Voter(name, arrays[f"votes {i}"], arrays[f"home {i}"], float(arrays["trust"][i]))
        for i, name in enumerate(names)
    )


def check_voter(voter: Voter, n_documents: int, n_classes: int) -> None:
    """Raise ValueError unless these are votes on so many documents and classes."""
    codes, N = voter.codes, voter.home
    fits = codes.shape == (n_documents,) and codes.dtype.kind == "i" and N.ndim == 2 and N.dtype.kind == "f"
    fits = fits and N.shape[0] == n_classes and N.shape[1] >= n_classes and N.shape[1] % n_classes == 0
    if not fits or not np.isfinite(N).all() or (N < 0).any() or not 0 <= voter.trust <= 1:
        raise ValueError("no votes")
    if len(codes) and (int(codes.min()) < ABSTAINS or int(codes.max()) >= N.shape[1]):
        raise ValueError("no votes")


def voter_arrays(voters: Sequence[Voter]) -> dict[str, Array]:
    """Voters as arrays, for a store; empty without voters."""
    if not voters:
        return {}
    arrays: dict[str, Array] = {"trust": np.array([voter.trust for voter in voters])}
    for i, voter in enumerate(voters):
        arrays |= {f"votes {i}": voter.codes.astype(np.int32), f"home {i}": voter.home.astype(np.float64)}
    return arrays
