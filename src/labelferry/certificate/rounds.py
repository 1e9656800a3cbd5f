r"""Several claims together: rounds of learning and accepting, and one ladder per class.

**Rounds.** After learning again, accepted labels stay as they are, with their claim; only the other labels change and
get a new ladder. The claims of all rounds hold together with probability 1 - (sum of their tails) at least, so the
tails are shared out: .8 of the total to the first round, .2 * 2^(1 - r) to round r = 2, 3, ... If the sets of the
rounds are disjoint, at most sum of r of the sum of n labels are wrong.

**Classes.** A ladder for the labels of each of K classes, with tail / K each: all claims hold together.

**Second answers.** The claim is about what people finally say: the label of a document is right if the first answer
agrees with it, or if the first one does not but a second one does (of another person, if there is one), who sees
neither the label nor the first answer. This is a fixed property of each document, so the tests of `accept.py` are
exact for it; until the second answer is there, the label counts as wrong, which is on the safe side. About the true
classes it says the same under one assumption: *an answer that agrees with a wrong label is never given*, neither
first nor second. Then no wrong label is counted as right. Mistakes in the other direction, right labels that are called
wrong, only make the accepted set smaller; the second answer takes most of these back. Asking again only where an
answer contradicts the label finds no wrong label that the first answer overlooked: hide the labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
    n, r, n_answers, n_wrong = (
        sum(getattr(part, name) for part in parts) for name in ("n", "at_most_wrong", "n_answers", "n_wrong")
    )
    unseen = n - n_answers
    most = sum(part.unseen_at_most * part.unseen for part in parts)
    return Accepted(
        max(part.error for part in parts),
        sum(part.tail for part in parts),
        all(part.strict for part in parts),
        np.logical_or.reduce([part.rows for part in parts]),
        *(n, r, n_answers, n_wrong, unseen, most / unseen if unseen else 0.0),
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


def wrong_labels(labels: Array, first: Mapping[int, int], second: Mapping[int, int] | None = None) -> dict[int, bool]:
    """Which answered labels are wrong, by what people finally say: see "Second answers" above.

    Parameters
    ----------
    labels : array of int of shape (n_documents,)
        The labels.
    first : mapping of int to int
        Row and class code of the first answers; codes that are no class (unclear, none of these) are wrong.
    second : mapping of int to int, default=None
        Second answers to documents whose first answer contradicts the label; others are not read.

    Returns
    -------
    wrong : dict of int to bool
        Row, and whether its label is wrong.

    Examples
    --------
    >>> wrong_labels(np.array([0, 1, 1, 0]), {0: 0, 1: 0, 2: 0, 3: -1}, {1: 1, 2: 2})
    {0: False, 1: False, 2: True, 3: True}
    """
    again = second or {}
    return {
        row: bool(code != labels[row] and (row not in again or again[row] != labels[row]))
        for row, code in first.items()
    }


def contradictions(labels: Array, first: Mapping[int, int], second: Mapping[int, int] | None = None) -> list[int]:
    """The documents to ask about once more: the first answer contradicts the label, and there is no second one.

    Parameters
    ----------
    labels, first, second : object
        As in `wrong_labels`.

    Returns
    -------
    rows : list of int
        In the order of the first answers.
    """
    return [row for row, code in first.items() if code != labels[row] and row not in (second or {})]
