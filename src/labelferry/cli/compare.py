"""`labelferry compare`: several methods on the same files."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .app import app
from .options import (
    AsJson,
    ClassPrior,
    Quiet,
    Seed,
    Sources,
    Target,
    one_line_warnings,
    print_json,
    proportions_of,
    show_progress,
    with_text_options,
)
from .show import escape, new_console, new_table, print_messages


@app.command()
@with_text_options
def compare(
    sources: Sources,
    target: Target,
    options: dict[str, Any],
    methods: Annotated[
        str, typer.Option(help="Names separated by commas, e.g. tcl,sourcelr (default: the panel of 'auto').")
    ] = "",
    truth: Annotated[str | None, typer.Option(help="Column of TARGET with the true labels, if there is one.")] = None,
    class_prior: ClassPrior = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Compare methods on the same files.

    Shows how much they agree, how long they take and, with --truth, how accurate they are. SourceLR is always included
    in the agreement.
    """
    from ..workflows import compare as run

    prior = proportions_of(class_prior)
    names = [name.strip() for name in methods.split(",") if name.strip()]
    with one_line_warnings(quiet=quiet or json), show_progress(quiet=quiet or json):
        comparison = run(sources, target, methods=names, truth=truth, class_prior=prior, seed=seed, **options)
    if json:
        print_json(comparison)
    if json or quiet:
        return
    console = new_console()
    print_messages(console, comparison["messages"])
    extra = ["accuracy", "balanced"] if truth else []
    table = new_table("method", "agreement", "if confident", *extra, "seconds", numbers=3 + len(extra))
    for row in comparison["rows"]:
        numbers = [f"{row['agreement']:.2f}", f"{row['confident']:.0%}", *(f"{row[name]:.1%}" for name in extra)]
        table.add_row(escape(row["method"]), *numbers, f"{row['seconds']:.1f}")
    console.print(table)
    console.print(
        "agreement: mean kappa with the other methods (1 always, 0 as by chance). if confident: agreement with "
        "SourceLR on the 20 % of the documents it is most confident about."
    )
