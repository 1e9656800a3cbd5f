"""The commands `labelferry bench` and `labelferry data`. The entry point `labelferry.commands` names `add_commands`."""

import typer

from . import review, speed, trust  # noqa: F401  # each adds its commands to `bench`
from .bench import bench
from .data import data

__all__ = ["add_commands"]


def add_commands(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(data)
    app.add_typer(bench, name="bench")
