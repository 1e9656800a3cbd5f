"""`labelferry bench`: the papers' tables and figures, ours beside theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import app
from .show import escape, heading, new_console, new_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

bench = typer.Typer(help="Run the papers' tables and figures, ours beside theirs.", no_args_is_help=True)
app.add_typer(bench, name="bench")

Out = Annotated[Path, typer.Option(help="Folder for records and results. A run that was stopped goes on from there.")]
Seeds = Annotated[int, typer.Option(min=1, help="Number of seeds; they draw the documents and start the methods.")]
Jobs = Annotated[int, typer.Option(help="Processes to run side by side; -1 is one a core.")]
HERE = Path("bench-results")
BESIDE = "ours, and beside the paper"


@bench.command("list")
def list_all() -> None:
    """The tables, their tasks, and whether the data is here."""
    from ..bench import catalogue
    from ..bench.figures import figure_names

    console = new_console()
    table = new_table("table", "what", "corpora", "tasks here", numbers=1)
    for row in catalogue():
        table.add_row(
            row["table"], escape(row["title"]), escape(row["corpora"]), f"{row['here']} of {len(row['tasks'])}"
        )
    console.print(table)
    console.print(f"Figures: {', '.join(figure_names())}.")
    console.print("`labelferry data` says what is missing and where to put it.")


@bench.command("table")
def table(
    name: Annotated[str, typer.Argument(help="cdsc, hybrid, rsp, gcmf, tcl, shift, amazon, ...: see `bench list`.")],
    methods: Annotated[
        str, typer.Option(help="Methods with commas, such as TCL,RSP(risk=0); default: the paper's.")
    ] = "",
    tasks: Annotated[str, typer.Option(help="Tasks with commas, such as 'rec vs sci'; default: all.")] = "",
    seeds: Seeds = 1,
    jobs: Jobs = 1,
    out: Out = HERE,
) -> None:
    """Run a table and print it; write it as CSV, JSON and HTML."""
    from ..bench import run_table
    from ..bench.page import write_bench_page

    console = new_console()
    with progress(console) as (begin, done):
        only = [task.strip() for task in tasks.split(",") if task.strip()]
        result = run_table(name, out, methods=methods, tasks=only, n_seeds=seeds, jobs=jobs, begin=begin, done=done)
    write_bench_page(result, out / f"{name}.html")
    show_table(console, result)
    console.print(f"\nWritten: {escape(str(out / name))}.csv, .json and .html", soft_wrap=True)


@bench.command("figure")
def figure(
    name: Annotated[str, typer.Argument(help="cdsc-2, gcmf-2a, tcl-2, ...: see `bench list`.")],
    seeds: Seeds = 1,
    jobs: Jobs = 1,
    out: Out = HERE,
) -> None:
    """Run one of the papers' parameter studies; write it as PNG, SVG and CSV."""
    from ..bench.figures import draw_figure

    console = new_console()
    with progress(console) as (begin, done):
        written = draw_figure(name, out, n_seeds=seeds, jobs=jobs, begin=begin, done=done)
    console.print("Written: " + ", ".join(escape(str(path)) for path in written), soft_wrap=True)


@bench.command("compare")
def compare(
    before: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A table's .json, from before.")],
    after: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The same table's .json, from after.")],
    tolerance: Annotated[float, typer.Option(min=0, max=1, help="A fall up to this is none.")] = 0.01,
) -> None:
    """What got worse between two runs of a table? Exit code 1 where something did."""
    from ..bench import compare_tables, in_percent

    rows = compare_tables(before, after, tolerance)
    console = new_console()
    shown = new_table("task", "method", "before", "after", "change", numbers=3)
    for row in rows:
        style = "red" if row["worse"] else None
        numbers = (in_percent(row["before"]), in_percent(row["after"]), in_percent(row["change"], sign=True))
        shown.add_row(escape(row["task"]), escape(row["method"]), *numbers, style=style)
    console.print(shown)
    worse = sum(row["worse"] for row in rows)
    console.print(f"{worse} of {len(rows)} cells got worse." if rows else "The two tables have no cell in common.")
    raise typer.Exit(1 if worse or not rows else 0)


