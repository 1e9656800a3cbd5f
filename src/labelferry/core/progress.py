"""Progress of long work: the code that works announces its stages, and whoever listens shows them.

    with listen(listener):            the command line, or a test
        expect("TCL", "SourceLR")     deep inside: these stages will come
        size(entries, classes)        how large the task is, as soon as it is known
        begin("TCL")                  and this stage begins now
        step(0.5)                     half of it is done; only long stages say so

The listener is a context variable, so that no function has to hand it on. Without a listener nothing happens.

`TimeLeft` is a listener that estimates the remaining time: the measured cost of each expected stage for a task of this
size (`core/costs.py`), multiplied by how much slower this machine was than the measurement in the finished stages. That
factor is a geometric mean in which no stage counts more than another: the cost of one stage can be very wrong.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, Protocol

from .costs import seconds_of

MAX_SHARE = 0.99  # before the end
FEW = 0.05  # share of a stage from which the rest of it is estimated
SHORT = 1.0  # seconds that are added to what a stage took and to what was expected: short stages say little
MOST = 4.0  # largest factor that one stage can show
KNOWN = 2  # stages that the speed of the machine of the measurements counts for


class Listener(Protocol):
    """What shows the progress."""

    def expect(self, *stages: str) -> None: ...
    def size(self, entries: int, classes: int) -> None: ...
    def begin(self, stage: str) -> None: ...
    def step(self, share: float) -> None: ...


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Send the stages that are announced inside the block to the listener.

    `listener`: object with the methods `expect(*stages)`, `size(entries, classes)`, `begin(stage)` and
    `step(share)`.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def muted() -> Iterator[None]:
    """Announce nothing inside the block: it is one step of a stage that is announced."""
    token = _listener.set(None)
    try:
        yield
    finally:
        _listener.reset(token)


def expect(*stages: str) -> None:
    """Announce further stages."""
    if (listener := _listener.get()) is not None:
        listener.expect(*stages)


def size(entries: int, classes: int) -> None:
    """Announce the size of the task."""
    if (listener := _listener.get()) is not None:
        listener.size(entries, classes)


def begin(stage: str) -> None:
    """Announce that a stage begins."""
    if (listener := _listener.get()) is not None:
        listener.begin(stage)


def step(share: float) -> None:
    """Announce how much of the current stage is done."""
    if (listener := _listener.get()) is not None:
        listener.step(share)


class Remaining(NamedTuple):
    """How far the work is."""

    share: float  # of the expected total time that has passed
    seconds: float | None  # until the end; None if the current stage takes longer than was expected

    def __str__(self) -> str:
        s = self.seconds
        if s is None:
            return f"{self.share:.0%}".replace("%", " %")
        left = f"{max(s, 1):.0f} s" if s < 10 else f"{5 * round(s / 5)} s" if s < 90 else f"{s / 60:.0f} min"
        return f"{self.share:.0%}, about {left} left".replace("%", " %")


class TimeLeft:
    """A listener that estimates how far the work is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = self._began = clock()
        self._pending: list[str] = []
        self._expected: float | None = None  # seconds of the current stage; None if it began before the size was known
        self._size: tuple[int, int] | None = None
        self._done = 0.0  # share of the current stage, as far as it is announced
        self._factors: list[float] = []  # logarithms, per finished stage: how much longer it took than was expected
        self._share = 0.0

    def expect(self, *stages: str) -> None:
        """Add stages, except those that are expected already."""
        self._pending.extend((Counter(stages) - Counter(self._pending)).elements())

    def size(self, entries: int, classes: int) -> None:
        """Set the size, on which the costs depend."""
        self._size = (entries, classes)

    def begin(self, stage: str) -> None:
        """End the stage before, from which the speed of the machine is estimated, and begin a stage."""
        now = self._clock()
        if self._expected is not None:
            factor = (now - self._began + SHORT) / (self._expected + SHORT)
            self._factors.append(math.log(min(max(factor, 1 / MOST), MOST)))
        if stage in self._pending:
            self._pending.remove(stage)
        self._began, self._done = now, 0.0
        self._expected = None if self._size is None else seconds_of(stage, *self._size)

    def step(self, share: float) -> None:
        """Set the share of the current stage that is done."""
        self._done = share

    def remaining(self) -> Remaining | None:
        """How far the work is now; None before the size is known, and while nothing is known about the stage."""
        if self._size is None or (self._expected is None and self._done < FEW):
            return None
        now, factor = self._clock(), math.exp(sum(self._factors) / (len(self._factors) + KNOWN))
        current = 0.0 if self._expected is None else self._expected * factor - (now - self._began)
        if self._done >= FEW:
            current = (now - self._began) * (1 - self._done) / self._done
        left = max(current, 0.0) + factor * sum(seconds_of(stage, *self._size) for stage in self._pending)
        passed = now - self._start
        share = passed / (passed + left) if passed + left > 0 else 0.0
        self._share = min(max(self._share, share), MAX_SHARE)  # never goes back
        return Remaining(self._share, left if current >= 0 else None)
