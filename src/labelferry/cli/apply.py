"""`labelferry apply`: label later documents with a saved model."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import app
from .options import AsJson, Encoding, Quiet, SkipBad, Spreadsheet, Strict, Text, Verbose, exit_unless, print_json
from .outputs import (
    check_outputs,
    free_name,
    is_standard,
    naming_interrupted,
    naming_written,
    output_files,
    tables_in,
)
from .progress import one_line_warnings, show_progress
from .show import MOST_CLASSES, escape, new_console, new_table, print_messages, show_level, show_reasons, special

if TYPE_CHECKING:
    from rich.console import Console


@app.command()
def apply(
    model: Annotated[Path, typer.Argument(help="A model written by `labelferry label --save`.")],
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files of later documents, or folders with such files.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="Output file (- is standard output); a folder for several files or those of a folder."
        ),
    ],
    text: Text = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    update: Annotated[
        bool, typer.Option("--update", help="Update the model with these documents first, and write it back to MODEL.")
    ] = False,
    spreadsheet: Spreadsheet = False,
    strict: Strict = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Label later documents with a saved model.

    Example: labelferry apply model.npz june.csv -o labelled.csv

    Several files, or a folder of files: labelferry apply model.npz june.csv july.csv -o labelled (one output per file,
    with its name, in the folder labelled)

    The output has all columns of the file and label, confidence, alternative, evidence (words that support the label),
    known_words, needs_review and labelferry (a mark for accept, audit and certify). A row without a text or without a
    known word has no label, and a reason. The verdict is that of the model, or worse if these documents differ from
    those it was fitted on: then run `labelferry label` again.

    Answers: `accept`, `audit` and `certify` take the output. To learn from them, fit again with the labelled documents:
    labelferry label labelled.csv june.csv --answers sample.csv -o june2.csv --save model.npz

    Usually more labels get needs_review than `label` would mark, for the same error of the others: a saved model has
    its own prediction only, not the votes of all methods, so that it tells good labels from bad ones less well.

    The model is not fitted again. With --update it learns from these documents too (models of EMNaiveBayes and TCL), at
    the cost of one pass over them; give each document once. MODEL is replaced as a whole after all files were written.

    Exit codes: 0 done, 2 wrong input (one line says what), 3 not safe with --strict, 130 interrupted.
    """
    from ..core.progress import begin, expect
    from ..labelling.apply import apply as run
    from ..labelling.model import load_model

    targets = [file for path in files for file in tables_in(path)]
    outputs = output_files(targets, out, of_folder=targets != files)
    for output in outputs:
        check_outputs(output, inputs=[model, *targets], json=json)
    try:
        fitted = load_model(model)
    except ValueError as error:
        raise refusal(model) or error from None
    written, summaries = list[Path | str](), list[dict[str, Any]]()
    console = new_console(stderr=is_standard(out))
    all_safe = True
    with naming_interrupted(*outputs, model):
        for target, output in zip(targets, outputs, strict=True):
            with naming_written(written), one_line_warnings(quiet=quiet or json), show_progress(quiet=quiet or json):
                expect("writing")
                result = run(fitted, target, text=text, skip_bad=skip_bad, encoding=encoding, update=update)
                begin("writing")
                messages = result.write(output, spreadsheet=spreadsheet)
            fitted, all_safe = result.model, all_safe and result.is_safe
            written.append(output)
            summaries.append(result.summary() | {"messages": [*result.messages, *messages]})
            if len(targets) == 1 and not json and not quiet:
                show(console, result, summaries[0], verbose=verbose)
        if update:
            with naming_written(written):
                fitted.save(model)
            written.append(model)
    if json:
        print_json(summaries[0] if len(targets) == 1 else {"files": summaries})
    elif not quiet:
        if len(targets) > 1:
            show_files(console, summaries)
        show_written(console, written, text, first=summaries[0])
    if strict:
        exit_unless(safe=all_safe)


def refusal(model: Path) -> ValueError | None:
    """What to do with a review job; None if it is none."""
    from ..review.job.files import is_job

    if not is_job(model):
        return None
    answers = f"labelferry export {shlex.quote(str(model))} --corrections -o answers.csv"
    return ValueError(
        f"{model} is a review job, not a model. To label later documents with its answers: {answers}. Then repeat "
        "labelferry label with --answers answers.csv and --save model.npz."
    )


def show(console: Console, result: Any, summary: dict[str, Any], *, verbose: bool) -> None:
    """What was read, the verdict with what is special about these documents, and the classes."""
    from ..certificate.interval import count

    n, n_labelled = summary["n_documents"], summary["n_labelled"]
    read = f"Read: {n:,} later documents; {n_labelled:,} got a label, {summary['to_review']:,} to review"
    print_messages(console, [read, *(summary["messages"] if verbose else special(summary["messages"]))])
    if summary["verdict"] is not None:
        show_level(console, summary["verdict"]["level"], summary["verdict"]["sentence"])
        show_reasons(console, summary["verdict"]["reasons"] if verbose else result.warnings, all_of_them=verbose)
    if n_unknown := result.columns["known_words"].count(0):
        console.print(f"- {count(n_unknown, 'document')} without a word that the model knows: no label.")
    rows = summary["classes"]
    shown = rows if verbose else sorted(rows, key=lambda row: -row["documents"])[:MOST_CLASSES]
    table = new_table("label", "documents", "share", "when saved", numbers=3, compact=True)
    for row in rows:
        if row in shown:
            before = f"{row['at_fitting']:.0%}" if "at_fitting" in row else ""
            table.add_row(escape(row["class"]), f"{row['documents']:,}", f"{row['share']:.0%}", before)
    if len(rows) > len(shown):
        table.add_row(f"{len(rows) - len(shown)} other classes: --verbose", "", "", "")
    console.print(table)


def show_files(console: Console, summaries: list[dict[str, Any]]) -> None:
    """One line per file, after what was detected in them."""
    found = dict.fromkeys(message for summary in summaries for message in summary["messages"])
    print_messages(console, special(found))
    table = new_table("file", "verdict", "documents", "labels", "to review", numbers=3, compact=True)
    for summary in summaries:
        level = "unknown" if summary["verdict"] is None else summary["verdict"]["level"]
        counts = (str(summary[name]) for name in ("n_documents", "n_labelled", "to_review"))
        table.add_row(escape(summary["title"].removeprefix("Labels for ")), level, *counts)
    console.print(table)


def show_written(console: Console, written: list[Path | str], text: list[str] | None, first: dict[str, Any]) -> None:
    """The files, and what to do with the first one."""
    files = [path for path in written if not is_standard(Path(path))]
    if not files:
        return
    console.print(f"Written: {', '.join(escape(str(path)) for path in files)}", soft_wrap=True)
    if not first["n_labelled"]:
        return
    names = f" --text {shlex.quote(','.join(text))}" if text else ""
    following = f"labelferry accept {shlex.quote(str(files[0]))} -o {free_name('sample.csv')}{names}"
    console.print(f"Next: {escape(following)}", soft_wrap=True)
