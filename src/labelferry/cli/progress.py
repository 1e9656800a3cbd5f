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


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[None]:
    """Show the stages of the work inside the block: a bar on a terminal, one line per stage elsewhere."""
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
    """One line per stage, with the share that is done and the remaining time as soon as they are known.

    The first two lines, during which wrong input is found, wait for the third: then an error is printed alone.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def begin(self, stage: str) -> None:
        """Print a line."""
        super().begin(stage)
        remaining = self.remaining()
        self.lines.append(f"labelferry: {printable(stage)}" + (f" ({remaining})" if remaining else ""))
        if len(self.lines) == N_HELD_BACK:
            typer.echo("\n".join(self.lines), err=True)
        elif len(self.lines) > N_HELD_BACK:
            typer.echo(self.lines[-1], err=True)


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
