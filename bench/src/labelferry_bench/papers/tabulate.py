"""Run a table and collect it as a plain dict: our results compared with the paper, task by task.

Missing corpora are marked; their cells stay empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labelferry.core.method_spec import parse_methods

from ..datasets.cache import CorpusNotFound
from .best import best_per_corpus
from .extra_columns import ByCell, divergences, errors_within, measure_within, within_cells
from .kept import recorded
from .output import table_csv, write_json_and_csv
from .run import Begin, Cell, Done, Record, cells, ignore, run
from .significance import compare, friedman
from .table import AS_PUBLISHED, RSP_NAMES
from .tasks import TABLES, TASKS, Table, table_of, tasks_here, tasks_of


def run_table(
    name: str,
    folder: Path,
    *,
    methods: str = "",
    tasks: Sequence[str] = (),
    n_seeds: int | None = None,
    verification: bool = True,
    jobs: int = 1,
    begin: Begin = ignore,
    done: Done = ignore,
) -> dict[str, Any]:
    """Run the cells that `folder` has no record of, and write the table there as .csv and .json.

    Parameters
    ----------
    name : str
        Name of the table.
    folder : Path
        Folder of records and results.
    methods : str, default=""
        Comma-separated methods, such as "TCL,RSP(risk=0)"; empty for the default methods of the table.
    tasks : sequence of str, default=()
        Names of tasks, with or without the name of the table; empty for all.
    n_seeds : int, default=None
        Number of seeds; None for the number of the page of results.
    verification : bool, default=True
        Whether the columns of the paper that are a cross-validation within one domain are run too.
    jobs : int, default=1
        Number of parallel processes; -1 uses all cores.
    begin : callable
        Called once with the number of cells.
    done : callable
        Called with each record when it is available.

    Returns
    -------
    table : dict
        Plain values, as in the JSON file. A cell that fails is empty, and `failed` names it with its error.
    """
    selected = select_tasks(name, tasks)
    table = table_of(name)
    method_names = parse_methods(methods) or table.default_methods()
    available = [task for task in selected if TASKS[task].missing() is None]
    if not available:
        files = "; ".join(dict.fromkeys(str(TASKS[task].missing()) for task in selected))
        raise CorpusNotFound(f"no corpus of these tasks was found: {files}. `labelferry data` says where to put them.")
    wanted = (
        cells_of_page(table, available, method_names) if n_seeds is None else cells(available, method_names, n_seeds)
    )
    within = within_cells(table.printed, available, n_seeds or table.n_seeds) if verification else []
    begin(len(wanted) + len(within))
    path = folder / f"{name}.jsonl"
    records, failures = run(wanted, path, jobs=jobs, done=done)
    more, more_failures = run(within, path, jobs=jobs, done=done, how=measure_within)
    result = tabulate(table, selected, method_names, [*records, *more])
    result["failed"] = [
        {"task": cell.task.partition("/")[2], "method": cell.method, "seed": cell.seed, "error": error}
        for cell, error in (*failures, *more_failures)
    ]
    write_json_and_csv(name, folder, result, table_csv(result))
    return result


def cells_of_page(table: Table, tasks: Sequence[str], methods: Sequence[str]) -> list[Cell]:
    """The cells with the number of seeds of the page of results."""
    return [cell for task in tasks for method in methods for cell in cells([task], [method], table.seeds_of(method))]


def recorded_table(name: str, folder: Path) -> dict[str, Any]:
    """Make a table as `run_table` does, from the records of the folder and of the page; nothing is run."""
    table = table_of(name)
    return tabulate(table, tasks_of(name), table.default_methods(), table_records(name, folder).values())


def table_records(name: str, folder: Path) -> dict[Cell, Record]:
    """The records of a table on the page of results."""
    table, available = table_of(name), tasks_here(name)
    wanted = [
        *cells_of_page(table, available, table.default_methods()),
        *within_cells(table.printed, available, table.n_seeds),
    ]
    return recorded(wanted, folder / f"{name}.jsonl")


def select_tasks(table: str, only: Sequence[str] = ()) -> list[str]:
    """List the tasks of a table, or those of them in `only`; their names may include the name of the table."""
    known = {name.partition("/")[2]: name for name in tasks_of(table)}
    wanted = [task.partition("/")[2] if task in TASKS else task for task in only]
    unknown = [task for task in wanted if task not in known]
    if unknown:
        raise ValueError(f"there is no task {unknown[0]!r} in the table {table!r}; it has {', '.join(known)}.")
    return [known[task] for task in dict.fromkeys(wanted)] if only else list(known.values())


def catalogue() -> list[dict[str, Any]]:
    """List the tables.

    Returns
    -------
    tables : list of dict
        Per table its name, title, tasks, corpora, and the number of tasks whose corpora are on this machine.
    """
    return [
        {
            "table": name,
            "title": table.title,
            "tasks": [task.partition("/")[2] for task in tasks_of(name)],
            "corpora": ", ".join(dict.fromkeys(task.corpus for task in table.tasks)),
            "here": len(tasks_here(name)),
        }
        for name, table in TABLES.items()
    ]


def tabulate(table: Table, tasks: Sequence[str], methods: Sequence[str], records: Iterable[Record]) -> dict[str, Any]:
    """Make the table of these tasks and methods from their records."""
    by_cell: ByCell = {}
    for record in records:
        by_cell.setdefault((record["task"], record["method"]), []).append(record)
    rows: list[dict[str, Any]] = [
        {
            "task": (row := task.partition("/")[2]),
            "missing": TASKS[task].missing(),
            "protocol": next((p for m in methods for r in by_cell.get((task, m), ()) if (p := r["protocol"])), None),
            "cells": [_cell(by_cell.get((task, method), []), table, row, method) for method in methods],
        }
        for task in tasks
    ]
    return {
        "table": table.name,
        "title": table.title,
        "sources": [printed.citation for printed in table.accuracies],
        "measure": TASKS[tasks[0]].scored,
        "methods": [
            {"method": method, "name": table.name_of(method), "published_as": table.printed_column(method)}
            for method in methods
        ],
        "rows": rows,
        "means": [_mean_over_tasks([row["cells"][i] for row in rows]) for i in range(len(methods))],
        "best": best_per_corpus(table, tasks, methods, rows),
        "divergences": divergences(table, tasks, by_cell),
        "within": errors_within(table, tasks, by_cell),
        **_tests(table, tasks, methods, by_cell),
        "failed": [],
    }


def _tests(table: Table, tasks: Sequence[str], methods: Sequence[str], by_cell: ByCell) -> dict[str, Any]:
    """Tests of the methods of the paper against their rivals, and Friedman's test of all of them."""
    scores = [
        {method: {record["seed"]: record["score"] for record in by_cell.get((task, method), ())} for method in methods}
        for task in tasks
    ]
    rivals = {own: _rivals(table, own, methods) for own in table.tested if own in methods}
    tests = [{"tested": own, **test} for own in rivals for test in compare(own, rivals[own], scores)]
    all_methods = dict.fromkeys(method for own in rivals for method in (own, *rivals[own]))
    return {"tests": tests, "friedman": friedman(list(all_methods), scores)}


