"""`labelferry data`: which corpora are on this machine, and what to put where."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from .app import app
from .show import escape, new_console, new_table


@app.command()
def data(
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
    where: Annotated[str | None, typer.Option(metavar="NAME", help="Say what to put where for one corpus.")] = None,
) -> None:
    """List the corpora of the bench: found or missing.

    How large they are, on what terms they may be used, and with --where what to put where.
    """
    from ..datasets import catalogue

    if where is not None:
        typer.echo(catalogue.where(where))
    elif as_json:
        typer.echo(json.dumps(catalogue.summarize(), indent=2))
    else:
        show_corpora(catalogue.summarize())


def show_corpora(corpora: list[dict[str, Any]]) -> None:
    console = new_console()
    table = new_table("corpus", "documents", "in", "where, and on what terms", lines=True)
    table.columns[-1].overflow = "fold"  # a path is shown whole
    for corpus in corpora:
        groups = "\n".join(f"{count} {name}" for name, count in corpus["groups"].items())
        about = [corpus["title"], corpus["place"], corpus["problem"], f"Terms: {corpus['terms']}"]
        table.add_row(corpus["name"], documents(corpus), groups, escape("\n".join(filter(None, about))))
    console.print(table)
    missing = [corpus["name"] for corpus in corpora if not corpus["found"]]
    if missing:
        console.print(f"What to put where: labelferry data --where NAME, for {', '.join(missing)}.")


def documents(corpus: dict[str, Any]) -> str:
    if not corpus["found"]:
        return "missing"
    return "damaged" if corpus["problem"] else f"{corpus['documents']:,}"
