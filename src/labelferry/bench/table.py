"""A table of results as a plain dict: ours beside the paper's, task by task. What is missing is marked, not filled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..files import write_text
from . import contenders, paper
from .paper import OURS
from .records import Record
from .run import cells, run
from .tasks import TASKS, missing, tasks_here, tasks_of
from .write import as_json, table_csv

OWN = ("TCL", "GCMF", "CDSC", "HybridLabelPropagation", "HybridSimilarityPropagation")
BESIDE = ("EMNaiveBayes", "SourceLR")  # a method that cannot beat these two says so in every table
TITLES = {
    "cdsc": "CDSC, Table 2",
    "cdsc-sgml": "CDSC's Reuters tasks, rebuilt from the texts",
    "cdsc-500": "CDSC's newsgroup tasks, 500 documents a class and domain",
    "cdsc-size": "CDSC's comp vs sci with fewer documents to learn from",
    "hybrid": "Hybrid graph, Table 4",
    "hybrid-counts": "Hybrid graph, Table 4, on counts",
    "rsp": "RSP, Tables 3 and 4",
    "rsp-office": "RSP on Office-Caltech10, in place of the images of its Table 4",
    "gcmf": "GCMF, Table 3",
    "tcl": "TCL, Table 2",
    "shift": "The six newsgroup tasks, one class of the target cut to a ninth of the other",
    "amazon": "Amazon reviews: praise and blame across kinds of goods",
    "amazon-uneven": "Amazon reviews, one class of the target cut to a quarter",
    "reuters": "Reuters, in both directions",
    "four": "Four classes of newsgroups",
}
NO_TRANSFER = ("Din-CV", "Dout-CV")  # columns of CDSC's table that look at labels of the domain they are tested on
COUNTED = ("cdsc-500", "hybrid-counts")  # counts, which only the hybrid graph weighs itself
CLUSTERS = ("rsp", "rsp-office")  # tables of other classes: only RSP answers there


def published(table: str) -> list[paper.Table]:
    """The printed tables with accuracies of that name."""
    return [printed for printed in paper.TABLES if printed.name == table and printed.measure != "divergence"]


def default_methods(table: str) -> list[str]:
    """The paper's rivals that we have, in its order, then the five papers' methods and two simple ones."""
    if table in CLUSTERS:
        return ["RSP(risk=0)", "RSP(risk=1)", "RSP"]
    if table in COUNTED:
        return ["HybridLabelPropagation", "HybridSimilarityPropagation"]
    rivals = [OURS[column] for printed in published(table) for column in printed.columns]
    return list(dict.fromkeys(method for method in (*rivals, *OWN, *BESIDE) if method))


def tabulate(table: str, tasks: Sequence[str], methods: Sequence[str], found: Iterable[Record]) -> dict[str, Any]:
    """The table of these tasks and methods from their records; tasks without their corpus are in it and say so."""
    by_cell: dict[tuple[str, str], list[Record]] = {}
    for record in found:
        by_cell.setdefault((record["task"], record["method"]), []).append(record)
    rows: list[dict[str, Any]] = [
        {
            "task": task.partition("/")[2],
            "missing": missing(task),
            "protocol": next((r["protocol"] for m in methods for r in by_cell.get((task, m), ())), None),
            "cells": [_cell(by_cell.get((task, method), []), task, method) for method in methods],
        }
        for task in tasks
    ]
    return {
        "table": table,
        "title": TITLES[table],
        "sources": [printed.citation for printed in published(table)],
        "measure": TASKS[tasks[0]].scored,
        "methods": [{"method": method, "published_as": _column(table, method)} for method in methods],
        "rows": rows,
        "means": [_mean([row["cells"][i] for row in rows]) for i in range(len(methods))],
        "best": _best(tasks, methods, rows),
    }


def _column(table: str, method: str) -> str | None:
    """The last of the paper's columns that is this method (CDSC prints its SVM twice)."""
    columns = [c for printed in published(table) for c in printed.columns if OURS[c] == method]
    return columns[-1] if columns else None


def _printed(task: str) -> paper.Table | None:
    """The printed table that has this task."""
    table, _, row = task.partition("/")
    return next((printed for printed in published(table) if row in printed.rows), None)


def _cell(found: Sequence[Record], task: str, method: str) -> dict[str, Any] | None:
    """Mean over the seeds, and what the paper prints; None where nothing was run and nothing is printed."""
    table, _, row = task.partition("/")
    column, printed = _column(table, method) or "", _printed(task)
    printed = printed if printed and column in printed.columns else None
    if not found and printed is None:
        return None
    scores = [record["score"] for record in found]
    ours = float(np.mean(scores)) if scores else None
    theirs = printed.accuracy(row, column) if printed else None
    return {
        "mean": ours,
        "sd": float(np.std(scores)) if len(scores) > 1 else None,
        "n": len(scores),
        "balanced": _mean_of(record["balanced"] for record in found),
        "seconds": _mean_of(record["seconds"] for record in found),
        "paper": theirs,
        "paper_sd": printed.deviation(row, column) if printed else None,
        "difference": None if ours is None or theirs is None else ours - theirs,
    }


