"""`labelferry label`: predict the labels of a file from a labelled file."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from .app import app
from .label_summary import Written, files_of, show_result, show_several
from .options import (
    AsJson,
    ClassPrior,
    Method,
    Out,
    Quiet,
    Seed,
    Sources,
    Spreadsheet,
    Strict,
    Target,
    Verbose,
    exit_unless,
    print_json,
    proportions_of,
    with_text_options,
)
from .outputs import check_outputs, is_standard, naming_interrupted, naming_written
from .progress import one_line_warnings, show_progress
from .show import new_console


@app.command()
@with_text_options
def label(
    sources: Sources,
    target: Target,
    out: Out,
    options: dict[str, Any],
    method: Method = "auto",
    report: Annotated[Path | None, typer.Option(help="Write an HTML report to this file.")] = None,
    no_texts: Annotated[
        bool, typer.Option("--no-texts", help="The report has no text, no word and no column of the documents.")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="Save the model to this .npz file, for `labelferry apply`.")] = None,
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            help="Learn from this sample of `accept` or `audit`, or from corrections of a report; once per file."
        ),
    ] = None,
    store: Annotated[
        str | None, typer.Option(help="Start a review job: a new file such as job.ferry, or postgresql://...")
    ] = None,
    target_error: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="Mark the least confident labels for review until the expected share of wrong labels among the others "
            "is at most this.",
        ),
    ] = 0.05,
    min_confidence: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Mark labels with a lower confidence for review (replaces --target-error)."),
    ] = None,
    class_prior: ClassPrior = None,
    opinion: Annotated[
        list[str] | None,
        typer.Option(
            help="Column with guesses of another labeller (LLM, rules, older model), measured on SOURCE if it has the "
            "column; may be repeated. Empty: no guess."
        ),
    ] = None,
    opinion_trained: Annotated[
        list[str] | None,
        typer.Option(help="The same, of a labeller that learned from SOURCE: only answers tell what it is worth."),
    ] = None,
    describe: Annotated[
        Path | None,
        typer.Option(help="Table with the columns class and description: one sentence per class is one more opinion."),
    ] = None,
    parents: Annotated[
        bool,
        typer.Option(
            "--parents", help="Labels such as dev/bug: label the parents (dev), with the children beside them."
        ),
    ] = False,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Count the words and keep the documents on a Dask cluster: local (two processes), or the address of "
            "its scheduler, such as tcp://10.0.0.1:8786.",
        ),
    ] = None,
    spreadsheet: Spreadsheet = False,
    seed: Seed = 0,
    strict: Strict = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Predict the labels of new documents from labelled ones.

    Example: labelferry label labelled.csv new.csv -o out.csv

    One half-labelled file, whose rows without a label are the new documents: labelferry label export.csv -o out.csv

    The output file has all columns and rows of TARGET and eight more columns: label, confidence (probability that the
    label is correct), alternative (second most probable label), evidence (words that support the label), needs_review,
    source_only (the label of the classifier trained on the labelled documents only), accept_rank (1 for the label that
    is most likely correct; see accept) and labelferry (a mark by which audit, certify and accept know which labels were
    predicted). These are added if needed:
    none_of_these (documents that may fit no class), other_language (of documents in a language that the labelled ones
    lack), reason (why a row has no label: no text, no known word, or what makes it unreadable), unreadable (with
    --skip-bad, such a row as it is in the file), origin (of a half-labelled file: the label was given or predicted),
    and with --answers or --use-target-labels the columns answer and held_out (the label without the answer of the row).
    The command prints a verdict on all labels (safe, doubtful or unsafe), how many labels can probably be used after
    some answers, and the next command. The rest is behind --verbose, --json and --report.

    Exit codes: 0 success; 2 wrong input (explained in one line on stderr); 3 the verdict is not safe and --strict was
    given; 130 interrupted. A file is written completely or not at all; if one cannot be written after others, the line
    names those.
    """
    from ..api import label as run
    from ..core.progress import begin, expect

    features = options["features"]
    inputs = [path for path in (*sources, target, features, *(answers or ()), describe) if path is not None]
    check_outputs(out, report, save, inputs=inputs, json=json)
    if store is not None:
        from ..review.job.job import check_new_job

        check_new_job(store)
    if answers and store is not None:
        raise ValueError("--store starts a job without --answers. Add them later: labelferry accept JOB SAMPLE.")
    if options["use_target_labels"] and store is not None:
        raise ValueError("--store starts a job without answers, and --use-target-labels uses them. Omit one of them.")
    if options["multi"] and (report is not None or save is not None or answers):
        raise ValueError(
            "--report, --save and --answers are for one label per document. With --multi omit them; in Python each "
            "label has its own: result['bug'].report(path)."
        )
    if features is not None and (save is not None or options["max_memory"] is not None):
        raise ValueError("--save and --max-memory need words, and --features has none. Omit one or the other.")
    if save is not None and (options["embed"] or "").endswith((".npy", ".npz")):
        raise ValueError("--save needs --embed with the name of a model: later documents have no rows in a file.")
    with ExitStack() as opened:
        opened.enter_context(naming_interrupted(out, report, save, store))
        opened.enter_context(one_line_warnings(quiet=quiet or json))
        opened.enter_context(show_progress(quiet=quiet or json))
        expect("writing")
        result: Any = run(
            sources,
            target,
            method=method,
            target_error=target_error,
            min_confidence=min_confidence,
            class_prior=proportions_of(class_prior),
            seed=seed,
            parents=parents,
            answers=answers[0] if answers and len(answers) == 1 else answers or None,
            opinions=opinion,
            opinions_trained=opinion_trained,
            descriptions=describe,
            out=out,
            dask=dask,
            **options,
        )
        opened.callback(result.close)
        begin("writing")
        messages = result.write(out, spreadsheet=spreadsheet)
        written: list[Path | str] = [out]
        with naming_written(written):
            if store is not None:  # before the report, which names it
                with result.store(store) as job:
                    store = job.store.name  # without a password
                written.append(store)
            if report is not None:
                result.report(report, texts=not no_texts, labelled=out, job=store)
                written.append(report)
            if save is not None:
                result.save(save)
                written.append(save)
        summary = result.summary() if json else {}
        if json and store is not None and not options["multi"]:
            from ..labelling.outlook import usable_outlook

            summary["usable"] = usable_outlook(result.documents, in_job=True)
    if json:
        print_json({**summary, "messages": [*summary["messages"], *messages]})
    elif not quiet:
        named = None if is_standard(out) else str(out)
        text = options["text_target"] or options["text"]
        done = Written(files_of(written), named, store, text, bool(answers))
        show = show_several if options["multi"] else show_result
        show(new_console(stderr=is_standard(out)), result, messages, done, verbose=verbose)
    if strict:
        exit_unless(safe=result.verdict.level == "safe")
