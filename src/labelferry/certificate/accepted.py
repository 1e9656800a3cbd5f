r"""The labels that may be used after some answers, what is claimed about them, and how many answers the next ones need.

All claims are those of `accept.py`. "Needs" and "chance" are no claims: they say what to expect.

    needs     if the answers to the next questions all agree with the labels
    chance    that the next rung is certified within the next max(WITHIN, needed + SPARE) answers, if the share of
              wrong labels in it has the distribution Beta(PRIOR p + k, PRIOR (1 - p) + t - k), p its predicted share,
              k of t answers about its labels wrong, in the random order of the rung or not
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import beta

from ..linalg.matrix import Array
from .accept import MOST_ANSWERS, WRONG, Given, Step, climb, given_answers, highest, passes, prefix
from .ladder import Ladder
from .limits import limits

WITHIN, SPARE = 60, 20
PRIOR = 5.0
N_SHARES = 25  # points of the distribution in "chance"
OUT_OF_REACH = 0.05


class Rung(NamedTuple):
    """One set of the ladder."""

    n: int  # number of labels
    at_most_wrong: int  # the claim
    answers: int  # answers that the test uses: the prefix of the random order
    wrong: int  # wrong labels among them
    certified: bool  # whether the claim is certified
    answered: int  # answers about its labels, also those that the test does not use
    contradicted: int  # wrong labels among them


class Accepted(NamedTuple):
    """The labels that may be used, with the claim about them."""

    error: float  # as in `Ladder`
    tail: float
    outside: bool
    rows: Array  # the labels that may be used
    n: int  # their number
    at_most_wrong: int  # with confidence 1 - tail, at most this many of them are wrong
    n_sample: int  # size of the random sample of them with which the claim passed, and the wrong labels in it
    sample_wrong: int
    n_answers: int  # those of them that have an answer now
    n_wrong: int  # wrong labels among the latter
    unseen: int = 0  # labels that may be used and that nobody looked at
    unseen_at_most: float = 0.0  # the largest share of wrong labels among the latter that follows from the claim
    rungs: tuple[Rung, ...] = ()  # all sets from the start on
    needs: tuple[Step, ...] = ()  # further answers that certify more labels, if they all agree with the labels
    chance: float = 1.0  # estimated chance that the next set is certified soon; 1 if there is no next set

    @property
    def out_of_reach(self) -> bool:
        """Whether the next set will hardly be certified: allow more errors, or learn from the answers."""
        return self.chance < OUT_OF_REACH

    @property
    def unseen_wrong(self) -> int:
        """Number of wrong labels that nobody looked at, at most."""
        return min(max(self.at_most_wrong - self.n_wrong, 0), self.unseen)

    @property
    def rest_at_most(self) -> float:
        """The largest share of wrong labels outside the sample, by the claim; at most `error` if that is the claim."""
        rest = self.n - self.n_sample
        return min(max(self.at_most_wrong - self.sample_wrong, 0) / rest, 1.0) if rest else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values without the rows."""
        values = {k: v for k, v in self._asdict().items() if k != "rows"}
        lists = {name: [one._asdict() for one in values[name]] for name in ("rungs", "needs")}
        more = {name: getattr(self, name) for name in ("unseen_wrong", "rest_at_most", "out_of_reach")}
        return {**values, **lists, **more}


def accept_labels(ladder: Ladder, wrong: Mapping[int, bool]) -> Accepted:
    """The labels that may be used after these answers.

    >>> from labelferry.certificate.accept import next_questions
    >>> from labelferry.certificate.ladder import make_ladder
    >>> ladder = make_ladder(np.arange(2000.0), np.linspace(0.3, 0, 2000), error=0.05)
    >>> answers = {}
    >>> while len(answers) < 70:
    ...     answers[next_questions(ladder, answers, 1)[0]] = False
    >>> result = accept_labels(ladder, answers)
    >>> result.n, result.at_most_wrong, result.needs[0]
    (300, 15, Step(more_answers=5, n=400))
    """
    given = given_answers(ladder, wrong)
    top = highest(ladder, given)
    rungs = []
    for j in range(ladder.start, len(ladder.sizes)):
        rows = prefix(ladder, j, given)
        k = int((given.states[rows] == WRONG).sum())
        n = ladder.sizes[j]
        rungs.append(Rung(n, ladder.at_most[j], len(rows), k, j <= top, *given.inside(n)))
    needs = tuple(climb(ladder, given.states == WRONG, given, MOST_ANSWERS)[1:])
    size, r, n_sample, sample_wrong = _claim(ladder, top, given)
    n_answers, n_wrong = given.inside(size)
    unseen = size - n_answers
    share = max(r - n_wrong, 0) / unseen if unseen else 0.0
    chance = _chance(ladder, top, rungs, needs)
    return Accepted(
        ladder.error, ladder.tail, ladder.outside, ladder.place < size, size, r, n_sample, sample_wrong,
        n_answers, n_wrong, unseen, min(share, 1.0), tuple(rungs), needs, chance,
    )  # fmt: skip


def _claim(ladder: Ladder, top: int, given: Given) -> tuple[int, int, int, int]:
    """n and r of a certified rung, and t and k when its claim passed."""
    if top < 0:
        return 0, 0, 0, 0
    wrong = given.states[prefix(ladder, top, given)] == WRONG
    t = int(passes(ladder, top, wrong).argmax()) + 1
    return ladder.sizes[top], ladder.at_most[top], t, int(wrong[:t].sum())


def _chance(ladder: Ladder, top: int, rungs: Sequence[Rung], needs: Sequence[Step]) -> float:
    j = max(top + 1, ladder.start)
    if j >= len(ladder.sizes):
        return 1.0
    if not needs:
        return 0.0
    rung, p = rungs[j - ladder.start], ladder.expected[j]
    q, wrong = (np.arange(N_SHARES) + 0.5) / N_SHARES, rung.contradicted
    shares = beta.ppf(q, PRIOR * p + wrong + 1e-3, PRIOR * (1 - p) + rung.answered - wrong + 1e-3)
    last = rung.answers + max(WITHIN, needs[0].more_answers + SPARE)
    b = limits(rung.n, rung.at_most_wrong, ladder.tail, last)
    return float(chance_to_pass(b, rung.answers, rung.wrong, shares).mean())


def chance_to_pass(b: Array, t: int, k: int, shares: Array) -> Array:
    """For each share of wrong answers: the probability that k_s <= b_s for some s > t, s < len(b)."""
    width = int(b.max(initial=-1)) - k + 1  # more wrong answers than this never pass
    if width < 1:
        return np.zeros(len(shares))
    P = np.zeros((len(shares), width + 1))
    P[:, 0], found = 1.0, k + np.arange(width + 1)
    total, p = np.zeros(len(shares)), shares[:, None]
    for limit in b[t + 1 :].tolist():
        moved = P * p
        P = P - moved
        P[:, 1:] += moved[:, :-1]
        hit = found <= limit
        if hit.any():
            total += P[:, hit].sum(axis=1)
            P[:, hit] = 0
    return total
