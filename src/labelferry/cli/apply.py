"""`labelferry apply`: label later documents with a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import app
from .options import (
    AsJson,
    Encoding,
    Out,
    Quiet,
    SkipBad,
    Spreadsheet,
    Strict,
    Text,
    exit_unless,
    print_json,
)
from .outputs import check_outputs, is_standard, naming_interrupted, naming_written
from .progress import one_line_warnings, show_progress
from .show import escape, heading, new_console, new_table, print_messages, show_verdict

if TYPE_CHECKING:
    from rich.console import Console


@app.command()
def apply(
    model: Annotated[Path, typer.Argument(help="A model written by `labelferry label --save`.")],
    target: Annotated[Path, typer.Argument(metavar="FILE", help="File of later documents.")],
    out: Out,
    text: Text = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    update: Annotated[
        bool,
        typer.Option("--update", help="Update the model with these documents first, and write it back to MODEL."),
    ] = False,
    spreadsheet: Spreadsheet = False,
    strict: Strict = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Label later documents with a saved model.

    OUT has all columns of FILE and label, confidence, alternative, evidence (words that support the label),
    known_words, needs_review and labelferry (a mark for audit and certify). A row without a text or without a known
    word has no label, and a reason. The verdict is that of the model, or worse if these documents differ from those it
    was fitted on: then run `labelferry label` again.

    Usually more labels get needs_review than `label` would mark, for the same error of the others: a saved model has
    its own prediction only, not the votes of all methods, so that it tells good labels from bad ones less well.

    The model is not fitted again. With --update it learns from these documents too (models of EMNaiveBayes and TCL), at
    the cost of one pass over them; give each document once. MODEL is replaced as a whole after OUT was written.

    Exit codes: 0 done, 2 wrong input (one line says what), 3 not safe with --strict, 130 interrupted.
    """
    from ..core.progress import begin, expect
    from ..labelling.apply import apply as run

    check_outputs(out, inputs=[model, target], json=json)
    with naming_interrupted(out, model):
        with one_line_warnings(quiet=quiet or json), show_progress(quiet=quiet or json):
            expect("writing")
            result = run(model, target, text=text, skip_bad=skip_bad, encoding=encoding, update=update)
            begin("writing")
            messages = result.write(out, spreadsheet=spreadsheet)
        if update:
            with naming_written([out]):
                result.model.save(model)
    summary = result.summary()
    summary["messages"] = [*result.messages, *messages]
    if json:
        print_json(summary)
    elif not quiet:
        show(new_console(stderr=is_standard(out)), summary, result.columns["known_words"].count(0), out)
        if update:
            new_console(stderr=is_standard(out)).print(f"Updated: {escape(str(model))}", soft_wrap=True)
    if strict:
        exit_unless(safe=result.is_safe)


def show(console: Console, summary: dict[str, Any], n_unknown: int, out: Path) -> None:
    print_messages(console, summary["messages"])
    if summary["verdict"] is not None:
        show_verdict(console, summary["verdict"])
    heading(console, "Labels")
    table = new_table("label", "documents", "share", "at fitting", numbers=3)
    for row in summary["classes"]:
        before = f"{row['at_fitting']:.0%}" if "at_fitting" in row else ""
        table.add_row(escape(row["class"]), str(row["documents"]), f"{row['share']:.0%}", before)
    console.print(table)
    if n_unknown:
        console.print(f"{n_unknown} documents contain no word that the model knows; they have no label.")
    console.print(f"{summary['to_review']} of {summary['n_labelled']} labels need review.")
    if not is_standard(out):
        console.print(f"Written: {escape(str(out))}", soft_wrap=True)
