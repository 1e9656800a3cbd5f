"""Searches of small planted files by readers who try to make a false claim.

A reader sees the answers so far and the draws that wait for an answer, knows all true classes but no later part of the
random order, and chooses what is read next, and when a draw is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from labelferry.certificate.search import Policy, Read, Search, draws_next, search_order

Truth = Sequence[bool]
Reader = Callable[[Search, Truth], int]


def first_unread(search: Search, truth: Truth, first: bool) -> int | None:
    """A document that nobody read and that does not wait as a draw, if possible one whose truth is `first`."""
    rows = [row for row in range(len(truth)) if not search.is_read(row) and row not in search.waiting]
    return min(rows, key=lambda row: truth[row] is not first, default=None)


def draws_then(first: bool) -> Reader:
    """Answer the draws at once; then documents of one kind."""

    def read(search: Search, truth: Truth) -> int:
        row = next(iter(search.waiting), None)
        row = first_unread(search, truth, first) if row is None else row
        assert row is not None
        return row

    return read


def waiting(kind: bool) -> Reader:
    """Let draws of one kind wait while anything else is left: first the other documents of that kind are read."""

    def read(search: Search, truth: Truth) -> int:
        now = [row for row in search.waiting if truth[row] is not kind]
        row = now[0] if now else first_unread(search, truth, kind)
        return next(iter(search.waiting)) if row is None else row

    return read


def backwards(search: Search, truth: Truth) -> int:
    """Answer the draws of a round backwards."""
    return list(search.waiting)[-1] if search.waiting else draws_then(True)(search, truth)


def greedy(search: Search, truth: Truth) -> int:
    """Read all but one of the class first, then hope that the draws miss it."""
    left = sum(truth) - search.n_found
    row = first_unread(search, truth, first=left > 1)
    if search.waiting and (left <= 1 or row is None):
        return next(iter(search.waiting))
    return next(iter(search.waiting)) if row is None else row


READERS: dict[str, Reader] = {
    "a good order": draws_then(True),
    "the worst order": draws_then(False),
    "draws of the class wait": waiting(True),
    "other draws wait": waiting(False),
    "draws backwards": backwards,
    "all but one first": greedy,
}
POLICIES: dict[str, Policy] = {
    "as the product": draws_next,
    "one draw after another": lambda hits, n: 1,
    "all at the beginning": lambda hits, n: n,
    "every second read": lambda hits, n: len(hits) % 2,
    "after a miss": lambda hits, n: 3 * (len(hits) > 1 and hits[-1] == hits[-2]),
}


def claims_too_much(policy: Policy, reader: Reader, truth: Truth, order: np.ndarray, level: float) -> bool:
    """Whether any statement of one search is false."""
    search = Search(order, level, policy)
    total = sum(truth)
    while search.n_read < len(truth):
        row = reader(search, truth)
        search.add(Read(row, truth[row], truth[row]))
        if search.at_most < total:
            return True
    return False


def false_claims(policy: Policy, reader: Reader, n: int, total: int, n_paths: int, level: float = 0.95) -> float:
    """Share of searches of n documents, `total` of them of the class, with any false statement."""
    truth = [row < total for row in range(n)]
    return float(
        np.mean([claims_too_much(policy, reader, truth, search_order(n, seed, 9), level) for seed in range(n_paths)])
    )
