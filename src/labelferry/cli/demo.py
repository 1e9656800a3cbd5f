"""`labelferry demo`: the embedded tickets, labelled and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import app
from .show import escape, heading, new_console, new_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MAX_TOPICS = 10  # some methods have 64 by default


@app.command()
def demo(
    method: Annotated[str, typer.Option(help="Name of the method, such as tcl, gcmf or emnaivebayes.")] = "tcl",
    seed: Annotated[int, typer.Option(help="Seed of the method's random start.")] = 0,
    topics: Annotated[int | None, typer.Option(help="Number of topics, for methods that have this parameter.")] = None,
) -> None:
    """Try it: label the tickets of a new product."""
    from ..workflows.demo import run_demo

    show_demo(run_demo(method, seed=seed, n_topics=topics))


def show_demo(report: dict[str, Any]) -> None:
    console = new_console()
    show_task(console, report)
    show_results(console, report)
    show_examples(console, report)
    show_topics(console, report)
    show_next(console, report)


def show_task(console: Console, report: dict[str, Any]) -> None:
    *classes, last = (escape(row["class"]) for row in report["classes"])
    heading(console, "The task")
    console.print(
        f"An old product, desktop accounting, has {report['n_source']} support tickets, labelled {', '.join(classes)} "
        f"or {last}. A new product, smart home, has {report['n_target']} tickets without labels. Leaving aside words "
        f'such as "the", {report["new_words"]:.0%} of theirs never occur in the old ones. What are the new ones about?'
    )


def show_results(console: Console, report: dict[str, Any]) -> None:
    heading(console, "The answer, checked against labels that were held back")
    classes = report["classes"]
    table = new_table("", "right", "accuracy", *(escape(row["class"]) for row in classes), numbers=2 + len(classes))
    table.add_row("tickets", str(report["n_target"]), "", *(str(row["tickets"]) for row in classes))
    for row in report["results"]:
        shares = [row["accuracy"], *row["by_class"]]
        table.add_row(row["method"], str(row["right"]), *(f"{share:.1%}" for share in shares))
    console.print(table)
    for row in report["results"]:
        console.print(f"{row['method']} - {escape(row['what'])}")
    console.print(
        f"\nConfidence shows where to look twice: of the half of the labels that {report['method']} is surer of, "
        f"{report['surer_half']:.1%} are right; of the other half, {report['other_half']:.1%}."
    )


def show_examples(console: Console, report: dict[str, Any]) -> None:
    heading(console, "Some of the new tickets")
    methods = [row["method"] for row in report["results"]]
    table = new_table("ticket", "label", lines=True)
    for row in report["examples"]:
        table.add_row(escape(row["text"]), verdicts(row, methods))
    console.print(table)


def show_topics(console: Console, report: dict[str, Any]) -> None:
    topics = report["topics"]
    if not topics:
        return
    heading(console, "The topics that carried the labels over")
    table = new_table("class", "words of both", "only in old tickets", "only in new tickets", lines=True)
    for row in topics[:MAX_TOPICS]:
        table.add_row(escape(row["class"]), *(escape(", ".join(row[side])) for side in ("both", "old", "new")))
    console.print(table)
    if len(topics) > MAX_TOPICS:
        console.print(f"These are the {MAX_TOPICS} of {len(topics)} topics that lean most to one class.")


def show_next(console: Console, report: dict[str, Any]) -> None:
    heading(console, "Next: your own texts, in Python")
    console.print(
        f"from labelferry import {report['method']}, tfidf\n"
        "(Xs, Xt), vectorizer = tfidf(old_texts, new_texts)\n"
        f"new_labels = {report['method']}().transfer(Xs, old_labels, Xt)",
        markup=False,
        soft_wrap=True,  # a line of code stays one line, to be copied
    )
    console.print(f"\nOther methods to try with --method: {', '.join(report['other_methods'])}.")


def verdicts(row: dict[str, Any], methods: list[str]) -> Table:
    """What the methods say of a ticket, one line each."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_row("truth", escape(row["truth"]), "")
    answers = (row["source_only"], ""), (row["transfer"], f"{row['confidence']:.0%}")
    for who, (label, sure) in zip(methods, answers, strict=True):
        wrong = label != row["truth"]
        table.add_row(
            who, escape(label), " ".join(filter(None, [sure, "wrong" * wrong])), style="red" if wrong else None
        )
    return table
