"""What `labelferry label` prints: about ten lines, or everything with --verbose."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .outputs import free_name, is_standard
from .show import (
    escape,
    estimate_line,
    heading,
    new_table,
    print_messages,
    show_level,
    show_reasons,
    show_verdict,
    special,
)

if TYPE_CHECKING:
    from rich.console import Console

MOST_LINES, LEAST_CLASSES = 12, 3  # of a short output, and in its table
MOST_LABELS = 20  # in the short table of several labels per document


class Written(NamedTuple):
    """What was written, for the next command."""

    files: list[str]  # in their order; standard output is not among them
    out: str | None  # the file of the labels
    job: str | None
    text: list[str] | None  # columns that the user named
    learned: bool = False  # from answers


def show_result(console: Console, result: Any, messages: list[str], written: Written, *, verbose: bool) -> None:
    """Print the result of `label`: what was read, the verdict, the labels, what was written, and what is next."""
    if verbose:
        print_messages(console, [*result.messages, *messages])
        show_verdict(console, result.verdict.as_dict())
        heading(console, f"Labels by {result.method}")
        console.print(full_table(result))
        show_expected(console, result, in_job=written.job is not None)
    else:
        show_briefly(console, result, messages, in_job=written.job is not None)
    if written.files:
        console.print(f"Written: {escape(', '.join(written.files))}", soft_wrap=True)
    if written.learned and not written.job:
        console.print("Did you accept labels before? Then add --after for their file and samples.")
    if command := next_command(written):
        console.print(f"Next: {escape(command)}", soft_wrap=True)


def show_several(console: Console, result: Any, messages: list[str], written: Written, *, verbose: bool) -> None:
    """Print the result of several labels per document: what was read, the verdict, one row per label, what is next."""
    skipped = result.skipped_messages  # labels that no document gets: always told
    lines = [line for line in (*result.messages, *messages) if line not in skipped]
    print_messages(console, [*(lines if verbose else special(lines)), *skipped])
    show_level(console, result.verdict.level, result.verdict.sentence)
    table = new_table("label", "verdict", "documents", "share", "labelled", "balanced accuracy", numbers=5)
    rows = sorted(result.table(), key=lambda row: -row["labelled"])
    for row in rows if verbose else rows[:MOST_LABELS]:
        mean = row["balanced_accuracy"]
        estimate = "unknown" if mean is None else f"{mean:.0%} ({row['low']:.0%} to {row['high']:.0%})"
        table.add_row(
            escape(row["label"]),
            row["level"],
            f"{row['documents']:,}",
            f"{row['share']:.1%}",
            f"{row['labelled']:,}",
            estimate,
        )
    console.print(table)
    if not verbose and len(rows) > MOST_LABELS:
        console.print(f"and {len(rows) - MOST_LABELS} more labels: --verbose")
    if written.files:
        console.print(f"Written: {escape(', '.join(written.files))}", soft_wrap=True)
    if command := next_command(written):
        console.print(f"Next: {escape(command)}", soft_wrap=True)


def show_briefly(console: Console, result: Any, messages: list[str], *, in_job: bool) -> None:
    """What was read in one line, the verdict with its facts, one number, the outlook, and the classes."""
    from ..labelling.outlook import usable_outlook
    from ..labelling.verdict import notable

    columns = result.inputs.columns
    n_labelled, n_new = sum(len(source.labels) for source in result.inputs.sources), len(result.inputs.texts)
    text = ", ".join(dict.fromkeys((*columns.text, *columns.text_target)))
    read = f"Read: {n_labelled:,} labelled and {n_new:,} new documents (columns: {text}, {columns.label})"
    notes, reasons = special([*result.messages, *messages]), notable(result)
    print_messages(console, [read, *notes])
    show_level(console, result.verdict.level, result.verdict.sentence)
    show_reasons(console, reasons)
    estimate = estimate_line(result.estimated_accuracy, result.assessment.n_answers)
    console.print(f"{estimate} {usable_outlook(result.documents, in_job=in_job)['sentence']}")
    others = 8 + len(notes)  # lines: one read, two of the verdict with its reason, two of numbers, three around a table
    console.print(short_table(result, max(LEAST_CLASSES, MOST_LINES - others)))


def short_table(result: Any, most: int) -> Any:
    """The largest classes, and one row for the others."""
    from ..labelling.class_table import class_table

    rows = class_table(result)
    shown = sorted(rows, key=lambda row: -row.documents)[: most - 1] if len(rows) > most else rows
    table = new_table("label", "documents", "share", numbers=2, compact=True)
    for row in shown:
        table.add_row(escape(str(row.label)), f"{row.documents:,}", f"{row.share:.0%}")
    if len(rows) > len(shown):
        n = sum(row.documents for row in rows) - sum(row.documents for row in shown)
        table.add_row(f"{len(rows) - len(shown)} other classes", f"{n:,}", "")
    return table


def full_table(result: Any) -> Any:
    """All classes with the range of their shares and the labels to review."""
    from ..certificate.interval import percent
    from ..labelling.class_table import class_table

    proportions = result.assessment.proportions
    interval = "range of the share"
    if proportions.prior is not None and proportions.prior.known:
        interval = "given" if proportions.prior.origin == "given" else "matched"
    table = new_table("label", "documents", "share", interval, "confidence", "to review", numbers=5)
    for row in class_table(result):
        table.add_row(
            escape(str(row.label)),
            str(row.documents),
            f"{row.share:.0%}",
            f"{row.low:.0%}" if proportions.given else f"{row.low:.0%} to {row.high:.0%}",
            "no label" if row.confidence is None else percent(row.confidence),
            str(row.to_review),
        )
    return table


def show_expected(console: Console, result: Any, *, in_job: bool) -> None:
    """How many labels can probably be used after some answers."""
    from ..labelling.outlook import usable_outlook

    usable = usable_outlook(result.documents, in_job=in_job)
    console.print(usable["sentence"])
    if not usable["expected"]:
        return
    table = new_table("answers", "labels to use", "range", "unseen", numbers=4)
    for row in usable["expected"]:
        table.add_row(str(row["answers"]), f"{row['n']:,}", f"{row['low']:,} to {row['high']:,}", f"{row['unseen']:,}")
    console.print(table)


def next_command(written: Written) -> str:
    """The command that leads to labels that can be used; empty if the labels are on standard output only."""
    if written.job is not None:
        return f"labelferry review {shlex.quote(written.job)}"
    if written.out is None:
        return ""
    names = f" --text {shlex.quote(','.join(written.text))}" if written.text else ""
    return f"labelferry accept {shlex.quote(written.out)} -o {free_name('sample.csv')}{names}"


def files_of(written: list[Path | str]) -> list[str]:
    """The files without standard output."""
    return [str(path) for path in written if not is_standard(Path(path))]
