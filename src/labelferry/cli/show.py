"""What the commands print with: a console of readable width, headings, tables, and text that is shown as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

COLOURS = {"safe": "green", "doubtful": "yellow", "unsafe": "red"}
MAX_WIDTH = 120  # longer lines are hard to read, however wide the terminal is


def new_console() -> Console:
    from rich.console import Console

    console = Console(highlight=False)
    console.width = min(console.width, MAX_WIDTH)
    return console


def heading(console: Console, text: str) -> None:
    console.print(f"\n[bold cyan]{text}[/]")


def show_verdict(console: Console, verdict: dict[str, Any]) -> None:
    heading(console, "Verdict")
    console.print(f"[bold {COLOURS[verdict['level']]}]{verdict['level']}[/]  {safe(verdict['sentence'])}")
    for reason in verdict["reasons"]:
        console.print(f"- {safe(reason)}")


def new_table(*columns: str, numbers: int = 0, lines: bool = False) -> Table:
    """A table; its last `numbers` columns are numbers, and `lines` sets its rows apart."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_lines=lines)
    for position, column in enumerate(columns):
        table.add_column(column, justify="right" if position >= len(columns) - numbers else "left")
    return table


def safe(text: str) -> str:
    """Text that rich shows as it is: what stands in brackets is no markup."""
    from rich.markup import escape

    return escape(text)
