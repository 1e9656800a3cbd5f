r"""Several claims together: rounds of learning and accepting, and one ladder per class.

**Rounds.** After learning again, accepted labels stay as they are, with their claim; only the other labels change and
get a new ladder. The claims of all rounds hold together with probability 1 - (sum of their tails) at least, so the
tails are shared out: .8 of the total to the first round, .2 * 2^(1 - r) to round r = 2, 3, ... If the sets of the
rounds are disjoint, at most sum of r of the sum of n labels are wrong.

**Classes.** A ladder for the labels of each of K classes, with tail / K each: all claims hold together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..linalg.matrix import Array
from .accepted import Accepted
from .ladder import TAIL, Ladder, make_ladder

FIRST_SHARE = 0.8


def round_tail(number: int, total: float = TAIL, *, only: bool = False) -> float:
    """Tail of a round of learning and accepting.

    Parameters
    ----------
    number : int
        1 for the first round.
    total : float, default=.05
        Probability of any false claim in any round.
    only : bool, default=False
        Whether there will be one round only.

    Returns
    -------
    tail : float
        Sums to `total` over all rounds.

    Examples
    --------
    >>> [round(round_tail(r), 6) for r in (1, 2, 3)]
    [0.04, 0.005, 0.0025]
    """
    if number < 1 or (only and number > 1):
        raise ValueError(f"rounds are numbered from 1, and `only` allows no second one; got {number}. Plan for more.")
    if only:
        return total
    return FIRST_SHARE * total if number == 1 else (1 - FIRST_SHARE) * total * 2.0 ** (1 - number)


def union(parts: Sequence[Accepted]) -> Accepted:
    """The claim about disjoint accepted sets together; tails are added.

    Parameters
    ----------
    parts : sequence of Accepted
        Of several rounds or classes, at least one.

    Returns
    -------
    accepted : Accepted
        Without rungs and needs, which belong to the parts.
    """
    if not parts:
        raise ValueError("a union needs at least one accepted set, got none.")
    if np.sum([part.rows for part in parts], axis=0).max(initial=0) > 1:
        raise ValueError(
            "the accepted sets have a label in common. Make the ladder of a later round with `among` = the labels that "
            "are not accepted yet."
        )
    names = ("n", "at_most_wrong", "n_sample", "sample_wrong", "n_answers", "n_wrong", "unseen")
    sums = {name: sum(getattr(part, name) for part in parts) for name in names}
    unseen = sums["unseen"]
    most = sum(part.unseen_at_most * part.unseen for part in parts)
    return Accepted(
        max(part.error for part in parts),
        sum(part.tail for part in parts),
        all(part.strict for part in parts),
        np.logical_or.reduce([part.rows for part in parts]),
        **sums,
        unseen_at_most=most / unseen if unseen else 0.0,
        chance=max(part.chance for part in parts),
    )


def make_class_ladders(
    score: Array,
    p_wrong: Array,
    labels: Array,
    *,
    error: float,
    tail: float = TAIL,
    seed: int = 0,
    known: Iterable[int] = (),
    strict: bool = False,
) -> dict[int, Ladder]:
    """One ladder for the labels of each class; all claims hold together with probability 1 - tail.

    Parameters
    ----------
    score, p_wrong : array of shape (n_documents,)
        As in `make_ladder`.
    labels : array of int of shape (n_documents,)
        The labels.
    error, tail, seed, known, strict : object
        As in `make_ladder`.

    Returns
    -------
    ladders : dict of int to Ladder
        One for each code among the labels.
    """
    codes, known = np.unique(labels).tolist(), list(known)
    return {
        code: make_ladder(
            score, p_wrong, error=error, tail=tail / len(codes), seed=seed, known=known,
            among=np.asarray(labels) == code, strict=strict,
        )
        for code in codes
    }  # fmt: skip
