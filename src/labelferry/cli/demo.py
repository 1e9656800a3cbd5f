"""`labelferry demo`: label the embedded tickets and compare with their true labels."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import app
from .options import Method
from .show import escape, heading, new_console, new_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MAX_TOPICS = 10  # some methods have 64 by default


@app.command()
def demo(
    method: Method = "auto",
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    topics: Annotated[int | None, typer.Option(help="Number of topics, for methods that have this parameter.")] = None,
) -> None:
    """Label the example tickets of a new product as `labelferry label` does, and compare with their true labels."""
    from ..demo.run import run_demo

    show_demo(run_demo(method, seed=seed, n_topics=topics))


def show_demo(report: dict[str, Any]) -> None:
    """Print the report."""
    console = new_console()
    show_task(console, report)
    show_results(console, report)
    show_examples(console, report)
    show_topics(console, report)
    show_next(console, report)


def show_task(console: Console, report: dict[str, Any]) -> None:
    """Print what is to be labelled."""
    *classes, last = (escape(row["class"]) for row in report["classes"])
    heading(console, "The task")
    console.print(
        f"An old product, desktop accounting, has {report['n_source']} support tickets, labelled {', '.join(classes)} "
        f"or {last}. A new product, smart home, has {report['n_target']} tickets without labels. Without words such as "
        f'"the", {report["new_words"]:.0%} of their words never occur in the old tickets. What are the new tickets '
        "about?"
    )


def show_results(console: Console, report: dict[str, Any]) -> None:
    """Print the accuracies."""
    heading(console, "The predicted labels, compared with the true labels")
    classes = report["classes"]
    table = new_table("", "correct", "accuracy", *(escape(row["class"]) for row in classes), numbers=2 + len(classes))
    table.add_row("tickets", str(report["n_target"]), "", *(str(row["tickets"]) for row in classes))
    for row in report["results"]:
        accuracies = [row["accuracy"], *row["by_class"]]
        table.add_row(row["method"], str(row["correct"]), *(f"{accuracy:.1%}" for accuracy in accuracies))
    console.print(table)
    for row in report["results"]:
        console.print(f"{row['method']} - {escape(row['description'])}")
    console.print(
        f"\nThe confidence shows which labels to check: {report['confident_half']:.1%} of the more confident half of "
        f"the labels of {report['method']} are correct, and {report['other_half']:.1%} of the other half."
    )


def show_examples(console: Console, report: dict[str, Any]) -> None:
    """Print some tickets with their labels."""
    heading(console, "Some of the new tickets")
    methods = [row["method"] for row in report["results"]]
    table = new_table("ticket", "label", lines=True)
    for row in report["examples"]:
        table.add_row(escape(row["text"]), labels_of(row, methods))
    console.print(table)


def show_topics(console: Console, report: dict[str, Any]) -> None:
    """Print the words of the topics, or of the classes."""
    topics = report["topics"]
    by_topics = "The topics by which the labels are transferred"
    heading(console, by_topics if report["has_topics"] else "Typical words of the classes")
    table = new_table("class", "words of both", "only in old tickets", "only in new tickets", lines=True)
    for row in topics[:MAX_TOPICS]:
        table.add_row(escape(row["class"]), *(escape(", ".join(row[side])) for side in ("both", "old", "new")))
    console.print(table)
    if len(topics) > MAX_TOPICS:
        console.print(f"These are the {MAX_TOPICS} of {len(topics)} topics that are most typical of one class.")


def show_next(console: Console, report: dict[str, Any]) -> None:
    """Print how to label documents of one's own."""
    heading(console, "Next: your own documents")
    call = report["call"]
    option, argument = ("", "") if call == "AutoTransfer" else (f" --method {shlex.quote(call)}", f", method={call!r}")
    code = (
        f"labelferry label old.csv new.csv -o labelled.csv{option}\n\n"
        "or in Python:\n\n"
        "import labelferry\n"
        f"new_labels = labelferry.label(old_texts, new_texts, label=old_labels{argument}).labels"
    )
    console.print(code, markup=False, soft_wrap=True)  # lines of code are not wrapped, so that they can be copied
    console.print(f"\nOther methods to try with --method: {', '.join(report['other_methods'])}.")


def labels_of(row: dict[str, Any], methods: list[str]) -> Table:
    """The labels of a ticket, one line per method."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_row("truth", escape(row["truth"]), "")
    predictions = (row["source_only"], ""), (row["transfer"], f"{row['confidence']:.0%}")
    for method, (label, confidence) in zip(methods, predictions, strict=True):
        is_wrong = label != row["truth"]
        note = " ".join(filter(None, [confidence, "wrong" * is_wrong]))
        table.add_row(method, escape(label), note, style="red" if is_wrong else None)
    return table
