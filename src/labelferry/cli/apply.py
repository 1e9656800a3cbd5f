"""`labelferry apply`: label later documents with a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .label import check_outputs
from .options import Encoding, Out, Quiet, SkipBad, Text, one_line_warnings
from .show import escape, new_console, new_table, print_messages


@app.command()
def apply(
    model: Annotated[Path, typer.Argument(help="A model written by `labelferry label --save`.")],
    target: Annotated[Path, typer.Argument(metavar="FILE", help="File of later documents.")],
    out: Out,
    text: Text = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    quiet: Quiet = False,
) -> None:
    """Label later documents with a saved model.

    OUT has all columns of FILE and label, confidence, alternative and known_words. The model is not fitted again: if
    the documents change, run `labelferry label` again.
    """
    from ..workflows import apply as run

    check_outputs(out, None, None, inputs=[model, target])
    with one_line_warnings(quiet=quiet):
        result = run(model, target, text=text, skip_bad=skip_bad, encoding=encoding)
    messages = result.write(out)
    if quiet:
        return
    console = new_console()
    print_messages(console, [*result.messages, *messages])
    labels = result.columns["label"]
    table = new_table("label", "documents", "share", numbers=2)
    for name in dict.fromkeys(sorted(labels, key=str)):
        table.add_row(escape(str(name)), str(labels.count(name)), f"{labels.count(name) / len(labels):.0%}")
    console.print(table)
    n_unknown = result.columns["known_words"].count(0)
    if n_unknown:
        console.print(f"{n_unknown} documents contain no word that the model knows; their labels are guesses.")
    console.print(f"Written: {escape(str(out))}", soft_wrap=True)
