"""Progress without a terminal: one line per stage on standard error."""

from __future__ import annotations

import typer

from ..core.progress import TimeLeft
from .show import printable

N_HELD_BACK = 3  # stages before the first line is printed


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
