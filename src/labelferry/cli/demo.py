"""`labelferry demo`: label the embedded tickets and compare with their true labels."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import app
from .options import Method
from .show import escape, new_console, new_table

if TYPE_CHECKING:
    from rich.console import Console

NAMES = {"SourceLR": "ordinary classifier", "AutoTransfer": "labelferry"}


@app.command()
def demo(
    method: Method = "auto",
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    save: Annotated[
        Path | None, typer.Option(help="Only write the tickets into this folder: labelled.csv and new.csv.")
    ] = None,
) -> None:
    """Label the example tickets of a new product as `labelferry label` does, and compare with their true labels."""
    from ..demo.run import run_demo, save_demo

    if save is not None:
        files = save_demo(save)
        console, names = new_console(), shlex.join(map(str, files))
        console.print(escape(f"Written: {', '.join(map(str, files))}"), soft_wrap=True)
        console.print(escape(f"Next: labelferry label {names} -o out.csv"), soft_wrap=True)
        return
    show_demo(new_console(), run_demo(method, seed=seed))


def show_demo(console: Console, report: dict[str, Any]) -> None:
    """Print the task, how many labels are correct, two tickets, and the command for files of one's own."""
    *classes, last = (escape(row["class"]) for row in report["classes"])
    console.print(
        f"{report['n_source']} tickets about an old product are labelled {', '.join(classes)} or {last}. "
        f"{report['n_target']} tickets about a new product are not, and {report['new_words']:.0%} of their words never "
        "occur in the old ones. labelferry labels them; then we compare with the true labels.\n"
    )
    numbers = 2 + len(report["classes"])
    table = new_table("", "correct", "accuracy", *classes, last, numbers=numbers, compact=True)
    for row in report["results"]:
        shares = [f"{share:.1%}" for share in (row["accuracy"], *row["by_class"])]
        table.add_row(NAMES.get(row["method"], row["method"]), f"{row['correct']} of {report['n_target']}", *shares)
    console.print(table)
    methods = [NAMES.get(row["method"], row["method"]) for row in report["results"]]
    for row in report["examples"]:
        labels = (row["source_only"], ""), (row["transfer"], f" ({row['confidence']:.0%} confident)")
        said = [
            f"{name}: {label}{note}, {'right' if label == row['truth'] else 'wrong'}"
            for name, (label, note) in zip(methods, labels, strict=True)
        ]
        console.print(escape(f'\n"{row["text"]}"'))
        console.print(escape(f"true label: {row['truth']}; {'; '.join(said)}"))
    option = "" if report["call"] == "AutoTransfer" else f" --method {shlex.quote(report['call'])}"
    console.print(
        f"\nNext, with your files: labelferry label labelled.csv new.csv -o out.csv{escape(option)}", soft_wrap=True
    )
    console.print("Other methods: labelferry methods")
