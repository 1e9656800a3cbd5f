"""The program `labelferry`: its errors, its version, and its help without a command."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from .show import as_options, error_text, printable

ORDER = (
    *("label", "accept", "find", "review", "audit", "certify", "ask", "apply", "diagnose", "compare"),
    *("methods", "explain", "demo", "data", "bench"),
)

COMMANDS = "labelferry.commands"  # entry points: functions that add commands to `app`
INTERRUPTED = 130  # exit code after Ctrl-C
NO_ROOM = "failed to map segment"  # in the ImportError of a library for which there is no memory
MAX_MESSAGE = 1000  # characters of an error; the middle of a longer one, such as the user's own value, is left out


class OneLineErrors(TyperGroup):
    """Print errors that the user can fix in one line on stderr, exit code 2. Other errors are bugs and are raised."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands, the most used first."""
        return sorted(super().list_commands(ctx), key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))

    def invoke(self, ctx: Any) -> Any:
        """Run a command; after Ctrl-C, print one line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:  # its text says what was written, see `outputs.naming_interrupted`
            typer.echo(f"labelferry: {printable('; '.join(filter(None, ['interrupted', str(error)])))}", err=True)
            raise typer.Exit(INTERRUPTED) from None

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run a command and exit."""
        try:
            sys.exit(super().main(*args, **{**settings, "standalone_mode": False}))
        except typer.Abort:
            sys.exit(INTERRUPTED)
        except Exception as error:
            message = message_of(error)
            if message is None:
                raise
            typer.echo(f"labelferry: {printable(message)}", err=True)
            sys.exit(2)


def message_of(error: Exception) -> str | None:
    """The line to print for an error that the user can fix; None for a bug."""
    # The base class of usage errors differs between versions of typer; this method is the same.
    if (usage := getattr(error, "format_message", None)) is not None:
        message = str(usage())
    elif isinstance(error, MemoryError) or NO_ROOM in str(error):
        what = f" ({error})" if str(error) else ""
        message = f"not enough memory{what}. Limit it with --max-memory, or pass fewer documents."
    elif isinstance(error, ValueError | OSError):
        message = error_text(error)
    else:
        return None
    message = as_options(" ".join(message.split()))
    half = MAX_MESSAGE // 2
    return message if len(message) <= MAX_MESSAGE else f"{message[:half]} ... {message[-half:]}"


app = typer.Typer(cls=OneLineErrors, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@cache
def load_commands() -> None:
    """Add the commands of other packages, such as labelferry-bench: their entry points in the group `COMMANDS`."""
    for entry in entry_points(group=COMMANDS):
        entry.load()(app)


def show_version(is_requested: bool) -> None:
    """Print the version and exit."""
    if is_requested:
        typer.echo(f"labelferry {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Predict labels for new documents from labelled documents of another kind, and estimate how far to trust them.

    Start with: labelferry label labelled.csv new.csv -o out.csv
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
