"""The page of results: all tables as measured, with the protocol of each task."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from ..files import write_text
from .best import best_in_words
from .run import Begin, Done, ignore
from .tabulate import run_table
from .tasks import TABLES

INTRODUCTION = f"""\
# Results

Written by `labelferry bench results`, version {__version__}, from the records of its runs; only the remarks are written
by hand. A number is the mean accuracy in percent over the seeds; ± is the standard deviation over the seeds. A seed
draws the documents of a sampled table and starts the methods that are random. The number of the paper is in brackets.
Labels of the target are used for the score only. If the default of a method differs from its paper, there are two rows:
the second has the form of the paper. Defaults that were chosen with labels of some of these tasks known: CDSC, GCMF,
LP, SP, RSP, TSVM, LapSVM (all six newsgroup tasks), MSDA, KDEWeighting, ITCC, CoCC and NMFClustering; the docstring of
each method names the tasks. The vocabularies and samples of the papers are not published: the protocol may account for
a difference of one or two points. Each table ends with our protocol.
"""


def write_results(
    page: Path,
    folder: Path,
    *,
    n_seeds: int | None = None,
    jobs: int = 1,
    run: bool = True,
    begin: Begin = ignore,
    done: Done = ignore,
) -> None:
    """Run all tables and write the page. Cells that `folder` has a record of are not run again.

    Parameters
    ----------
    page : Path
        The Markdown file to write.
    folder : Path
        Folder of records and results.
    n_seeds : int, default=None
        Largest number of seeds per table; None for the number of each table.
    jobs : int, default=1
        Number of parallel processes; -1 uses all cores.
    run : bool, default=True
        If False, nothing is run, and the page contains the tables that are finished in the folder.
    begin : callable
        Called once per table with the number of cells.
    done : callable
        Called with each record when it is available.
    """
    if run:
        tables = [
            run_table(
                name, folder, n_seeds=min(table.n_seeds, n_seeds or table.n_seeds), jobs=jobs, begin=begin, done=done
            )
            for name, table in TABLES.items()
        ]
    else:
        finished = [folder / f"{name}.json" for name in TABLES]
        tables = [json.loads(path.read_text(encoding="utf-8")) for path in finished if path.exists()]
    page.parent.mkdir(parents=True, exist_ok=True)
    absent = [name for name in TABLES if name not in {table["table"] for table in tables}]
    not_run = f"\nNot run for this page: {', '.join(absent)} (`labelferry bench table NAME`).\n" if absent else ""
    write_text(page, INTRODUCTION + not_run + "".join(map(section, tables)))


def section(table: dict[str, Any]) -> str:
    """Write one table as Markdown."""
    rows = [row for row in table["rows"] if not row["missing"]]
    seeds = max((cell["n"] for row in rows for cell in row["cells"] if cell), default=0)
    parts = [
        f"\n## {table['title']}\n",
        f"`labelferry bench table {table['table']} --seeds {seeds}`\n",
        *(f"{source}.\n" for source in table["sources"]),
    ]
    if rows:
        parts += ["\n".join(_grid(table, rows)) + "\n"]
    parts += [f"{row['task']}: **missing**, needs `{row['missing']}`.\n" for row in table["rows"] if row["missing"]]
    published = [method["method"] for method in table["methods"] if method["method"] != method["name"]]
    if published:
        parts += ["As published: " + ", ".join(f"`{method}`" for method in published) + ".\n"]
    parts += [f"- {best_in_words(best)}\n" for best in table["best"]]
    if table["divergences"]:
        parts += ["\n".join(_divergence_grid(table["divergences"])) + "\n"]
    parts += [f"{remark}\n" for remark in TABLES[table["table"]].remarks]
    if rows:
        parts += ["\n".join(["<details><summary>Protocol</summary>\n", *_protocols(rows), "\n</details>\n"])]
    return "\n".join(parts)


def _grid(table: dict[str, Any], rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Lines of the table: one row per method, one column per task."""
    yield _line(["", *(row["task"] for row in rows), "mean", "seconds"])
    yield _line(["---", *["---:"] * (len(rows) + 2)])
    for i, (method, mean) in enumerate(zip(table["methods"], table["means"], strict=True)):
        cells = [row["cells"][i] for row in rows]
        seconds = "" if mean["seconds"] is None else f"{mean['seconds']:.1f}"
        yield _line([_code(method["name"]), *map(_number, cells), f"**{_number(mean)}**", seconds])


def _code(name: str) -> str:
    """A name of a method as code: `RSP`, as published."""
    method, comma, form = name.partition(", as published")
    return f"`{method}`{comma}{form}"


def _divergence_grid(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Lines of the table of divergences: one row per task; the number of the paper is in brackets."""
    columns = list(dict.fromkeys(row["column"] for row in rows))
    yield _line(["", *columns])
    yield _line(["---", *["---:"] * len(columns)])
    for task in dict.fromkeys(row["task"] for row in rows):
        cells = {row["column"]: f"{row['mean']:.2f} ({row['paper']:.2f})" for row in rows if row["task"] == task}
        yield _line([task, *(cells[column] for column in columns)])


def _number(cell: dict[str, Any] | None) -> str:
    if cell is None or cell["mean"] is None:
        return ""
    sd = "" if cell["sd"] is None or 100 * cell["sd"] < 0.05 else f"±{100 * cell['sd']:.1f}"
    paper = "" if cell["paper"] is None else f" ({100 * cell['paper']:.1f})"
    return f"{100 * cell['mean']:.1f}{sd}{paper}"


def _protocols(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        if row["protocol"]:
            steps = "; ".join(f"{key} {_plain(value)}" for key, value in row["protocol"].items())
            yield f"- {row['task']}: {steps}"


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(inner)}" for key, inner in value.items())
    return f"{value:,}" if isinstance(value, int) else str(value)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
