"""Progress on a terminal: a bar, the share that is done, the remaining time and the name of the stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress_bar import ProgressBar
from rich.text import Text

if TYPE_CHECKING:
    from ..workflows import TimeLeft

WIDTH = 30


class ShareColumn(ProgressColumn):
    """The bar; it moves back and forth until the size of the task is known."""

    def __init__(self, time_left: TimeLeft) -> None:
        super().__init__()
        self.time_left = time_left

    def render(self, task: Task) -> ProgressBar:
        """Draw the bar."""
        remaining = self.time_left.remaining()
        if remaining is None:
            return ProgressBar(width=WIDTH, pulse=True, animation_time=task.get_time())
        return ProgressBar(total=1, completed=remaining.share, width=WIDTH)


class LeftColumn(ProgressColumn):
    """The share and the remaining time in words."""

    def __init__(self, time_left: TimeLeft) -> None:
        super().__init__()
        self.time_left = time_left

    def render(self, task: Task) -> Text:
        """Write the text."""
        remaining = self.time_left.remaining()
        return Text("" if remaining is None else str(remaining))


class Bar:
    """A listener that shows the stages in a bar."""

    def __init__(self, progress: Progress, time_left: TimeLeft) -> None:
        self.progress, self.time_left = progress, time_left
        self.task = progress.add_task("", total=None)

    def expect(self, *stages: str) -> None:
        """Pass the stages on."""
        self.time_left.expect(*stages)

    def size(self, entries: int, classes: int) -> None:
        """Pass the size on."""
        self.time_left.size(entries, classes)

    def begin(self, stage: str) -> None:
        """Show the name of the stage."""
        self.time_left.begin(stage)
        self.progress.update(self.task, description=stage)


def new_bar(time_left: TimeLeft) -> Progress:
    """A bar on stderr that disappears at the end."""
    columns = (
        SpinnerColumn(),
        ShareColumn(time_left),
        TimeElapsedColumn(),
        LeftColumn(time_left),
        TextColumn("{task.description}"),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
