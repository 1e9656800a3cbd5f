"""`labelferry explain`: what a saved model has learned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .options import AsJson, print_json
from .show import escape, heading, new_console, new_table


@app.command()
def explain(
    model: Annotated[Path, typer.Argument(help="A model written by `labelferry label --save`.")],
    words: Annotated[int, typer.Option(min=1, help="Number of words per class and topic.")] = 8,
    json: AsJson = False,
) -> None:
    """Show what a saved model has learned.

    Prints the words typical of each class, and the topics with their common words and the words of each domain.
    """
    from ..labelling.explain import explain as run

    explanation = run(model, n_words=words)
    if json:
        print_json(explanation)
        return
    console = new_console(result=True)
    heading(console, f"Words typical of each class, by {explanation['method']}")
    by_class = new_table("class", "words", lines=True)
    for name, typical in explanation["words"].items():
        by_class.add_row(escape(name), escape(", ".join(typical)))
    console.print(by_class)
    if not explanation["topics"]:
        console.print(f"{explanation['method']} has no topics; tcl and gcmf have topics.")
        return
    domains = list(explanation["topics"][0]["domains"])
    heading(console, "Topics")
    table = new_table("class", "words of all domains", *(f"words of {escape(name)}" for name in domains), lines=True)
    for topic in explanation["topics"]:
        words_by_domain = [topic["common"], *(topic["domains"][name] for name in domains)]
        table.add_row(escape(topic["class"]), *(escape(", ".join(ranked)) for ranked in words_by_domain))
    console.print(table)
