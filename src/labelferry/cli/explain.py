"""`labelferry explain`: what a saved model has learnt."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .options import AsJson, print_json
from .show import escape, heading, new_console, new_table


@app.command()
def explain(
    model: Annotated[Path, typer.Argument(help="A model that `labelferry label --save` wrote.")],
    words: Annotated[int, typer.Option(min=1, help="Number of words of each kind.")] = 8,
    json: AsJson = False,
) -> None:
    """Show what a saved model has learnt.

    The words that are typical of each class, and the topics with their common words and the words of each domain.
    """
    from ..workflows import explain as run

    found = run(model, n_words=words)
    if json:
        print_json(found)
        return
    console = new_console()
    heading(console, f"Words typical of each class, by {found['method']}")
    by_class = new_table("class", "words", lines=True)
    for name, listed in found["words"].items():
        by_class.add_row(escape(name), escape(", ".join(listed)))
    console.print(by_class)
    if not found["topics"]:
        console.print(f"{found['method']} has no topics; tcl and gcmf have some.")
        return
    domains = list(found["topics"][0]["domains"])
    heading(console, "Topics")
    table = new_table("class", "words of all", *(f"words of {escape(name)}" for name in domains), lines=True)
    for topic in found["topics"]:
        listed = [topic["common"], *(topic["domains"][name] for name in domains)]
        table.add_row(escape(topic["class"]), *(escape(", ".join(part)) for part in listed))
    console.print(table)
