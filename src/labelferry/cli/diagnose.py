"""`labelferry diagnose`: look before you label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .app import app
from .options import (
    AsJson,
    Domain,
    Encoding,
    Label,
    Language,
    Ngrams,
    Seed,
    SkipBad,
    Sources,
    Target,
    Text,
    language_of,
    print_json,
    warnings_in_a_line,
)
from .show import heading, new_console, new_table, safe, show_verdict

if TYPE_CHECKING:
    from rich.console import Console


@app.command()
def diagnose(
    sources: Sources,
    target: Target,
    text: Text = None,
    label: Label = None,
    domain: Domain = None,
    language: Language = "english",
    ngrams: Ngrams = 1,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Look before you label: may it work?

    How far apart are old and new documents, which words changed, and which carry the labels across?
    """
    from ..job import diagnose as run

    with warnings_in_a_line(quiet=json):
        found = run(
            sources,
            target,
            text=text,
            label=label,
            domain=domain,
            language=language_of(language),
            ngrams=ngrams,
            skip_bad=skip_bad,
            encoding=encoding,
            seed=seed,
        )
    if json:
        print_json(found)
    else:
        show(new_console(), found)


def show(console: Console, found: dict[str, Any]) -> None:
    for sentence in found["said"]:
        console.print(safe(sentence), soft_wrap=True)
    show_verdict(console, found["verdict"])
    carriers = found["carriers"]
    heading(console, "The words")
    console.print(f"{found['n_source']:,} old documents, {found['n_target']:,} new ones, {found['n_words']:,} words.")
    console.print(
        f"{carriers['words']:,} words lean to a class in the old documents and occur in the new ones; "
        f"{carriers['documents']:.0%} of the new documents have one."
    )
    console.print(
        f"Gap of the mean documents {found['gap']:.2f} (0 the same, 1 no word in common); divergence "
        f"{found['divergence']:.2f}, RSP's risk {found['risk']:.2f} (both grow with the number of documents)."
    )
    words = new_table("words that changed most", "old documents", "new documents", numbers=2)
    for row in found["changed_words"]:
        words.add_row(safe(row["word"]), f"{row['source']:.1%}", f"{row['target']:.1%}")
    console.print(words)
    heading(console, "The classes")
    classes = new_table("class", "old documents", "new documents, estimated", numbers=2)
    for row in found["classes"]:
        classes.add_row(safe(row["class"]), f"{row['source']:.0%}", f"{row['target']:.0%}")
    console.print(classes)
    if len(found["sources"]) > 1:
        heading(console, "The sources, nearest first")
        sources = new_table("source", "documents", "gap", numbers=2)
        for row in found["sources"]:
            sources.add_row(safe(row["name"]), str(row["documents"]), f"{row['gap']:.2f}")
        console.print(sources)
