"""`labelferry export`: the files of a review job without the page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .options import Spreadsheet
from .show import escape, new_console, print_messages


@app.command()
def export(
    job: Annotated[str, typer.Argument(metavar="JOB", help="The file of `labelferry label --store`, or its URL.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Output file: .csv, .tsv, .jsonl or .parquet.")],
    corrections: Annotated[
        bool, typer.Option("--corrections", help="Only the answered documents, one row per answer.")
    ] = False,
    accepted: Annotated[
        bool, typer.Option("--accepted", help="Only documents whose labels can be used: accepted or answered.")
    ] = False,
    error: Annotated[
        float | None,
        typer.Option(
            min=0.001, max=0.5, help="Share of wrong labels among accepted ones (default: lowest of `accept`)."
        ),
    ] = None,
    spreadsheet: Spreadsheet = False,
) -> None:
    """Write the documents of a review job with their labels and answers.

    The column accepted is yes for labels that can be used without looking (`labelferry accept`), answer for documents
    that people answered, and empty for all others. The corrections can be used as answers (`labelferry label
    --answers`) and as further labelled documents.
    """
    from ..review.job.job import open_job
    from ..review.sample.audit import keeping_answers

    if corrections and (accepted or error is not None):
        raise ValueError("--corrections are answers, and --accepted and --error are about labels. Omit one of them.")
    with open_job(job) as opened:
        if corrections:
            messages = keeping_answers(out, lambda path: opened.export_corrections(path, spreadsheet=spreadsheet))
        else:
            messages = keeping_answers(
                out,
                lambda path: opened.export(path, spreadsheet=spreadsheet, accepted=accepted, error=error),
                labels=accepted,
            )
            usable = opened.exported(error, accepted=accepted)
            if usable is not None:
                messages.append(f"Column accepted, limit {100 * usable.error:g}%: {usable.text().splitlines()[0]}")
    console = new_console()
    print_messages(console, messages)
    console.print(f"Written: {escape(str(out))}", soft_wrap=True)
