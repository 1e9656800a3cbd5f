"""`labelferry bench`: run the tables and figures of the papers and compare the results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelferry.cli.show import escape, heading, new_console, new_table, printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

bench = typer.Typer(help="Run the tables and figures of the papers and compare the results.", no_args_is_help=True)

Out = Annotated[Path, typer.Option(help="Folder for records and results. An interrupted run continues from there.")]
Seeds = Annotated[
    int | None,
    typer.Option(min=1, help="Number of random seeds, of documents and methods; default: as on the page of results."),
]
Jobs = Annotated[int, typer.Option(help="Number of parallel processes; -1 uses all cores.")]
DEFAULT_FOLDER = Path("bench-results")
CELL_TITLE = "ours, difference to the paper"


@bench.command("list")
def list_all() -> None:
    """List the tables, their tasks, and whether the data is on this machine."""
    from ..papers import catalogue
    from ..papers.figures import figure_names

    console = new_console()
    table = new_table("table", "title", "corpora", "tasks with data", numbers=1)
    for row in catalogue():
        table.add_row(
            row["table"], escape(row["title"]), escape(row["corpora"]), f"{row['here']} of {len(row['tasks'])}"
        )
    console.print(table)
    console.print(f"Figures: {', '.join(figure_names())}.")
    console.print("`labelferry data` lists missing corpora and where to put them.")


@bench.command("table")
def table(
    name: Annotated[str, typer.Argument(help="cdsc, hybrid, rsp, gcmf, tcl, amazon, ...: see `bench list`.")],
    methods: Annotated[
        str, typer.Option(help="Comma-separated methods, e.g. TCL,RSP(risk=0); default: those of the paper.")
    ] = "",
    tasks: Annotated[str, typer.Option(help="Comma-separated tasks, e.g. 'rec vs sci'; default: all.")] = "",
    seeds: Seeds = None,
    verification: Annotated[
        bool, typer.Option(help="Also run the columns of the paper that are a cross-validation within one domain.")
    ] = True,
    run: Annotated[bool, typer.Option(help="Run missing cells, or print the table of the page of results.")] = True,
    jobs: Jobs = 1,
    out: Out = DEFAULT_FOLDER,
) -> None:
    """Run a table and print it; write it as CSV, JSON and HTML. The exit code is 1 if a cell failed."""
    from labelferry.files import write_text

    from ..papers.output import bench_page
    from ..papers.tabulate import recorded_table, run_table

    console = new_console()
    if not run:
        if methods or tasks or seeds:
            raise ValueError(
                "--no-run prints the table of the page; remove --methods, --tasks and --seeds, or --no-run."
            )
        show_table(console, recorded_table(name, out))
        return
    with progress(console) as (begin, done):
        only = [task.strip() for task in tasks.split(",") if task.strip()]
        result = run_table(
            name,
            out,
            methods=methods,
            tasks=only,
            n_seeds=seeds,
            verification=verification,
            jobs=jobs,
            begin=begin,
            done=done,
        )
    write_text(out / f"{name}.html", bench_page(result))
    show_table(console, result)
    console.print(f"\nWritten: {escape(str(out / name))}.csv, .json and .html", soft_wrap=True)
    for failed in result["failed"]:
        words = f"{failed['task']}, {failed['method']}, seed {failed['seed']}: {failed['error']}"
        console.print(f"Failed: {escape(printable(words))}", soft_wrap=True)
    if result["failed"]:
        raise typer.Exit(1)


@bench.command("figure")
def figure(
    name: Annotated[str, typer.Argument(help="cdsc-2, gcmf-2a, tcl-2a, ...: see `bench list`.")],
    seeds: Seeds = None,
    jobs: Jobs = 1,
    out: Out = DEFAULT_FOLDER,
) -> None:
    """Run a parameter study of a paper; write it as PNG, SVG and CSV."""
    from ..papers.figures import draw_figure

    console = new_console()
    with progress(console) as (begin, done):
        paths = draw_figure(name, out, n_seeds=seeds, jobs=jobs, begin=begin, done=done)
    console.print("Written: " + ", ".join(escape(str(path)) for path in paths), soft_wrap=True)


@bench.command("compare")
def compare(
    before: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="JSON file of a table.")],
    after: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="JSON file of the same table, run later.")],
    tolerance: Annotated[float, typer.Option(min=0, max=1, help="Ignore decreases up to this value.")] = 0.01,
) -> None:
    """Compare two runs of a table. The exit code is 1 if a result became worse."""
    from ..papers import compare_tables, in_percent

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
    page: Annotated[Path, typer.Option(help="Markdown file to write.")] = Path("docs/results.md"),
    run: Annotated[bool, typer.Option(help="Run missing cells, or write the page from the records only.")] = True,
    jobs: Jobs = 1,
    out: Out = DEFAULT_FOLDER,
) -> None:
    """Run all tables and figures and write the page of results. Recorded cells are not run again."""
    from ..papers import write_results

    console = new_console()
    with progress(console) as (begin, done):
        write_results(page, out, jobs=jobs, run=run, begin=begin, done=done)
    console.print(f"Written: {escape(str(page))}", soft_wrap=True)


def show_table(console: Console, result: dict[str, Any]) -> None:
    """Print a table as `bench.run_table` returns it."""
    from ..papers import best_in_words, in_percent

    heading(console, escape(result["title"]))
    for source in result["sources"]:
        console.print(escape(source))
    means = new_table("mean over the tasks", "ours", "sd", "paper", "difference", "tasks", "sec", numbers=6)
    for column in means.columns[1:]:
        column.no_wrap = True  # in a narrow terminal names are broken, not numbers
    for method, mean in zip(result["methods"], result["means"], strict=True):
        numbers = [in_percent(mean[key]) for key in ("mean", "sd", "paper")]
        seconds = "" if mean["seconds"] is None else f"{mean['seconds']:.1f}"
        means.add_row(
            escape(method["name"]), *numbers, in_percent(mean["difference"], sign=True), str(mean["n"]), seconds
        )
    console.print(means)
    methods = [method["name"] for method in result["methods"]]
    rows = [row for row in result["rows"] if not row["missing"]]
    for group in split_into_tables(rows, console.width - max(map(len, [CELL_TITLE, *methods]))):
        tasks = new_table(CELL_TITLE, *(escape(row["task"]) for row in group), numbers=len(group))
        tasks.columns[0].no_wrap = True
        for i, method in enumerate(methods):
            tasks.add_row(escape(method), *(_cell_text(row["cells"][i]) for row in group))
        console.print(tasks)
    for title, kind, digits in (("divergences (paper)", "divergences", 2), ("errors of an SVM (paper)", "within", 3)):
        if result[kind]:
            console.print(_beside_paper(title, result[kind], digits))
    for row in result["rows"]:
        if row["missing"]:
            console.print(f"{escape(row['task'])}: missing, {escape(row['missing'])}")
    for best in result["best"]:
        console.print(escape(best_in_words(best)))


def _beside_paper(title: str, rows: list[dict[str, Any]], digits: int) -> Any:
    """Make a table with one line per task and one column per number; the number of the paper is in brackets."""
    columns = list(dict.fromkeys(row["column"] for row in rows))
    table = new_table(title, *columns, numbers=len(columns))
    for task in dict.fromkeys(row["task"] for row in rows):
        cells = {row["column"]: row for row in rows if row["task"] == task}
        numbers = [f"{cells[c]['mean']:.{digits}f} ({cells[c]['paper']:.{digits}f})" for c in columns]
        table.add_row(escape(task), *numbers)
    return table


def split_into_tables(rows: list[dict[str, Any]], width: int) -> list[list[dict[str, Any]]]:
    """Group the tasks so that a group fits into `width` without breaking a word; at least one task per group."""
    groups: list[list[dict[str, Any]]] = []
    left = 0
    for row in rows:
        needed = 3 + max(map(len, [*row["task"].split(), "100.0"]))  # with the space between two columns
        if needed > left:
            groups.append([])
            left = width
        groups[-1].append(row)
        left -= needed
    return groups


def _cell_text(cell: dict[str, Any] | None) -> str:
    """Our result, and below it the difference to the paper."""
    from ..papers import in_percent

    if cell is None or cell["mean"] is None:
        return ""
    return in_percent(cell["mean"]) + (
        f"\n{in_percent(cell['difference'], sign=True)}" if cell["paper"] is not None else ""
    )


@contextmanager
def progress(console: Console) -> Iterator[tuple[Callable[[int], None], Callable[[dict[str, Any]], None]]]:
    """Show progress through two functions, `begin(number of cells)` and `done(record)`.

    It is a bar on a terminal, and one line per record elsewhere.
    """
    if not console.is_terminal:
        yield lambda total: None, lambda record: typer.echo(printable(_record_line(record)), err=True)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as bar:
        tasks = [bar.add_task("", total=None)]
        yield (
            lambda total: bar.update(tasks[0], total=total, completed=0),
            lambda record: bar.update(tasks[0], advance=1, description=escape(_record_line(record))),
        )


def _record_line(record: dict[str, Any]) -> str:
    return f"{record['task']}, {record['method']}, seed {record['seed']}: {100 * record['score']:.1f}"
