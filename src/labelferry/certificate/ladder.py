r"""A ladder: nested sets of labels by score, a random order and a start, frozen before the first certifying answer.

What is proved with it is in `accept.py`. The start maximizes n_j times the chance that the claim of rung j has passed
after HORIZON answers,

    j0 = argmax_j n_j mean_f P(Binomial(HORIZON, f p_j) <= b_HORIZON),                                               (1)

where p_j is the predicted share of wrong labels in the rung, f are FACTORS and b the limits of `limits.py`. A bad
prediction makes the ladder slow, never wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from scipy.stats import binom

from ..linalg.matrix import Array
from .limits import allowed, limits
from .sampling import audit_order

TAIL = 0.05
FRACTIONS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
HORIZON = 90
FACTORS = (0.4, 0.8, 1.3, 2.2)
MOST_WRONG = 0.97  # largest predicted error
MARGIN = (4.0, 8.0)  # c of rungs with a claim outside the sample, times the allowed share: at least, at most
STRICT_SHARE = 0.2  # c between these, relative to the size of the rung


@dataclass(frozen=True, eq=False)
class Ladder:
    """What is fixed before the first certifying answer."""

    error: float  # allowed share of wrong labels
    tail: float  # probability of any false claim, at any number of answers
    # position of each document by score: 0 is the best. Documents that are not in the ladder have `n_labels`
    place: Array
    order: Array  # the documents of the ladder in random order
    sizes: tuple[int, ...]  # n_j, increasing
    at_most: tuple[int, ...]  # r_j
    expected: tuple[float, ...]  # predicted share of wrong labels of each rung
    start: int  # the lowest rung that is tested, counted from 0
    outside: bool = False  # whether the claim is about the labels outside the sample that certifies them

    def __post_init__(self) -> None:
        for array in (self.place, self.order):
            array.flags.writeable = False

    @property
    def n_labels(self) -> int:
        """Number of labels in the ladder."""
        return len(self.order)

    @property
    def best_first(self) -> Array:
        """The documents of these labels by score."""
        return np.asarray(self.order[np.argsort(self.place[self.order])])

    @property
    def key(self) -> int:
        """Checksum of everything: keep it with the answers, and pass it to `require_frozen`."""
        plain = (self.error, self.tail, self.sizes, self.at_most, self.start, self.outside)
        arrays = (np.ascontiguousarray(a, dtype=np.int64).tobytes() for a in (self.place, self.order))
        value = crc32(repr(plain).encode())
        for part in arrays:
            value = crc32(part, value)
        return value


def make_ladder(
    score: Array,
    p_wrong: Array,
    *,
    error: float,
    tail: float = TAIL,
    seed: int = 0,
    known: Iterable[int] = (),
    among: Array | None = None,
    outside: bool = False,
) -> Ladder:
    """Freeze a ladder of the labels `among` these, before the first answer that is to certify labels.

    The score is larger for labels that are more likely correct. It may depend on the answers to the rows in `known`
    and on no others; these rows are not in the ladder. `p_wrong` determines the start only. The random order is a part
    of `audit_order`.

    >>> ladder = make_ladder(np.arange(2000.0), np.linspace(0.3, 0, 2000), error=0.05)
    >>> ladder.sizes[ladder.start], ladder.at_most[ladder.start]
    (200, 10)
    """
    score, p_wrong = _check(score, p_wrong, error, tail)
    rows = [int(row) for row in known]
    inside = np.ones(len(score), dtype=bool) if among is None else np.array(among, dtype=bool)
    inside[rows] = False
    order = audit_order(len(score), seed, rows)
    order = order[inside[order]]
    rest = np.flatnonzero(inside)
    rank = rest[np.argsort(-score[rest], kind="stable")]
    place = np.full(len(score), len(rank))
    place[rank] = np.arange(len(rank))
    sizes = tuple(n for n in dict.fromkeys(round(share * len(rank)) for share in FRACTIONS) if n)
    at_most = tuple(allowed(n - outside_margin(n, error) if outside else n, error) for n in sizes)
    expected = tuple(float(p_wrong[rank[:n]].mean()) for n in sizes)
    start = _best_start(sizes, at_most, expected, tail)
    return Ladder(float(error), float(tail), place, order, sizes, at_most, expected, start, outside)


def outside_margin(n: int, error: float) -> float:
    """c of such a rung with n labels (`accept.py`)."""
    least, most = MARGIN
    return min(max(STRICT_SHARE * n, least / error), most / error)


def require_frozen(key: int, first: int) -> None:
    """Raise an error if the key of a ladder is not that of the `first` answer."""
    if key != first:
        raise ValueError(
            f"the ladder has checksum {key}, that of the answers {first}: rungs, start, order and limit are fixed "
            "before the first answer. Use the first ladder, or make a new one whose `known` has these answers."
        )


def _best_start(sizes: tuple[int, ...], at_most: tuple[int, ...], expected: tuple[float, ...], tail: float) -> int:
    """j0 of (1)."""
    values = []
    for n, r, p in zip(sizes, at_most, expected, strict=True):
        b = limits(n, r, tail, HORIZON)
        chances = binom.cdf(b[-1], len(b) - 1, np.minimum(np.multiply(FACTORS, p), MOST_WRONG))
        values.append(n * float(chances.mean()))
    return int(np.argmax(values)) if values else 0


def _check(score: Array, p_wrong: Array, error: float, tail: float) -> tuple[Array, Array]:
    score, p_wrong = np.asarray(score, dtype=float), np.asarray(p_wrong, dtype=float)
    if score.ndim != 1 or score.shape != p_wrong.shape:
        raise ValueError(
            f"score and p_wrong must be one-dimensional with the same length, got {score.shape} and {p_wrong.shape}. "
            "Pass one value per document."
        )
    if np.isnan(score).any():
        raise ValueError("score must not be NaN. Give documents that cannot be judged the lowest score.")
    if not ((p_wrong >= 0) & (p_wrong <= 1)).all():
        raise ValueError("p_wrong must be from 0 to 1. Pass the chance of each label to be wrong.")
    if not 0 < error < 1:
        raise ValueError(f"error must be between 0 and 1, got {error}. For at most 5% wrong labels pass .05.")
    if not 0 < tail <= 0.5:
        raise ValueError(f"tail must be above 0 and at most .5, got {tail}. For 95% confidence pass .05.")
    return score, p_wrong