def _rivals(table: Table, own: str, methods: Sequence[str]) -> list[str]:
    """The other methods, each once: as published if there is such a row. Those of the same paper are as `own` is."""
    name = own.partition("(")[0]
    no_rivals = {own, *(AS_PUBLISHED[method] for method in table.tested)}
    no_rivals |= {m for m in methods if m not in table.tested and AS_PUBLISHED.get(m, m) in set(methods) - {m}}
    return [m for m in methods if m not in no_rivals and (m in RSP_NAMES or m.partition("(")[0] != name)]


def _cell(records: Sequence[Record], table: Table, row: str, method: str) -> dict[str, Any] | None:
    """Mean over the seeds, and the number of the paper; None if nothing was run and nothing is printed."""
    column, printed = table.printed_column(method) or "", table.printed_row(row)
    printed = printed if printed and column in printed.columns else None
    if not records and printed is None:
        return None
    scores = [record["score"] for record in records]
    mean = float(np.mean(scores)) if scores else None
    paper = printed.accuracy(row, column) if printed else None
    return {
        "mean": mean,
        "sd": float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
        "n": len(scores),
        "balanced": _mean(record["balanced"] for record in records),
        "seconds": _mean(record["seconds"] for record in records),
        "paper": paper,
        "paper_sd": printed.deviation(row, column) if printed else None,
        "difference": None if mean is None or paper is None else mean - paper,
    }


def _mean_over_tasks(cells: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
    """Means over the tasks that were run; `paper` and `difference` over those of them that the paper prints."""
    ran = [cell for cell in cells if cell and cell["mean"] is not None]
    both = [cell for cell in ran if cell["paper"] is not None]
    return {
        "mean": _mean(cell["mean"] for cell in ran),
        "sd": _mean(cell["sd"] for cell in ran),
        "n": len(ran),
        "seconds": _mean(cell["seconds"] for cell in ran),
        "paper": _mean(cell["paper"] for cell in both),
        "difference": _mean(cell["difference"] for cell in both),
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
