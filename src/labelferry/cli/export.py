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
    spreadsheet: Spreadsheet = False,
) -> None:
    """Write the documents of a review job with their labels and answers.

    The corrections can be used as answers (`labelferry label --answers`) and as further labelled documents.
    """
    from ..review.job.job import open_job

    with open_job(job) as opened:
        write = opened.export_corrections if corrections else opened.export
        messages = write(out, spreadsheet=spreadsheet)
    console = new_console()
    print_messages(console, messages)
    console.print(f"Written: {escape(str(out))}", soft_wrap=True)
