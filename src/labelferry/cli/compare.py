"""`labelferry compare`: several methods on the same files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import app
from .options import (
    AsJson,
    ClassPrior,
    Quiet,
    Seed,
    Sources,
    Target,
    Verbose,
    next_label,
    print_json,
    proportions_of,
    with_text_options,
)
from .progress import one_line_warnings, show_progress
from .show import escape, heading, new_console, new_table, print_messages, special

if TYPE_CHECKING:
    from rich.console import Console

MOST_METHODS = 7  # in the short table
MAX_CLASSES = 12  # of a confusion matrix on the screen


@app.command()
@with_text_options
def compare(
    sources: Sources,
    target: Target,
    options: dict[str, Any],
    methods: Annotated[
        str,
        typer.Option(
            help="Methods with commas between them, e.g. auto,'tcl(n_topics=4)',sourcelr (default: the panel of "
            "'auto'). `labelferry methods` lists them."
        ),
    ] = "",
    truth: Annotated[str | None, typer.Option(help="Column of TARGET with the true labels, if there is one.")] = None,
    class_prior: ClassPrior = None,
    seed: Seed = 0,
    verbose: Verbose = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Compare methods on the same files.

    Shows how much they agree and, with --truth, how accurate they are, the best first. --verbose adds the confusion
    matrix and how long they take. SourceLR is always included in the agreement.
    """
    from ..labelling.compare import compare as run

    prior = proportions_of(class_prior)
    with one_line_warnings(quiet=quiet or json), show_progress(quiet=quiet or json):
        comparison = run(sources, target, methods=methods, truth=truth, class_prior=prior, seed=seed, **options)
    if json:
        print_json(comparison)
    elif not quiet:
        console = new_console(result=True)
        (show if verbose else show_briefly)(console, comparison)
        best, others = clearly_best(comparison["rows"]), class_prior is not None or seed != 0
        console.print(escape(next_label(sources, target, options, method=best, others=others)), soft_wrap=True)


def clearly_best(rows: list[dict[str, Any]]) -> str:
    """The method whose interval of the accuracy is above those of all others, with `auto` among them; empty: none.

    Some members of the panel are no methods that `label` knows.
    """
    from ..core.method_spec import parse_method

    first = rows[0] if rows[0]["accuracy"] is None else max(rows, key=lambda row: row["accuracy"])
    others = [row for row in rows if row is not first]
    if first["accuracy"] is None or not any(is_auto(row) for row in others):
        return ""
    if first["low"] <= max(row["high"] for row in others):
        return ""
    try:
        return str(parse_method(first["method"]))
    except ValueError:
        return ""


def is_auto(row: dict[str, Any]) -> bool:
    """Whether this is the row of `auto`, which has its parameters behind it."""
    return bool(row["method"].partition("(")[0] == "auto")


def show_briefly(console: Console, comparison: dict[str, Any]) -> None:
    """One line per method, the best first: by the true labels, or else by the agreement."""
    print_messages(console, special(comparison["messages"]))
    known = comparison["truth"] is not None
    rows = sorted(comparison["rows"], key=lambda row: -row["accuracy" if known else "agreement"])
    names = ("accuracy", "95% interval", "agreement") if known else ("agreement", "seconds")
    table = new_table("method", *names, numbers=len(names), compact=True)
    for row in rows[:MOST_METHODS]:
        scores = [f"{row['accuracy']:.1%}", f"{row['low']:.0%} to {row['high']:.0%}"] if known else []
        table.add_row(
            escape(row["method"]), *scores, f"{row['agreement']:.2f}", *([] if known else [f"{row['seconds']:.1f}"])
        )
    if len(rows) > MOST_METHODS:
        table.add_row(f"{len(rows) - MOST_METHODS} more: --verbose", *[""] * len(names))
    console.print(table)
    console.print("agreement with the other methods: 0 = as by chance, 1 = always")


def show(console: Console, comparison: dict[str, Any]) -> None:
    """Everything."""
    print_messages(console, comparison["messages"])
    rows = comparison["rows"]
    table = new_table("method", "agreement", "if confident", "seconds", numbers=3)
    for row in rows:
        numbers = (f"{row['agreement']:.2f}", f"{row['confident']:.0%}", f"{row['seconds']:.1f}")
        table.add_row(escape(row["method"]), *numbers)
    console.print(table)
    console.print(
        "agreement: how often the other methods give the same label, on a scale from 0 (as by chance) to 1 (always). "
        "if confident: share of equal labels on the 20% of the documents that SourceLR is most confident about."
    )
    if comparison["truth"] is not None:
        show_scores(console, rows)
        show_confusion(console, rows)


def show_scores(console: Console, rows: list[dict[str, Any]]) -> None:
    """Print how many labels of each method are correct, the best first."""
    heading(console, "Compared with the true labels")
    table = new_table("method", "correct", "accuracy", "95% interval", "balanced", numbers=4)
    for row in sorted(rows, key=lambda row: -row["accuracy"]):
        interval = f"{row['low']:.0%} to {row['high']:.0%}"
        correct = f"{row['correct']:,} of {row['documents']:,}"
        table.add_row(escape(row["method"]), correct, f"{row['accuracy']:.1%}", interval, f"{row['balanced']:.1%}")
    console.print(table)


def show_confusion(console: Console, rows: list[dict[str, Any]]) -> None:
    """Print the confusion matrix of `auto`, or of the first method."""
    row = next(filter(is_auto, rows), rows[0])
    confusion = row["confusion"]
    heading(console, f"Documents by true and predicted label, {escape(row['method'])}")
    names = [escape(name) for name in confusion["predicted"]]
    if len(names) > MAX_CLASSES:
        console.print(f"There are {len(names)} classes: --json prints the table.")
        return
    table = new_table("true label", *names, "recall", numbers=len(names) + 1)
    for i, (name, counts) in enumerate(zip(confusion["true"], confusion["documents"], strict=True)):
        correct = counts[i] if i < len(names) else 0
        recall = f"{correct / sum(counts):.0%}" if sum(counts) else ""
        table.add_row(escape(name), *(f"{count:,}" for count in counts), recall)
    console.print(table)
