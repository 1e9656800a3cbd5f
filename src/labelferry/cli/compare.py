"""`labelferry compare`: several methods on the same files."""

from __future__ import annotations

from typing import Annotated

import typer

from .app import app
from .options import (
    AsJson,
    Domain,
    Encoding,
    Label,
    Language,
    Ngrams,
    Quiet,
    Seed,
    SkipBad,
    Sources,
    Target,
    Text,
    language_of,
    print_json,
    stages,
    warnings_in_a_line,
)
from .show import new_console, new_table, safe


@app.command()
def compare(
    sources: Sources,
    target: Target,
    methods: Annotated[str, typer.Option(help="Names with commas, such as tcl,sourcelr; default: a panel.")] = "",
    truth: Annotated[str | None, typer.Option(help="Column of TARGET with the true labels, if there is one.")] = None,
    text: Text = None,
    label: Label = None,
    domain: Domain = None,
    language: Language = "english",
    ngrams: Ngrams = 1,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Compare methods on the same files.

    Do they agree, how long do they take and, with --truth, who is right? SourceLR is always among those agreed with.
    """
    from ..job import compare as run

    names = [name.strip() for name in methods.split(",") if name.strip()]
    with warnings_in_a_line(quiet=quiet or json), stages(len(names) + 1 if names else 10, quiet=quiet or json) as begin:
        found = run(
            sources,
            target,
            methods=names,
            truth=truth,
            text=text,
            label=label,
            domain=domain,
            language=language_of(language),
            ngrams=ngrams,
            skip_bad=skip_bad,
            encoding=encoding,
            seed=seed,
            begin=begin,
        )
    if json:
        print_json(found)
    if json or quiet:
        return
    console = new_console()
    for sentence in found["said"]:
        console.print(safe(sentence), soft_wrap=True)
    extra = ["accuracy", "balanced"] if truth else []
    table = new_table("method", "agreement", "where sure", *extra, "seconds", numbers=3 + len(extra))
    for row in found["rows"]:
        numbers = [f"{row['agreement']:.2f}", f"{row['sure']:.0%}", *(f"{row[name]:.1%}" for name in extra)]
        table.add_row(safe(row["method"]), *numbers, f"{row['seconds']:.1f}")
    console.print(table)
    console.print(
        "agreement: mean kappa with the other methods, 1 is always and 0 chance. where sure: agreement on the fifth of "
        "the documents that the old documents' own classifier is surest of."
    )
