"""`labelferry label`: label a file with the help of another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from .show import heading, new_console, new_table, safe, show_verdict

if TYPE_CHECKING:
    from rich.console import Console

STRICT_EXIT = 3
N_STAGES = 14  # of the longest job: four of its own, nine members of a panel and their judging
SIZES = {"k": 1e3, "m": 1e6, "g": 1e9}


@app.command()
def label(
    sources: Sources,
    target: Target,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write: .csv, .tsv, .jsonl or .parquet, also .gz.")],
    text: Text = None,
    label: Label = None,
    domain: Domain = None,
    method: Annotated[str, typer.Option(help="auto, or the name of a method, such as tcl.")] = "auto",
    report: Annotated[Path | None, typer.Option(help="Write a page to show, .html.")] = None,
    save: Annotated[Path | None, typer.Option(help="Keep the model for later documents, .npz.")] = None,
    features: Annotated[
        Path | None, typer.Option(help="Your own features, .npz or .npy: rows of sources first.")
    ] = None,
    target_error: Annotated[
        float, typer.Option(min=0, max=1, help="Share of wrong labels allowed among those not marked for review.")
    ] = 0.05,
    min_confidence: Annotated[
        float | None, typer.Option(min=0, max=1, help="Mark labels less sure than this, in place of that rule.")
    ] = None,
    language: Language = "english",
    ngrams: Ngrams = 1,
    stem: Annotated[bool, typer.Option("--stem", help="Count stems in place of words.")] = False,
    headers: Annotated[bool, typer.Option("--headers", help="Take off the headers of mails.")] = False,
    signatures: Annotated[bool, typer.Option("--signatures", help="Take off the signatures of mails.")] = False,
    max_memory: Annotated[str | None, typer.Option(help="Such as 500M or 2G: rare words go until it does.")] = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    seed: Seed = 0,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 3 where the verdict is unsafe.")] = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Label new documents with the help of old ones.

    OUT has every column and row of TARGET and, for each row, label, confidence, alternative, evidence and needs_review.

    Exit codes: 0 done, 2 wrong input (one line says what), 3 unsafe with --strict, 130 interrupted. A file is written
    whole or not at all.
    """
    from ..job import label as run

    check_outputs(out, report, save, inputs=[*sources, target, *([features] if features else [])])
    if features is not None and (save is not None or max_memory is not None):
        raise ValueError(
            "--save and --max-memory are about words, and --features has none. Leave out one or the other."
        )
    memory = bytes_of(max_memory)
    with warnings_in_a_line(quiet=quiet or json), stages(N_STAGES, quiet=quiet or json) as begin:
        result = run(
            sources,
            target,
            text=text,
            label=label,
            domain=domain,
            method=method,
            features=features,
            language=language_of(language),
            ngrams=ngrams,
            stem=stem,
            headers=headers,
            signatures=signatures,
            target_error=target_error,
            min_confidence=min_confidence,
            max_memory=memory,
            seed=seed,
            skip_bad=skip_bad,
            encoding=encoding,
            begin=begin,
        )
        begin("writing")
        said = result.write(out)
        if report is not None:
            result.report(report)
        if save is not None:
            result.save(save)
    if json:
        summary = result.summary()
        print_json({**summary, "said": [*summary["said"], *said]})
    elif not quiet:
        show(new_console(), result, said, [path for path in (out, report, save) if path])
    if strict and result.verdict.level == "unsafe":
        raise typer.Exit(STRICT_EXIT)


def show(console: Console, result: Any, said: list[str], written: list[Path]) -> None:
    for sentence in (*result.inputs.said, *result.features.said, *said):
        console.print(safe(sentence), soft_wrap=True)
    show_verdict(console, result.verdict.as_dict())
    heading(console, f"Labels by {result.method}")
    table = new_table("label", "documents", "share", "to review", numbers=3)
    for c in result.estimator.classes_:
        mine = result.labels == c
        table.add_row(safe(str(c)), str(mine.sum()), f"{mine.mean():.0%}", str((mine & result.needs_review).sum()))
    console.print(table)
    console.print(f"Written: {', '.join(safe(str(path)) for path in written)}", soft_wrap=True)


def check_outputs(out: Path, report: Path | None, save: Path | None, *, inputs: list[Path]) -> None:
    """What would be an error when the work is done is one before it begins."""
    from ..text import check_place, format_of

    format_of(out)
    outputs = [path for path in (out, report, save) if path is not None]
    places = [check_place(path) for path in outputs]
    known = {path.resolve() for path in inputs}
    for path, place in zip(outputs, places, strict=True):
        if place in known:
            raise ValueError(f"{path} is one of the inputs and would be overwritten. Give the output another name.")
    if len(set(places)) < len(places):
        raise ValueError("--out, --report and --save must be different files. Give each a name of its own.")


def bytes_of(size: str | None) -> float | None:
    """500M, 2G, 100k, or a plain number of bytes."""
    if size is None:
        return None
    number, unit = (size[:-1], size[-1:].lower()) if size[-1:].lower() in SIZES else (size, "")
    try:
        wanted = float(number) * SIZES.get(unit, 1)
    except ValueError:
        wanted = 0.0
    if not 0 < wanted < float("inf"):
        raise ValueError(f"--max-memory must be a number with K, M or G, such as 500M; got {size!r}.")
    return wanted
