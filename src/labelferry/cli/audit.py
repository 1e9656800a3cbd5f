"""`labelferry audit`: a random sample for people to answer."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from .app import app
from .options import Against, Column, Confidence, Encoding, Text, columns_of
from .outputs import final_path
from .show import BY_NAME, escape, fill_in, new_console, print_messages

Labelled = Annotated[
    str,
    typer.Argument(
        metavar="LABELLED",
        help="A file written by `labelferry label`, a review job (--store), or any file of documents with --column.",
    ),
]


@app.command()
def audit(
    labelled: Labelled,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Output file: .csv, .tsv, .jsonl, .parquet; .json with --format.")
    ],
    n: Annotated[int, typer.Option("-n", min=0, help="Number of documents of the random sample.")] = 40,
    duel: Annotated[
        int, typer.Option(min=0, help="Further documents, of those on which label and source-only classifier differ.")
    ] = 0,
    blind: Annotated[bool, typer.Option("--blind", help="Omit the labels, so that they influence nobody.")] = False,
    form: Annotated[
        str, typer.Option("--format", help="For .json: label-studio or argilla. Prints the classes to set up.")
    ] = "",
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the sample of a file (default: random). Other labels, another sample."),
    ] = None,
    extend: Annotated[
        Path | None, typer.Option(help="An earlier sample of the same file: its rows and answers are kept.")
    ] = None,
    column: Column = None,
    confidence: Confidence = None,
    against: Against = None,
    text: Text = None,
    encoding: Encoding = None,
) -> None:
    """Draw a random sample of labelled documents, with an empty column `answer` for people.

    Every document has the same probability to be in the sample. Fill in the column: a class, none_of_these or unclear.
    Then run `labelferry certify LABELLED OUT`.
    """
    from ..review.job.files import draw_open, is_job
    from ..review.job.job import open_job
    from ..review.sample.audit import check_no_answers, draw, keep_answers, seed_of
    from ..review.sample.exchange import LABEL_STUDIO, is_json, label_studio_config
    from ..review.sample.population import population_of_file

    if form and not is_json(out):
        raise ValueError(f"--format is for files that end with .json; got {out}. Omit it, or name the file .json.")
    if final_path(out) == final_path(labelled):
        raise ValueError(f"{out} is the input and would be overwritten. Give the sample another name.")
    check_no_answers(out)
    messages: list[str] = []
    several: Any = None
    chosen = columns_of(column, confidence, against)
    if is_job(labelled):
        check_no_column(column)
        with open_job(labelled) as job:
            sample, classes, several = draw_open(job, n, n_duel=duel, blind=blind), job.classes, job.several
    else:
        population = population_of_file(labelled, text=text, encoding=encoding, chosen=chosen)
        messages += [*population.messages, *population.warnings]
        several = population.several
        sample_seed = None if extend is None else seed_of(extend)
        sample = draw(population, n, n_duel=duel, seed=seed, sample_seed=sample_seed, blind=blind)
        classes = population.classes if several is None else several.form.names
        if extend is not None:
            sample = keep_answers(sample, extend, population)
    if several is not None and form:
        raise ValueError("--format is for one label per document. Write several to .csv or .xlsx: omit it.")
    messages += sample.write(out, form)
    console = new_console()
    print_messages(console, [line for line in messages if not line.endswith(BY_NAME)])
    if form == LABEL_STUDIO:
        console.print(escape(label_studio_config(classes)), soft_wrap=True)
    console.print(f"Written: {escape(str(out))}", soft_wrap=True)
    console.print(escape(fill_in(out, f"{len(sample)} documents", classes, several)))
    options = "" if is_job(labelled) else reading_options(text, encoding, chosen)
    files = f"{shlex.quote(labelled)} {shlex.quote(str(out))}"
    console.print(f"Next: labelferry certify {escape(f'{files}{options}')}", soft_wrap=True)


def reading_options(text: list[str] | None, encoding: str | None, chosen: Any = None) -> str:
    """The options with which a labelled file was read, for the next command."""
    named = {} if chosen is None else {"column": chosen.label, **chosen._asdict()}
    given = {**named, "label": None, "text": ",".join(text) if text else None, "encoding": encoding}
    return "".join(f" --{name} {shlex.quote(value)}" for name, value in given.items() if value)


def imported(counts: Mapping[str, int]) -> str:
    """How many answers of a sample were new to a job.

    >>> imported({"new": 20, "known": 0, "empty": 3})
    '20 new answers, 3 rows without an answer'
    """
    others = (("known", "known already"), ("empty", "rows without an answer"))
    return ", ".join(
        [f"{counts['new']} new answers", *(f"{counts[key]} {what}" for key, what in others if counts[key])]
    )


def check_no_column(column: str | None) -> None:
    """Raise an error if --column is given for a job."""
    if column is not None:
        raise ValueError("--column is for files: the labels of a job are those of labelferry. Omit it.")
