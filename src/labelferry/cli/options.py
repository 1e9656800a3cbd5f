"""Options that several commands have, and how stages are shown while a command works."""

from __future__ import annotations

import sys
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


def language_of(name: str) -> str | None:
    return None if name.lower() == "none" else name


def print_json(result: dict[str, Any]) -> None:
    import json

    typer.echo(json.dumps(result, ensure_ascii=False, allow_nan=False))


@contextmanager
def stages(total: int, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """`begin(stage)` for a job of so many stages: a bar with the time left on a terminal, a line a stage elsewhere."""
    if quiet:
        yield lambda _: None
    elif not sys.stderr.isatty():
        yield lambda stage: typer.echo(f"labelferry: {stage}", err=True)
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
