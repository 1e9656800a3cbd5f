"""`labelferry data`: which corpora are on this machine, and how to get the others."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from labelferry.cli.show import escape, new_console, new_table, printable


def data(
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
    where: Annotated[
        str | None, typer.Option(metavar="NAME", help="Show where to download a corpus and where to put it.")
    ] = None,
) -> None:
    """List the corpora of the bench: available or missing.

    Shows their sizes and terms of use. With --where NAME: where to download a corpus and where to put it.
    """
    from ..datasets import catalogue

    if where is not None:
        typer.echo(printable(catalogue.directions_for(where)))
    elif as_json:
        typer.echo(json.dumps(catalogue.summarize(), indent=2))
    else:
        show_corpora(catalogue.summarize())


def show_corpora(corpora: list[dict[str, Any]]) -> None:
    """Print the corpora as a table."""
    console = new_console(result=True)
    table = new_table("corpus", "documents", "groups", "place and terms of use", lines=True)
    table.columns[-1].overflow = "fold"  # a path is shown completely
    for corpus in corpora:
        groups = "\n".join(f"{count} {name}" for name, count in corpus["groups"].items())
        about = [corpus["title"], corpus["place"], corpus["problem"], f"Terms: {corpus['terms']}"]
        table.add_row(corpus["name"], documents(corpus), escape(groups), escape("\n".join(filter(None, about))))
    console.print(table)
    missing = [corpus["name"] for corpus in corpora if not corpus["available"]]
    if missing:
        console.print(f"How to get one: labelferry data --where NAME. Missing: {', '.join(missing)}.")


def documents(corpus: dict[str, Any]) -> str:
    """The number of documents, or why it is unknown."""
    if not corpus["available"]:
        return "missing"
    return "damaged" if corpus["problem"] else f"{corpus['documents']:,}"
