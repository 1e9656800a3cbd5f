"""Progress of long work: the code that works announces its stages, and whoever listens shows them.

    with listen(listener):            the command line, or a test
        expect("TCL", "SourceLR")     deep inside: these stages will come
        size(entries, classes)        how large the task is, as soon as it is known
        begin("TCL")                  and this stage begins now
        step(0.5)                     half of it is done; only long stages say so

The listener is a context variable, so that no function has to hand it on. Without a listener nothing happens.

`TimeLeft` is a listener that estimates the remaining time: the measured cost of each expected stage for a task of this
size (`core/costs.py`), multiplied by how much longer the finished stages took here than in the measurement.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, Protocol

from .costs import seconds_of

MAX_SHARE = 0.99  # before the end
FEW = 0.2  # share of a stage from which the rest of it is estimated
SHORT = 1.0  # seconds that are added to what the stages took and to what was expected: short ones say little
MOST = 20.0  # largest factor between this machine and the measurement


class Listener(Protocol):
    """What shows the progress."""

    def expect(self, *stages: str) -> None: ...
    def size(self, entries: int, classes: int) -> None: ...
    def begin(self, stage: str) -> None: ...
    def step(self, share: float) -> None: ...


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Send the stages that are announced inside the block to the listener."""
    # `listener`: object with the methods `expect(*stages)`, `size(entries, classes)`, `begin(stage)` and `step(share)`.
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
            return f"{self.share:.0%}"
        left = f"{max(s, 1):.0f} s" if s < 10 else f"{5 * round(s / 5)} s" if s < 90 else f"{s / 60:.0f} min"
        return f"{self.share:.0%}, about {left} left"


class TimeLeft:
    """A listener that estimates how far the work is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = self._began = clock()  # of the first and of the current stage
        self._sized = self._began  # when the size was known: what comes before it in a stage is not its steps
        self._stage: str | None = None
        self._finished: list[str] = []
        self._pending: list[str] = []
        self._size: tuple[int, int] | None = None
        self._done = 0.0  # share of the current stage, as far as it is announced
        self._share = 0.0

    def expect(self, *stages: str) -> None:
        """Add stages, except those that are expected already."""
        self._pending.extend((Counter(stages) - Counter(self._pending)).elements())

    def size(self, entries: int, classes: int) -> None:
        """Set the size, on which the costs depend."""
        self._size, self._sized = (entries, classes), self._clock()

    def begin(self, stage: str) -> None:
        """End the stage before, and begin a stage."""
        self._began = self._clock()
        if self._stage is None:
            self._start = self._began
        else:
            self._finished.append(self._stage)
        if stage in self._pending:
            self._pending.remove(stage)
        self._stage, self._done = stage, 0.0

    def step(self, share: float) -> None:
        """Set the share of the current stage that is done."""
        self._done = share

    def remaining(self) -> Remaining:
        """How far the work is now: 0 without a time until the size is known, or the share of a stage alone."""
        passed = self._clock() - self._began
        if self._size is None or self._stage is None:
            return Remaining(self._done, passed * (1 / self._done - 1)) if self._done >= FEW else Remaining(0.0, None)
        finished, current, pending = (
            sum(seconds_of(stage, *self._size) for stage in stages)
            for stages in (self._finished, [self._stage], self._pending)
        )
        announced = self._done if self._done >= FEW else 0.0
        taken = self._began - self._start + (passed if announced else 0.0)
        factor = min(max((taken + SHORT) / (finished + announced * current + SHORT), 1 / MOST), MOST)
        done, left = min(passed / max(current * factor, 1e-9), 1.0), current * factor - passed
        if announced:
            done, left = announced, (self._clock() - max(self._began, self._sized)) * (1 / announced - 1)
        share = (finished + done * current) / (finished + current + pending)
        self._share = min(max(self._share, share), MAX_SHARE)  # never goes back
        return Remaining(self._share, max(left, 0.0) + factor * pending if left >= 0 else None)
