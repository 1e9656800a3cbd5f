"""`labelferry bench trust` and `bench calibrate`: are the verdicts reliable on corpora that nothing was tuned on?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelferry.cli.show import escape, heading, new_console, new_table, printable

from .bench import DEFAULT_FOLDER, Jobs, Out, bench

if TYPE_CHECKING:
    from rich.console import Console

Corpora = Annotated[
    list[Path] | None,
    typer.Option(
        "--corpus",
        help="Only this corpus: a file with the columns text, label and domain, or newsgroups, reuters, amazon; repeat "
        "the option for more (default: all in $LABELFERRY_DATA).",
    ),
]


EXTRA = {"allow_extra_args": True}  # `chosen` says what is wrong with them


def chosen(context: typer.Context, corpora: list[Path] | None) -> list[str] | None:
    """The corpora as names; None for all."""
    if context.args:
        raise ValueError(
            f"{context.args[0]!r} belongs to no option. Repeat --corpus for each corpus: --corpus a.csv --corpus b.csv."
        )
    return [str(path) for path in corpora or []] or None


@bench.command("trust", context_settings=EXTRA)
def trust(
    context: typer.Context,
    corpora: Corpora = None,
    as_shipped: Annotated[
        bool, typer.Option("--as-shipped", help="Judge new corpora by the coefficients of this version.")
    ] = False,
    jobs: Jobs = 1,
    out: Out = DEFAULT_FOLDER,
) -> None:
    """Run AutoTransfer on many transfers and print how good answers, estimates and verdicts are.

    All figures are leave-one-corpus-out, unless --as-shipped is given. The predictions of all methods are kept in OUT,
    so that a second run is fast.
    """
    from ..trust import run_trust

    names = chosen(context, corpora)
    report = run_trust(out / "trust", corpora=names, as_shipped=as_shipped, jobs=jobs, show=print_line)
    show(new_console(), report, "as shipped" if as_shipped else "leave-one-corpus-out")


@bench.command("calibrate", context_settings=EXTRA)
def calibrate(
    context: typer.Context,
    corpora: Corpora = None,
    jobs: Jobs = 1,
    out: Out = DEFAULT_FOLDER,
    file: Annotated[Path, typer.Option(help="Calibration file to write.")] = Path("calibration.json"),
) -> None:
    """Fit the coefficients of AutoTransfer on the records of `bench trust` and write them to a file.

    The file names the corpora, the date and the leave-one-corpus-out report.
    """
    from ..trust import run_calibration

    run_calibration(out / "trust", file, corpora=chosen(context, corpora), jobs=jobs, show=print_line)
    new_console().print(f"Written: {escape(str(file))}", soft_wrap=True)


def print_line(text: str) -> None:
    """Print a line of progress on stderr."""
    typer.echo(f"labelferry: {printable(text)}", err=True)


def show(console: Console, report: dict[str, Any], how: str) -> None:
    """Print the figures of the report; `how` says where the coefficients come from."""
    corpora = new_table("corpus", "tasks", "SourceLR", "answer", "worst", "estimate", "safe/doubtful/unsafe", numbers=6)
    for row in report["corpora"]:
        pairs = [" / ".join(f"{v:.3f}" for v in row[key]) for key in ("source_only", "answer")]
        worst = " / ".join(f"{v:+.2f}" for v in row["worst"])
        levels = "/".join(str(n) for n in row["levels"].values())
        corpora.add_row(escape(row["corpus"]), str(row["tasks"]), *pairs, worst, f"{row['estimate']:.2f}", levels)
    heading(console, f"{report['tasks']} tasks, accuracy / balanced accuracy, {how}")
    console.print(corpora)
    answer = new_table(
        "mean over corpora", "SourceLR", "answer", "gain", "worst", "losing > 2", "losing > 5", numbers=6
    )
    by_words = report["by_words"] or {"answer": {}, "groups": {}, "estimates": None}
    rows = [*report["answer"].items(), *((f"{name} by words", row) for name, row in by_words["answer"].items())]
    for name, row in rows:
        numbers = [f"{row['source_only']:.3f}", f"{row['answer']:.3f}", f"{row['gain']:+.3f}", f"{row['worst']:+.3f}"]
        answer.add_row(name.replace("_", " "), *numbers, f"{row['losing_2']:.3f}", f"{row['losing_5']:.3f}")
    console.print(answer)
    members = new_table("member", "gain in accuracy", "in balanced accuracy", numbers=2)
    for row in report["members"]:
        members.add_row(escape(row["member"]), *(f"{v:+.3f}" for v in row["gain"]))
    console.print(members)
    for title, groups in (("Groups", report["groups"]), ("Groups by words", by_words["groups"])):
        if groups:
            console.print(f"{title}: " + ", ".join(f"{name} {value:.3f}" for name, value in groups.items()))
    estimates = new_table("estimate of", "error", "coverage", "worst corpus", "width", numbers=4)
    by_name = report["estimates"] | ({"balanced accuracy by words": e} if (e := by_words["estimates"]) else {})
    for name, row in by_name.items():
        keys = ("error", "coverage", "worst_corpus", "width")
        estimates.add_row(name.replace("_", " "), *(f"{row[key]:.3f}" for key in keys))
    console.print(estimates)
    verdicts = new_table("verdict", "answers", "mean accuracy", "lowest", "below 80%", numbers=4)
    for level in ("safe", "doubtful", "unsafe"):
        row = report["verdicts"][level]
        values = ["" if row[key] is None else f"{row[key]:.3f}" for key in ("accuracy", "lowest", "below_80")]
        verdicts.add_row(level, str(row["answers"]), *values)
    console.print(verdicts)
    called = report["verdicts"]["good_called_safe"]
    console.print(
        f"Answers with 85% or more that are called safe: {'none exist' if called is None else f'{called:.2f}'}"
    )
    for name in ("member_verdicts", "review", "proportions"):
        console.print(f"{name.replace('_', ' ')}: " + ", ".join(f"{k} {v:.3f}" for k, v in report[name].items()))
    new = new_table("new classes", "tasks", "detected", "documents found", "precision", numbers=4)
    for name, row in {"mean over corpora": report["new_classes"], **report["new_classes"]["corpora"]}.items():
        values = ["" if row[key] is None else f"{row[key]:.3f}" for key in ("detected", "found", "precision")]
        new.add_row(escape(name), str(row["tasks"]), *values)
    console.print(new)
    console.print(f"Complete tasks with marked documents: {report['new_classes']['false_alarms']:.3f}")
    curve = new_table("confidence", "correct", "share of documents", numbers=3)
    for row in report["calibration_curve"]:
        curve.add_row(f"{row['confidence']:.2f}", f"{row['correct']:.2f}", f"{row['documents']:.2f}")
    console.print(curve)
    risk = ", ".join(f"{row['coverage']:.0%}: {row['error']:.3f}" for row in report["risk_coverage"])
    console.print(f"Error among the most confident documents: {risk}")
    traps = new_table("trap", "accuracy", "estimate", "verdict", "facts")
    for row in report["traps"]:
        values = [f"{row['accuracy']:.2f}", f"{row['estimate']:.2f}", row["level"], ", ".join(row["facts"])]
        traps.add_row(escape(row["task"]), *values)
    console.print(traps)
