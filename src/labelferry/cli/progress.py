"""What is printed on standard error while a command runs: its stages as a bar or as lines, and warnings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from ..core.progress import TimeLeft, listen
from .show import printable

N_HELD_BACK = 3  # stages before the first line is printed
EVERY = 2.0  # seconds between two lines


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[None]:
    """Show the stages of the work inside the block: a bar on a terminal, lines elsewhere."""
    if quiet:
        yield
    elif not sys.stderr.isatty():
        with listen(Lines()):
            yield
    else:
        from .bar import Bar  # loads the bar of rich, which lines do not need

        bar = Bar()
        with bar.progress, listen(bar):
            yield


class Lines(TimeLeft):
    """A line per stage or step with the share that is done and the remaining time, at most one in EVERY seconds.

    The first two stages, during which wrong input is found, print nothing: then an error is printed alone.
    """

    def __init__(self) -> None:
        super().__init__()
        self.first = ""  # of the lines; it comes with the second one
        self.n_stages, self.last = 0, self._clock()

    def begin(self, stage: str) -> None:
        """Print a line, if it is time."""
        super().begin(stage)
        self.n_stages += 1
        if self.n_stages == 1:
            self.first = f"{self.line()}\n"
        elif self.n_stages >= N_HELD_BACK:
            self.print()

    def step(self, share: float) -> None:
        """Print a line, if it is time."""
        super().step(share)
        self.print()

    def line(self) -> str:
        """The stage, the share and the time."""
        return f"labelferry: {printable(self._stage or '')} ({self.remaining()})"

    def print(self) -> None:
        """Print a line, if it is time."""
        if self._clock() - self.last >= EVERY:
            typer.echo(f"{self.first}{self.line()}", err=True)
            self.first, self.last = "", self._clock()


@contextmanager
def one_line_warnings(*, quiet: bool) -> Iterator[None]:
    """Each warning of the library is printed once, in one line on stderr; none if `quiet`."""
    printed: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        line = " ".join(str(message).split())
        if line not in printed:
            typer.echo(f"labelferry: {printable(line)}", err=True)
        printed.add(line)

    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
        warnings.showwarning = show
        yield
