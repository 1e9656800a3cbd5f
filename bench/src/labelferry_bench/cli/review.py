"""`labelferry bench review`: do certificates hold, and what is learned from answers?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelferry.cli.show import escape, heading, new_console, new_table

from .bench import DEFAULT_FOLDER, Out, bench
from .trust import print_line

if TYPE_CHECKING:
    from rich.console import Console

COLUMNS = {
    "no_answers": "no answers",
    "second_source": "second source",
    "alone": "answers alone",
    "random": "random",
    "suggested": "suggested",
}


@bench.command("review")
def review(
    draws: Annotated[int, typer.Option(min=1, help="Random samples per task.")] = 200,
    out: Out = DEFAULT_FOLDER,
) -> None:
    """Measure certificates and learning from answers on the records of `bench trust`.

    The records must exist: run `labelferry bench trust` with the same OUT first.
    """
    from ..review import run_coverage, run_learning

    if not (out / "trust").is_dir():
        raise ValueError(f"{out / 'trust'} has no records. Run `labelferry bench trust --out {out}` first.")
    console = new_console()
    show_certificates(console, run_coverage(out / "trust", n_draws=draws))
    show_learning(console, run_learning(out / "trust", show=print_line))


def show_certificates(console: Console, result: dict[str, Any]) -> None:
    """Print the coverage and the width of the intervals, and the duels."""
    heading(console, f"Intervals at {result['level']:.0%}, looked at after every answer")
    table = new_table("interval", "answers", "tasks", "coverage", "worst corpus", "width", "relative width", numbers=6)
    for row in result["intervals"]:
        numbers = [f"{row[key]:.3f}" for key in ("coverage", "worst_coverage", "width", "relative_width")]
        table.add_row(row["quantity"], str(row["answers"]), str(row["tasks"]), *numbers)
    console.print(table)
    console.print("Relative width: compared with Clopper-Pearson intervals, which are valid for one look only.")
    heading(console, "Is AutoTransfer better than SourceLR? Tasks that differ by three points or more")
    table = new_table("answers", "tasks", "leader correct", "wrong", "verdict correct", "wrong", "not known", numbers=7)
    for row in result["duels"]:
        keys = ("named_correctly", "named_wrongly", "verdict_correct", "verdict_wrong", "not_yet_known")
        table.add_row(str(row["answers"]), str(row["tasks"]), *(f"{row[key]:.3f}" for key in keys))
    console.print(table)


def show_learning(console: Console, report: dict[str, Any]) -> None:
    """Print the gains of each way to use the answers."""
    heading(console, f"Gain over SourceLR by {report['answers']} answers, accuracy / balanced accuracy")
    table = new_table("corpus", "tasks", *COLUMNS.values(), numbers=len(COLUMNS) + 1)
    rows = [(escape(row["corpus"]), str(row["tasks"]), row) for row in report["corpora"]]
    for name, tasks, row in [
        *rows,
        ("mean", str(report["tasks"]), report["mean"]),
        ("worst task", "", report["worst"]),
    ]:
        table.add_row(name, tasks, *(" / ".join(f"{value:+.3f}" for value in row[column]) for column in COLUMNS))
    console.print(table)
    if "unseen" in report["mean"]:
        pair = " / ".join(f"{value:+.3f}" for value in report["mean"]["unseen"])
        console.print(f"Random choice, with ridges that were chosen on the other corpora: {pair}")