@bench.command("results")
def results(
    page: Annotated[Path, typer.Option(help="The page to write.")] = Path("docs/results.md"),
    seeds: Annotated[int | None, typer.Option(min=1, help="At most so many seeds a table.")] = None,
    run: Annotated[bool, typer.Option(help="Run what has no record; or take the finished tables as they are.")] = True,
    jobs: Jobs = 1,
    out: Out = HERE,
) -> None:
    """Run all tables (what is recorded is not run again) and write the page of results."""
    from ..bench import write_results

    console = new_console()
    with progress(console) as (begin, done):
        write_results(page, out, n_seeds=seeds, jobs=jobs, run=run, begin=begin, done=done)
    console.print(f"Written: {escape(str(page))}", soft_wrap=True)


def show_table(console: Console, result: dict[str, Any]) -> None:
    from ..bench import best_in_words, in_percent

    heading(console, escape(result["title"]))
    for source in result["sources"]:
        console.print(escape(source))
    means = new_table("mean over the tasks", "ours", "sd", "paper", "difference", "tasks", "sec", numbers=6)
    means.columns[0].no_wrap = True
    for method, mean in zip(result["methods"], result["means"], strict=True):
        numbers = [in_percent(mean[key]) for key in ("mean", "sd", "paper")]
        seconds = "" if mean["seconds"] is None else f"{mean['seconds']:.1f}"
        means.add_row(
            escape(method["method"]), *numbers, in_percent(mean["difference"], sign=True), str(mean["n"]), seconds
        )
    console.print(means)
    methods = [method["method"] for method in result["methods"]]
    rows = [row for row in result["rows"] if not row["missing"]]
    for some in side_by_side(rows, console.width - max(map(len, [BESIDE, *methods]))):
        tasks = new_table(BESIDE, *(escape(row["task"]) for row in some), numbers=len(some))
        tasks.columns[0].no_wrap = True
        for i, method in enumerate(methods):
            tasks.add_row(escape(method), *(_lines(row["cells"][i]) for row in some))
        console.print(tasks)
    for row in result["rows"]:
        if row["missing"]:
            console.print(f"{escape(row['task'])}: missing, {escape(row['missing'])}")
    for best in result["best"]:
        console.print(escape(best_in_words(best)))


def side_by_side(rows: list[dict[str, Any]], width: int) -> list[list[dict[str, Any]]]:
    """The tasks in groups that find room in `width` with no word of their names broken; at least one a group."""
    groups: list[list[dict[str, Any]]] = []
    room = 0
    for row in rows:
        needed = 3 + max(map(len, [*row["task"].split(), "100.0"]))  # with the space between two columns
        if needed > room:
            groups.append([])
            room = width
        groups[-1].append(row)
        room -= needed
    return groups


def _lines(cell: dict[str, Any] | None) -> str:
    """Ours, and under it how far it is from the paper's."""
    from ..bench import in_percent

    if cell is None or cell["mean"] is None:
        return ""
    return in_percent(cell["mean"]) + (
        f"\n{in_percent(cell['difference'], sign=True)}" if cell["paper"] is not None else ""
    )


@contextmanager
def progress(console: Console) -> Iterator[tuple[Callable[[int], None], Callable[[dict[str, Any]], None]]]:
    """`begin(how many)` and `done(record)`: a bar on a terminal, a line a record elsewhere."""
    if not console.is_terminal:
        yield lambda total: None, lambda record: typer.echo(_record(record), err=True)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as bar:
        tasks = [bar.add_task("", total=None)]
        yield (
            lambda total: bar.update(tasks[0], total=total, completed=0),
            lambda record: bar.update(tasks[0], advance=1, description=escape(_record(record))),
        )


def _record(record: dict[str, Any]) -> str:
    return f"{record['task']}, {record['method']}, seed {record['seed']}: {100 * record['score']:.1f}"
