"""Where the blocks of a matrix are visited: the protocol, threads, and sums in a fixed order.

scipy's sparse products use one thread but release the interpreter's lock, so that threads use all cores.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol, TypeAlias

import joblib

Sums: TypeAlias = tuple[Any, ...]  # arrays or numbers
Visit: TypeAlias = tuple[Any, Sums]  # what belongs to the rows of a block (or None), and what is summed over the blocks


class Call(NamedTuple):
    """One visit: a stored block, and the arguments of the call that belong to it."""

    block: Any
    arguments: tuple[Any, ...]


class Backend(Protocol):
    """What visits blocks."""

    def map_reduce(self, function: Callable[..., Visit], calls: Sequence[Call], shared: Any) -> tuple[list[Any], Sums]:
        """`function(block, arguments, shared)` for every call: the first results in order, and the sums of the second.

        The sums are those of `tree_sum`.
        """

    def keep(self, function: Callable[..., Any], calls: Iterable[Call], shared: Any) -> list[Any]:
        """Blocks made by `function(block, arguments, shared)`, which stay where they were made."""

    def place(self, blocks: Sequence[Any]) -> list[Any]:
        """The stored blocks in the form that this backend visits."""


class Threads:
    """Blocks are visited by threads of this process."""

    def __init__(self, n_threads: int | None = None) -> None:
        self.n_threads = joblib.cpu_count() if n_threads is None else n_threads

    def __repr__(self) -> str:
        return f"Threads({self.n_threads})"

    def map_reduce(self, function: Callable[..., Visit], calls: Sequence[Call], shared: Any) -> tuple[list[Any], Sums]:
        """See `Backend`. At most two results per thread wait to be added."""
        rows: list[Any] = []
        total = TreeSum()
        for row, sums in self._in_order(function, calls, shared):
            rows.append(row)
            total.add(sums)
        return rows, total.value()

    def keep(self, function: Callable[..., Any], calls: Iterable[Call], shared: Any) -> list[Any]:
        """See `Backend`. The blocks stay in memory."""
        return list(self._in_order(function, list(calls), shared))

    def place(self, blocks: Sequence[Any]) -> list[Any]:
        """Blocks in memory and in files can be visited where they are."""
        return list(blocks)

    def _in_order(self, function: Callable[..., Any], calls: Sequence[Call], shared: Any) -> Iterator[Any]:
        if self.n_threads == 1 or len(calls) == 1:
            yield from (function(*call, shared) for call in calls)
            return
        pending: deque[Future[Any]] = deque()
        with ThreadPoolExecutor(self.n_threads) as pool:
            for call in calls:
                if len(pending) == 2 * self.n_threads:
                    yield pending.popleft().result()
                pending.append(pool.submit(function, *call, shared))
            while pending:
                yield pending.popleft().result()


class TreeSum:
    """Sums of tuples in a fixed binary tree: each half of the largest power of two below the number of terms.

    At most log2(n) partial sums are in memory. Sums of groups of 2^k consecutive terms can be added instead of the
    terms; the result is the same, bit by bit.
    """

    def __init__(self) -> None:
        self.n = 0
        self.partial: list[Sums] = []

    def add(self, term: Sums) -> None:
        """Add the next term."""
        self.n += 1
        self.partial.append(term)
        for _ in range((self.n & -self.n).bit_length() - 1):  # one merge per trailing zero of n
            self._merge()

    def value(self) -> Sums:
        """The sum of all terms."""
        while len(self.partial) > 1:
            self._merge()
        return self.partial[0]

    def _merge(self) -> None:
        second, first = self.partial.pop(), self.partial.pop()
        self.partial.append(tuple(a + b for a, b in zip(first, second, strict=True)))


def tree_sum(terms: Iterable[Sums]) -> Sums:
    """The sum of all terms by `TreeSum`."""
    total = TreeSum()
    for term in terms:
        total.add(term)
    return total.value()


def as_is(value: Any) -> Any:
    """The value: a function that a task can call."""
    return value
