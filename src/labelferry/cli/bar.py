"""Progress on a terminal: a bar, the share that is done, the remaining time and the name of the stage."""

from __future__ import annotations

from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress_bar import ProgressBar
from rich.text import Text

from ..core.progress import TimeLeft
from .show import escape

WIDTH = 30


class ShareColumn(ProgressColumn):
    """The bar."""

    def __init__(self, time_left: TimeLeft) -> None:
        super().__init__()
        self.time_left = time_left

    def render(self, task: Task) -> ProgressBar:
        """Draw the bar."""
        return ProgressBar(total=1, completed=self.time_left.remaining().share, width=WIDTH)


class LeftColumn(ProgressColumn):
    """The share and the remaining time in words."""

    def __init__(self, time_left: TimeLeft) -> None:
        super().__init__()
        self.time_left = time_left

    def render(self, task: Task) -> Text:
        """Write the text."""
        return Text(str(self.time_left.remaining()))


class Bar(TimeLeft):
    """The stages as a bar on standard error, which disappears at the end of `progress`."""

    def __init__(self) -> None:
        super().__init__()
        columns = (
            SpinnerColumn(),
            ShareColumn(self),
            TimeElapsedColumn(),
            LeftColumn(self),
            TextColumn("{task.description}"),
        )
        self.progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.progress.add_task("", total=None)

    def begin(self, stage: str) -> None:
        """Show the name of the stage."""
        super().begin(stage)
        self.progress.update(self.task, description=escape(stage))
