"""Progress of long work: the code that works announces its stages, and whoever listens shows them.

    with listen(listener):            the command line, or a test
        expect(3)                     deep inside: three more stages will come
        begin("TCL")                  and this one begins now

The listener is a context variable, so that no function has to hand it on. Without a listener nothing happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Listener(Protocol):
    """What shows the progress."""

    def expect(self, n_stages: int) -> None: ...
    def begin(self, stage: str) -> None: ...


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Send the stages that are announced inside the block to the listener.

    Parameters
    ----------
    listener : Listener
        Object with the methods `expect(n_stages)` and `begin(stage)`.

    Yields
    ------
    None
        The block runs.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def expect(n_stages: int) -> None:
    """Announce further stages.

    Parameters
    ----------
    n_stages : int
        Number of stages that will be announced by `begin`.
    """
    if (listener := _listener.get()) is not None:
        listener.expect(n_stages)


def begin(stage: str) -> None:
    """Announce that a stage begins.

    Parameters
    ----------
    stage : str
        Name of the stage, for the user.
    """
    if (listener := _listener.get()) is not None:
        listener.begin(stage)
