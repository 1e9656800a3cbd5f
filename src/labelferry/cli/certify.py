"""`labelferry certify`: what answers prove about labels."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import app
from .audit import Labelled, check_no_column, imported, reading_options
from .options import Against, AsJson, Column, Confidence, Encoding, Text, Verbose, columns_of, print_json
from .outputs import free_name
from .show import MOST_CLASSES, escape, new_console, new_table, print_messages

if TYPE_CHECKING:
    from rich.console import Console

MoreClasses = Annotated[
    list[str] | None, typer.Option("--class", help="A class that occurs nowhere in the file; may be repeated.")
]


@app.command()
def certify(
    labelled: Labelled,
    sample: Annotated[
        Path | None, typer.Argument(metavar="[SAMPLE]", help="The sample with answers. A job needs none.")
    ] = None,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help="Confidence level.")] = 0.95,
    reviewer: Annotated[str, typer.Option(help="Who answered; recorded in a job.")] = "",
    column: Column = None,
    confidence: Confidence = None,
    against: Against = None,
    text: Text = None,
    encoding: Encoding = None,
    more_classes: MoreClasses = None,
    verbose: Verbose = False,
    json: AsJson = False,
) -> None:
    """Print what the answers prove about the labels.

    LABELLED is the file from which the sample was drawn. If it is a job, the answers are added to the job, and without
    SAMPLE the answers that the job has are used.

    Labels of any origin, such as those of an LLM: labelferry audit FILE --column llm -o sample.csv, and after the
    sample is filled in: labelferry certify FILE sample.csv --column llm

    The share of correct labels comes first, then one line per class: its share of the documents, how many of its labels
    are right (precision), and how many of its documents have its label (recall).
    """
    from ..review.job.files import import_answers, is_job
    from ..review.job.job import open_job
    from ..review.sample.filled import certificate_dict, certify_sample, read_sample, same_labels
    from ..review.sample.population import population_of_file
    from ..review.sample.several import certify_several

    messages: list[str] = []
    chosen = columns_of(column, confidence, against)
    if is_job(labelled):
        check_no_column(column)
        with open_job(labelled) as job:
            if sample is not None:
                counts = import_answers(job, sample, reviewer)
                messages.append(imported(counts))
            if waiting := job.waiting():
                messages.append(
                    f"{waiting} answers of the random sample do not count yet: a document before them has no answer. "
                    "Answer it, or answer unclear."
                )
            result = job.issue(level).as_dict()
            n = len(job.log.state().codes)
            if other := n - result["n_answers"] - result["n_known"] - waiting:
                messages.append(
                    f"{other} of {n} answers do not count here: their documents are no random sample of the file. "
                    "labelferry accept uses them"
                )
            messages += several_rounds(job.store.certificates.all())
    elif sample is None:
        options = reading_options(text, encoding, chosen)
        raise ValueError(
            "name the sample with the answers: labelferry certify LABELLED SAMPLE. Draw one first: labelferry audit "
            f"{shlex.quote(labelled)} -o {free_name('sample.csv')}{options}"
        )
    else:
        population = population_of_file(
            labelled, text=text, encoding=encoding, classes=more_classes or (), chosen=chosen
        )
        filled = read_sample(sample, population)
        population = same_labels(population, filled)
        messages += population.warnings
        if filled.n_empty:
            messages.append(f"{filled.n_empty} of {len(filled.purposes)} rows have no answer yet")
        if population.several is None:
            result = certificate_dict(certify_sample(population, filled, level), population)
        else:
            result = certify_several(population, filled, level).as_dict()
    if json:
        print_json({**result, "messages": messages})
        return
    console = new_console(result=True)
    print_messages(console, messages)
    if verbose or not result["n_answers"] or "labels" in result:  # of several labels per document: one line each
        for sentence in result["sentences"]:
            console.print(f"- {escape(sentence)}")
        return
    following = f"review {shlex.quote(labelled)}"
    if not is_job(labelled):
        options = reading_options(text, encoding, None if chosen is None else chosen._replace(against=None))
        following = f"accept {shlex.quote(labelled)} -o {free_name('next.csv')}{options}"
    show_briefly(console, result)
    console.print(f"Next: labelferry {escape(following)}", soft_wrap=True)


def show_briefly(console: Console, result: dict[str, Any]) -> None:
    """The accuracy, the classes in a table, the comparison, and what it means."""
    from ..certificate.duel import SOURCE_ONLY
    from ..certificate.interval import count

    level = f"{100 * result['level']:g}%"
    answers = count(result["n_answers"], "answer")
    if result["n_unclear"]:
        answers += f", {result['n_unclear']} unclear"
    if result["n_known"]:
        answers += f"; the labels learned from {result['n_known']} others"
    labels = f"{result['n_documents']:,} labels"
    console.print(f"Correct: {ends(result['accuracy'])} of the {labels}, with {level} confidence ({answers})")
    *classes, none = result["classes"]
    shown = sorted(classes, key=lambda one: -one["proportion"]["estimate"])[:MOST_CLASSES]
    table = new_table("class", "share of documents", "precision", "recall", numbers=3, compact=True)
    for one in classes:
        if one in shown:
            table.add_row(escape(one["label"]), *(ends(one[name]) for name in ("proportion", "precision", "recall")))
    if len(classes) > len(shown):
        table.add_row(f"{len(classes) - len(shown)} other classes: --verbose", "", "", "")
    table.add_row(none["label"], ends(none["proportion"]), "", "")
    console.print(table)
    duel = result["better_than_source_only"]
    if duel is not None and duel["rival"] and duel["n_different"]:
        d = duel["difference"]
        points = f"{100 * d['low']:+.1f} to {100 * d['high']:+.1f} points"
        rival = "an ordinary classifier" if duel["rival"] == SOURCE_ONLY else f"the {duel['rival']}"
        console.print(escape(f"Better than {rival}: {duel['verdict']} ({points})"))
    console.print(f"Each range alone holds with {level} confidence, if the answers are right; not for later documents.")


def ends(interval: dict[str, float] | None) -> str:
    """An interval in percent."""
    from ..certificate.interval import span

    return "not known" if interval is None else span(interval["low"], interval["high"])


def several_rounds(issued: Sequence[Any]) -> list[str]:
    """A line that says how often all certificates of a job hold together; none if only one round was certified.

    Certificates of one fit are one statement, because its intervals hold after every answer. `issued`, rows of the
    store, ends with the certificate of now; those without an answer say nothing and do not count.
    """
    issued = [row for row in issued if "kind" not in row.content]  # not those about labels that may be used
    levels: dict[int, float] = {}  # per fit, the lowest: the intervals of higher levels contain those of lower ones
    for row in issued:
        if row.content.get("n_answers"):
            levels[row.fit] = min(row.level, levels.get(row.fit, 1.0))
    n = len(levels)
    if n < 2 or issued[-1].fit not in levels:
        return []
    together = 1 - sum(1 - level for level in levels.values())
    alone = 1 - (1 - issued[-1].level) / n
    return [
        f"certificate {n} of this job: labels were certified after {n} rounds of learning. Each statement alone holds "
        f"with its own confidence, the {n} statements about the accuracy together with at least "
        f"{max(0, 100 * together):.4g}%; for {100 * issued[-1].level:g}% together, use --level {alone:.4g} each time"
    ]
