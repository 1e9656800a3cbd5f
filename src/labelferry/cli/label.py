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
)
from .show import heading, new_console, new_table, safe

if TYPE_CHECKING:
    from rich.console import Console

STRICT_EXIT = 3
SIZES = {"k": 1e3, "m": 1e6, "g": 1e9}
COLOURS = {"safe": "green", "doubtful": "yellow", "unsafe": "red"}


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
    min_confidence: Annotated[float, typer.Option(min=0, max=1, help="Labels less sure need review.")] = 0.6,
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
    from ..auto import PANEL
    from ..job import label as run

    refuse_overwriting([*sources, target], [out, report, save])
    with stages(len(PANEL) + 4, quiet=quiet or json) as begin:
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
            min_confidence=min_confidence,
            max_memory=bytes_of(max_memory),
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
        print_json(result.summary())
    elif not quiet:
        show(new_console(), result, said, [path for path in (out, report, save) if path])
    if strict and result.verdict.level == "unsafe":
        raise typer.Exit(STRICT_EXIT)


def show(console: Console, result: Any, said: list[str], written: list[Path]) -> None:
    for sentence in (*result.inputs.said, *result.features.said, *said):
        console.print(safe(sentence), soft_wrap=True)
    heading(console, "Verdict")
    verdict = result.verdict
    console.print(f"[bold {COLOURS[verdict.level]}]{verdict.level}[/]  {safe(verdict.sentence)}")
    for reason in verdict.reasons:
        console.print(f"- {safe(reason)}")
    heading(console, f"Labels by {result.method}")
    table = new_table("label", "documents", "share", "to review", numbers=3)
    for c in result.estimator.classes_:
        mine = result.labels == c
        table.add_row(safe(str(c)), str(mine.sum()), f"{mine.mean():.0%}", str((mine & result.needs_review).sum()))
    console.print(table)
    console.print(f"Written: {', '.join(safe(str(path)) for path in written)}", soft_wrap=True)


def refuse_overwriting(inputs: list[Path], outputs: list[Path | None]) -> None:
    known = {path.resolve() for path in inputs}
    for path in outputs:
        if path is not None and path.resolve() in known:
            raise ValueError(f"{path} is one of the inputs and would be overwritten. Give the output another name.")
    given = [path.resolve() for path in outputs if path is not None]
    if len(set(given)) < len(given):
        raise ValueError("--out, --report and --save must be different files. Give each a name of its own.")


def bytes_of(size: str | None) -> float | None:
    """500M, 2G, 100k, or a plain number of bytes."""
    if size is None:
        return None
    number, unit = (size[:-1], size[-1:].lower()) if size[-1:].lower() in SIZES else (size, "")
    try:
        return float(number) * SIZES.get(unit, 1)
    except ValueError:
        raise ValueError(f"--max-memory must be a number with K, M or G, such as 500M; got {size!r}.") from None
