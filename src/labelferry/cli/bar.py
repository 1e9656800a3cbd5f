"""Progress on a terminal: a bar, the share that is done, the remaining time and the name of the stage."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console, RenderableType
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress_bar import ProgressBar
from rich.text import Text

from ..core.progress import TimeLeft
from .show import escape

WIDTH = 30


class DrawnColumn(ProgressColumn):
    """What a function draws."""

    def __init__(self, draw: Callable[[], RenderableType]) -> None:
        super().__init__()
        self.draw = draw

    def render(self, task: Task) -> RenderableType:
        return self.draw()


class Bar(TimeLeft):
    """The stages as a bar on standard error, which disappears at the end of `progress`."""

    def __init__(self) -> None:
        super().__init__()
        columns = (
            SpinnerColumn(),
            DrawnColumn(lambda: ProgressBar(total=1, completed=self.remaining().share, width=WIDTH)),
            TimeElapsedColumn(),
            DrawnColumn(lambda: Text(str(self.remaining()))),
            TextColumn("{task.description}"),
        )
        self.progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.progress.add_task("", total=None)

    def begin(self, stage: str) -> None:
        """Show the name of the stage."""
        super().begin(stage)
        self.progress.update(self.task, description=escape(stage))