def _mean(cells: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
    """Means over the tasks that were run. The paper's is over those of them that it prints, ours beside it as well."""
    ran = [cell for cell in cells if cell and cell["mean"] is not None]
    both = [cell for cell in ran if cell["paper"] is not None]
    return {
        "mean": _mean_of(cell["mean"] for cell in ran),
        "sd": _mean_of(cell["sd"] for cell in ran),
        "n": len(ran),
        "seconds": _mean_of(cell["seconds"] for cell in ran),
        "paper": _mean_of(cell["paper"] for cell in both),
        "difference": _mean_of(cell["difference"] for cell in both),
    }


def _best(tasks: Sequence[str], methods: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each corpus: the best published method, the best of the five papers' methods as we have them, and the best of
    all that were run, by their means over the same tasks."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for task, row in zip(tasks, rows, strict=True):
        printed = _printed(task)
        if printed and not row["missing"]:
            paper_means = {c: printed.accuracy(row["task"], c) for c in printed.columns if c not in NO_TRANSFER}
            every = {m: cell["mean"] for m, cell in zip(methods, row["cells"], strict=True) if cell}
            own = {method: mean for method, mean in every.items() if method.partition("(")[0] in (*OWN, "RSP")}
            sides = {"published": paper_means, "ours": own, "any": every}
            groups.setdefault(TASKS[task].corpus, []).append(sides)
    return [
        {"corpus": corpus, "tasks": len(found), **{side: _top(side, found) for side in found[0]}}
        for corpus, found in groups.items()
    ]


def _top(side: str, found: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    means = {name: float(np.mean([row[side][name] for row in found])) for name in found[0][side]}
    best = max(means, key=means.__getitem__, default=None)
    return None if best is None else {"method": best, "mean": means[best]}


def best_in_words(best: dict[str, Any]) -> str:
    """Are we where the papers are?"""
    tasks = f"{best['tasks']} task" + "s" * (best["tasks"] > 1)
    words = f"{best['corpus']} ({tasks}): best published {_mean_in_words(best['published'])}"
    if best["ours"]:
        difference = 100 * (best["ours"]["mean"] - best["published"]["mean"])
        words += f"; of the five papers' methods here {_mean_in_words(best['ours'])}, "
        words += f"{'at or above' if difference >= 0 else 'below'} it by {abs(difference):.1f}"
    if best["any"] and best["any"] != best["ours"]:
        words += f"; of all methods here {_mean_in_words(best['any'])}"
    return words + "."


def _mean_in_words(top: dict[str, Any]) -> str:
    return f"{top['method']} with {100 * top['mean']:.1f}"


def _mean_of(values: Iterable[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return float(np.mean(given)) if given else None


def tasks_in(table: str, only: Sequence[str] = ()) -> list[str]:
    """The tasks of a table, or those of them that are named, with the table's name or without."""
    known = {name.partition("/")[2]: name for name in tasks_of(table)}
    wanted = [task.partition("/")[2] if task in TASKS else task for task in only]
    unknown = [task for task in wanted if task not in known]
    if unknown:
        raise ValueError(f"there is no task {unknown[0]!r} in the table {table!r}; it has {', '.join(known)}.")
    return [known[task] for task in dict.fromkeys(wanted)] if only else list(known.values())


def run_table(
    table: str,
    folder: Path,
    *,
    methods: str = "",
    tasks: Sequence[str] = (),
    n_seeds: int = 1,
    jobs: int = 1,
    begin: Callable[[int], None] = lambda _: None,
    done: Callable[[Record], None] = lambda _: None,
) -> dict[str, Any]:
    """Run what `folder` has no record of, and write the table there as .csv and .json.

    `begin` is called with the number of cells, `done` with the record of each as it is there.
    """
    wanted, names = tasks_in(table, tasks), contenders.parse(methods) or default_methods(table)
    here = [task for task in wanted if missing(task) is None]
    if not here:
        TASKS[wanted[0]].load()  # says what to put where
    todo = cells(here, names, n_seeds)
    begin(len(todo))
    result = tabulate(table, wanted, names, run(todo, folder / f"{table}.jsonl", jobs=jobs, done=done))
    write_text(folder / f"{table}.json", as_json(result))
    write_text(folder / f"{table}.csv", table_csv(result))
    return result


def catalogue() -> list[dict[str, Any]]:
    """The tables, one dict each: tasks, corpora, and how many of the tasks have their data here."""
    return [
        {
            "table": table,
            "title": title,
            "tasks": [task.partition("/")[2] for task in tasks_of(table)],
            "corpora": ", ".join(dict.fromkeys(TASKS[task].corpus for task in tasks_of(table))),
            "here": len(tasks_here(table)),
        }
        for table, title in TITLES.items()
    ]
