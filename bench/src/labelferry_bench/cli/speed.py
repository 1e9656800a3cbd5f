"""`labelferry bench speed`: seconds, memory and growth of the methods, beside scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from labelferry.cli.options import AsJson, print_json
from labelferry.cli.show import heading, new_console, new_table

from .bench import bench
from .trust import print_line

if TYPE_CHECKING:
    from rich.console import Console


@bench.command("speed")
def speed(
    sizes: Annotated[
        str, typer.Option(help="Comma-separated numbers of generated documents.")
    ] = "1000,8000,100000,1000000",
    methods: Annotated[str, typer.Option(help="Comma-separated methods; default: all that are measured.")] = "",
    rounds: Annotated[int, typer.Option(min=1, help="How often a method and its rival run, in turn.")] = 3,
    max_seconds: Annotated[
        float, typer.Option(min=0, help="Leave out runs that would take longer, judged by the smaller sizes.")
    ] = 1800,
    json: AsJson = False,
) -> None:
    """Measure the methods on generated documents of growing number.

    Each method and size runs in a process of its own. The ratio is our time by that of scikit-learn's nearest
    equivalent, with one thread or all cores, whichever is faster, in the same process and in turn. Growth is the
    exponent between two sizes: 1 is linear. OMP_NUM_THREADS limits our threads.
    """
    from ..speed import RUNS, run_speed

    try:
        numbers = [int(size) for size in sizes.split(",")]
    except ValueError:
        raise ValueError(f"--sizes must be numbers separated by commas, such as 1000,8000; got {sizes!r}.") from None
    names = [name.strip() for name in methods.split(",") if name.strip()] or list(RUNS)
    done = print_row if not json else lambda row: None
    result = run_speed(numbers, names, rounds=rounds, max_seconds=max_seconds, done=done)
    if json:
        print_json(result)
    else:
        show(new_console(), result)


def print_row(row: dict[str, Any]) -> None:
    """Print a line of progress."""
    seconds = f"left out, {row['left_out']}" if row["left_out"] else f"{row['seconds']:.2f} s"
    print_line(f"{row['method']}, {row['documents']:,} documents: {seconds}")


def show(console: Console, result: dict[str, Any]) -> None:
    """Print the table."""
    machine = result["machine"]
    heading(console, f"{machine['processor']}, {machine['cores']} cores, median of {result['rounds']} rounds")
    table = new_table("method", "documents", "sec", "growth", "peak", "data", "sparse", "ratio", "CPU", numbers=8)
    for row in result["rows"]:
        if row["left_out"]:
            continue
        cells = [
            f"{row['documents']:,}",
            f"{row['seconds']:.2f}",
            "" if row["growth"] is None else f"{row['growth']:.2f}",
            "" if row["peak_mb"] is None else f"{row['peak_mb']:.0f}",
            f"{row['data_mb']:.0f}",
            f"{row['sparse_share']:.0%}",
            "" if row["ratio"] is None else f"{row['ratio']:.2f}",
            "" if row["ratio"] is None else f"{row['processor_ratio']:.2f}",
        ]
        table.add_row(row["method"], *cells)
    console.print(table)
    console.print("Peak: MB that the run adds to a process with the data. Sparse: time in products with the documents.")
    console.print("Ratio: of seconds; CPU: of processor time, all threads together; in brackets threads per size:")
    compared = [row for row in result["rows"] if not row["left_out"] and row["ratio"] is not None]
    for method, rival in {row["method"]: row["rival"] for row in compared}.items():  # a column would be too wide
        threads = ", ".join(str(row["rival_threads"]) for row in compared if row["method"] == method)
        console.print(f"  {method} to {rival} ({threads})")
    for row in result["rows"]:
        if row["left_out"]:
            console.print(f"{row['method']} at {row['documents']:,} documents was left out: {row['left_out']}.")
