"""Options that several commands have, and how stages are shown while a command works."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

Sources = Annotated[list[Path], typer.Argument(metavar="SOURCE...", help="Files of old documents, with labels.")]
Target = Annotated[Path, typer.Argument(metavar="TARGET", help="File of new documents.")]
Text = Annotated[str | None, typer.Option(help="Column of the text; guessed where it is not given.")]
Label = Annotated[str | None, typer.Option(help="Column of the label in the sources; guessed likewise.")]
Domain = Annotated[str | None, typer.Option(help="Column of the sources that says which source a row is of.")]
Language = Annotated[str, typer.Option(help="Whose stop words are left out, such as german; none keeps all words.")]
Ngrams = Annotated[int, typer.Option(min=1, max=5, help="Count up to this many words in a row as one.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave out rows that cannot be read, and list them.")]
Encoding = Annotated[str | None, typer.Option(help="Of the files, where it is not UTF-8, such as cp1252.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all that is random.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]

HELD = 3  # stages before the first line


def language_of(name: str) -> str | None:
    return None if name.lower() == "none" else name


def print_json(result: dict[str, Any]) -> None:
    import json

    typer.echo(json.dumps(result, allow_nan=False))  # ASCII: any terminal, pipe and half a character will do


@contextmanager
def warnings_in_a_line(*, quiet: bool) -> Iterator[None]:
    """What the library warns of is said once, in a line each on stderr; nothing of it if `quiet`."""
    said: set[str] = set()

    def say(message: Warning | str, *_: Any, **__: Any) -> None:
        line = " ".join(str(message).split())
        if line not in said:
            typer.echo(f"labelferry: {line}", err=True)
        said.add(line)

    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
        warnings.showwarning = say
        yield


def log_lines() -> Callable[[str], None]:
    """A line a stage. The first two, in which wrong input shows, wait for the third: an error is then a line alone."""
    held: list[str] = []

    def begin(stage: str) -> None:
        held.append(f"labelferry: {stage}")
        if len(held) == HELD:
            typer.echo("\n".join(held), err=True)
        elif len(held) > HELD:
            typer.echo(held[-1], err=True)

    return begin


@contextmanager
def stages(total: int, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """`begin(stage)` for a job of so many stages: a bar with the time left on a terminal, a line a stage elsewhere."""
    if quiet:
        yield lambda _: None
    elif not sys.stderr.isatty():
        yield log_lines()
    else:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            SpinnerColumn(),
            BarColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=total, completed=-1)
            yield lambda stage: bar.update(task, advance=1, description=stage)
