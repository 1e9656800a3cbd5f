"""`labelferry diagnose`: check a transfer before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .app import app
from .options import AsJson, Method, Seed, Sources, Target, Verbose, next_label, print_json, with_text_options
from .progress import one_line_warnings, show_progress
from .show import (
    MOST_CLASSES,
    escape,
    estimate_line,
    heading,
    new_console,
    new_table,
    print_messages,
    show_level,
    show_reasons,
    show_verdict,
    special,
)

if TYPE_CHECKING:
    from rich.console import Console

N_WORDS = 4  # per class, and that changed most


@app.command()
@with_text_options
def diagnose(
    sources: Sources,
    target: Target,
    options: dict[str, Any],
    method: Method = "auto",
    seed: Seed = 0,
    verbose: Verbose = False,
    json: AsJson = False,
) -> None:
    """Check whether label transfer is likely to work.

    Shows which words transfer the labels, the estimated class proportions, and the words that changed most. The
    distances and the reasons of the verdict are behind --verbose.
    """
    from ..labelling.diagnose import diagnose as run

    with one_line_warnings(quiet=json), show_progress(quiet=json):
        diagnosis = run(sources, target, method=method, seed=seed, **options)
    if json:
        print_json(diagnosis)
        return
    console = new_console(result=True)
    if verbose:
        show(console, diagnosis)
        return
    show_briefly(console, diagnosis)
    console.print(escape(next_label(sources, target, options)), soft_wrap=True)


def show_briefly(console: Console, diagnosis: dict[str, Any]) -> None:
    """The verdict, one number, the classes with the words that transfer them, and the words that changed most."""
    counts = f"{diagnosis['n_source']:,} labelled and {diagnosis['n_target']:,} new documents"
    print_messages(console, [f"Read: {counts}, {diagnosis['n_words']:,} words", *special(diagnosis["messages"])])
    show_level(console, diagnosis["verdict"]["level"], diagnosis["verdict"]["sentence"])
    show_reasons(console, diagnosis["facts"])
    console.print(estimate_line(diagnosis["estimated_accuracy"]))
    carriers = diagnosis["carriers"]
    words = {row["class"]: [word["word"] for word in row["words"][:N_WORDS]] for row in carriers["classes"]}
    rows = sorted(diagnosis["classes"], key=lambda row: -row["source"])
    table = new_table("class", "labelled", "new (estimate)", "words that show it", compact=True)
    for row in rows[:MOST_CLASSES]:
        listed = ", ".join(words[row["class"]]) or "none"
        table.add_row(
            escape(row["class"]), f"{row['source']:.0%}", f"{row['low']:.0%} to {row['high']:.0%}", escape(listed)
        )
    if len(rows) > MOST_CLASSES:
        table.add_row(f"{len(rows) - MOST_CLASSES} others: --verbose", "", "", "")
    console.print(table)
    console.print(f"New documents with such a word: {carriers['documents']:.0%}")
    changed = [
        f"{row['word']} {row['source']:.0%} to {row['target']:.0%}" for row in diagnosis["changed_words"][:N_WORDS]
    ]
    console.print(escape(f"Words that changed most, from labelled to new documents: {', '.join(changed)}"))
    if len(diagnosis["sources"]) > 1:
        nearest = [f"{row['name']} {row['gap']:.2f}" for row in diagnosis["sources"][:N_WORDS]]
        console.print(escape(f"Sources, nearest first (0 equal, 1 no common word): {', '.join(nearest)}"))


def show(console: Console, diagnosis: dict[str, Any]) -> None:
    """Everything."""
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
