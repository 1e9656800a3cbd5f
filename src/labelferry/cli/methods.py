"""`labelferry methods`: the methods, when to use them, and their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import app
from .options import AsJson, print_json
from .show import escape, heading, new_console, new_table

if TYPE_CHECKING:
    from rich.console import Console

RANGES = {  # what the words for the cost mean, see `inputs.methods.cost_class`
    "cheap": " (cheap: at most 0.5 times)",
    "medium": " (medium: 0.5 to 2 times)",
    "expensive": " (expensive: more than 2 times)",
}


@app.command()
def methods(
    name: Annotated[
        str | None, typer.Argument(metavar="[METHOD]", help="One method, to list its parameters, e.g. tcl.")
    ] = None,
    json: AsJson = False,
) -> None:
    """List the methods, or the parameters of one method.

    Write a method with its parameters in brackets: --method "tcl(n_topics=4)". The same spelling works in label,
    compare, diagnose, demo and bench.
    """
    from ..inputs.methods import list_methods

    rows = list_methods(name)
    if json:
        print_json({"methods": rows})
    elif name is None:
        show_all(new_console(result=True), rows)
    else:
        show_one(new_console(result=True), rows[0])


def show_all(console: Console, rows: list[dict[str, Any]]) -> None:
    """Print one line per method."""
    table = new_table("method", "what it is, and when to use it", "cost", lines=True)
    for row in rows:
        table.add_row(escape(row["name"]), escape(f"{row['summary']} {row['use']}".strip()), row["cost"])
    console.print(table)
    console.print(
        "cost: measured on newsgroup articles; cheap is at most half the seconds of sourcelr, medium at most "
        "twice. labelferry methods METHOD lists the parameters of a method."
    )


def show_one(console: Console, row: dict[str, Any]) -> None:
    """Print what is known about one method."""
    heading(console, f"{row['name']} ({row['class']})")
    console.print(escape(f"{row['summary']} {row['use']}".strip()))
    cost = row["cost"] if row["ratio"] is None else f"{row['ratio']:.2g} times the seconds of sourcelr"
    console.print(f"Cost: {cost}{RANGES.get(row['cost'], '')}.")
    if not row["parameters"]:
        console.print("It has no parameters.")
        return
    table = new_table("parameter", "values", "meaning", lines=True)
    for parameter in row["parameters"]:
        table.add_row(*(escape(parameter[field]) for field in ("name", "type", "meaning")))
    console.print(table)
    first = row["parameters"][0]
    value = first["type"].partition("default=")[2] or "..."
    example = f"{row['name']}({first['name'].partition(',')[0]}={value})"
    console.print(f'Example: labelferry label old.csv new.csv -o out.csv --method "{escape(example)}"', soft_wrap=True)
