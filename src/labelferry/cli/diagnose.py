"""`labelferry diagnose`: check a transfer before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .app import app
from .options import (
    AsJson,
    Method,
    Seed,
    Sources,
    Target,
    print_json,
    with_text_options,
)
from .progress import one_line_warnings, show_progress
from .show import escape, heading, new_console, new_table, print_messages, show_verdict

if TYPE_CHECKING:
    from rich.console import Console


@app.command()
@with_text_options
def diagnose(
    sources: Sources,
    target: Target,
    options: dict[str, Any],
    method: Method = "auto",
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Check whether label transfer is likely to work.

    Shows how different labelled and new documents are, which words changed, and which words transfer the labels.
    """
    from ..labelling.diagnose import diagnose as run

    with one_line_warnings(quiet=json), show_progress(quiet=json):
        diagnosis = run(sources, target, method=method, seed=seed, **options)
    if json:
        print_json(diagnosis)
    else:
        show(new_console(result=True), diagnosis)


def show(console: Console, diagnosis: dict[str, Any]) -> None:
    print_messages(console, diagnosis["messages"])
    show_verdict(console, diagnosis["verdict"])
    carriers = diagnosis["carriers"]
    heading(console, "Words")
    console.print(
        f"{diagnosis['n_source']:,} labelled documents, {diagnosis['n_target']:,} new documents, "
        f"{diagnosis['n_words']:,} words."
    )
    console.print(
        f"{carriers['words']:,} words of the new documents indicate a class in the labelled ones; "
        f"{carriers['documents']:.0%} of the new documents contain at least one of them."
    )
    transferring = new_table("class", "words that transfer the label (share of the new documents that contain it)")
    for row in carriers["classes"]:
        listed = ", ".join(f"{word['word']} {word['target']:.0%}" for word in row["words"])
        transferring.add_row(escape(row["class"]), escape(listed or "none"))
    console.print(transferring)
    console.print(
        f"Distance of the mean documents {diagnosis['gap']:.2f} (0 equal, 1 no common word); divergence "
        f"{diagnosis['divergence']:.2f}, risk as in RSP {diagnosis['risk']:.2f} (both grow with the number of "
        "documents)."
    )
    words = new_table("words that changed most", "labelled", "new", numbers=2)
    for row in diagnosis["changed_words"]:
        words.add_row(escape(row["word"]), f"{row['source']:.1%}", f"{row['target']:.1%}")
    console.print(words)
    heading(console, "Classes")
    classes = new_table("class", "labelled", "new, estimated", "range", numbers=3)
    for row in diagnosis["classes"]:
        interval = f"{row['low']:.0%} to {row['high']:.0%}"
        classes.add_row(escape(row["class"]), f"{row['source']:.0%}", f"{row['target']:.0%}", interval)
    console.print(classes)
    if not diagnosis["proportions_known"]:
        console.print("The methods disagree on the class proportions of the new documents: they are unknown.")
    if len(diagnosis["sources"]) > 1:
        heading(console, "Sources, nearest first")
        sources = new_table("source", "documents", "distance", numbers=2)
        for row in diagnosis["sources"]:
            sources.add_row(escape(row["name"]), str(row["documents"]), f"{row['gap']:.2f}")
        console.print(sources)
