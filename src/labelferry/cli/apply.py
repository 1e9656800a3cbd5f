"""`labelferry apply`: label later documents with a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .label import check_outputs
from .options import Encoding, Quiet, SkipBad, Text, warnings_in_a_line
from .show import new_console, new_table, safe


@app.command()
def apply(
    model: Annotated[Path, typer.Argument(help="A model that `labelferry label --save` wrote.")],
    target: Annotated[Path, typer.Argument(metavar="FILE", help="File of later documents.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write: .csv, .tsv, .jsonl or .parquet, also .gz.")],
    text: Text = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    quiet: Quiet = False,
) -> None:
    """Label later documents with a saved model.

    OUT has every column of FILE and label, confidence, alternative and known_words. The model is not fitted again: its
    confidence is its own, and where documents change, label anew with `labelferry label`.
    """
    from ..job import apply as run

    check_outputs(out, None, None, inputs=[model, target])
    with warnings_in_a_line(quiet=quiet):
        result = run(model, target, text=text, skip_bad=skip_bad, encoding=encoding)
    said = result.write(out)
    if quiet:
        return
    console = new_console()
    for sentence in (*result.said, *said):
        console.print(safe(sentence), soft_wrap=True)
    labels = result.columns["label"]
    table = new_table("label", "documents", "share", numbers=2)
    for name in dict.fromkeys(sorted(labels, key=str)):
        table.add_row(safe(str(name)), str(labels.count(name)), f"{labels.count(name) / len(labels):.0%}")
    console.print(table)
    strange = result.columns["known_words"].count(0)
    if strange:
        console.print(f"{strange} documents have no word that the model knows; their labels are guesses.")
    console.print(f"Written: {safe(str(out))}", soft_wrap=True)
