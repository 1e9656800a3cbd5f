"""One table of the page of results as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .best import best_in_words
from .tasks import TABLES

# No copy of their papers, or a paper that leaves much open
MANNER = {name: f"in the manner of {name}" for name in ("DKT", "DTL")} | {"KDEWeighting": "in the manner of KDE"}


def section(table: dict[str, Any]) -> str:
    """Write one table as Markdown."""
    rows = [row for row in table["rows"] if any(cell and cell["mean"] is not None for cell in row["cells"])]
    not_run = [row["task"] for row in table["rows"] if row not in rows and not row["missing"]]
    parts = [
        f"\n## {table['title']}\n",
        f"`labelferry bench table {table['table']}`\n",
        *(f"{source}.\n" for source in table["sources"]),
    ]
    if rows:
        parts += [markdown_table(_longer_side_down(list(_grid(table, rows))))]
    parts += [f"{row['task']}: **missing**, needs `{row['missing']}`.\n" for row in table["rows"] if row["missing"]]
    if not_run:
        parts += [f"Not run for this page: {', '.join(not_run)}.\n"]
    parts += [f"- {best_in_words(best)}\n" for best in table["best"]]
    if table["divergences"]:
        parts += [markdown_table(_beside(table["divergences"], 2))]
    if table["within"]:
        parts += [WITHIN, markdown_table(_beside(table["within"], 3))]
    if table["tests"]:
        own = dict.fromkeys(test["tested"] for test in table["tests"])
        tests = "\n".join(markdown_table(_tests(table, tested)) for tested in own)
        parts += [_friedman_in_words(table), *_folded("Tests", tests)]
    parts += list(_repeated(rows))
    parts += [f"{remark}\n" for remark in TABLES[table["table"]].remarks]
    if rows:
        parts += _folded("Protocol", "\n".join(_protocols(rows)) + "\n")
    return "\n".join(parts)


def _folded(title: str, text: str) -> list[str]:
    return [f"<details><summary>{title}</summary>\n", text, "</details>\n"]


WITHIN = (
    'The "verification of the data sets" of the paper: error rates of a linear SVM, from source to target and in '
    "ten-fold cross-validation within one domain.\n"
)


def markdown_table(lines: Iterable[Sequence[str]]) -> str:
    """Write the lines of a table; the first line is its head, the first column is aligned to the left."""
    head, *body = lines
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body)) + "\n"


def _longer_side_down(grid: list[Sequence[str]]) -> list[Sequence[str]]:
    """The grid, or columns as lines if there are far more columns."""
    return [list(column) for column in zip(*grid, strict=True)] if len(grid[0]) > 2 * len(grid) else grid


def _grid(table: dict[str, Any], rows: Sequence[dict[str, Any]]) -> Iterator[Sequence[str]]:
    """One line per method, one column per task or, in a grouped table, per group of tasks."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        name = row["task"].partition(": ")[0] if TABLES[table["table"]].grouped else row["task"]
        groups.setdefault(name, []).append(row)
    yield ["", *groups, "mean", "seeds", "CPU seconds"]
    for i, (method, mean) in enumerate(zip(table["methods"], table["means"], strict=True)):
        cells = [_mean_cell([row["cells"][i] for row in group]) for group in groups.values()]
        if not any(cell and cell["mean"] is not None for cell in cells):
            yield [_name(method["name"]), *("" for _ in cells), "not run", "0", ""]
            continue
        seeds = {row["cells"][i]["n"] for row in rows if row["cells"][i] and row["cells"][i]["n"]}
        seconds = "" if mean["seconds"] is None else f"{mean['seconds']:.1f}"
        counts = "-".join(dict.fromkeys(f"{n}" for n in (min(seeds), max(seeds))))
        over_all = f"**{_number(mean)}**" if mean["n"] == len(rows) else f"{mean['n']} of {len(rows)} tasks"
        yield [_name(method["name"]), *map(_number, cells), over_all, counts, seconds]


def _mean_cell(cells: Sequence[dict[str, Any] | None]) -> dict[str, Any] | None:
    """The cell itself, or the mean over the tasks of a group that were run."""
    if len(cells) == 1:
        return cells[0]
    means = [cell["mean"] for cell in cells if cell and cell["mean"] is not None]
    return {"mean": float(np.mean(means)), "sd": None, "paper": None} if means else None


def _name(name: str) -> str:
    """A name of a method as code: `RSP`, as published."""
    method, comma, form = name.partition(", as published")
    return MANNER.get(method, f"`{method}`") + comma + form


def _beside(rows: Sequence[dict[str, Any]], digits: int) -> Iterator[Sequence[str]]:
    """One line per task, one column per number; the number of the paper is in brackets."""
    columns = list(dict.fromkeys(row["column"] for row in rows))
    yield ["", *columns]
    for task in dict.fromkeys(row["task"] for row in rows):
        cells = {
            row["column"]: f"{row['mean']:.{digits}f} ({row['paper']:.{digits}f})"
            for row in rows
            if row["task"] == task
        }
        yield [task, *(cells.get(column, "") for column in columns)]


def _friedman_in_words(table: dict[str, Any]) -> str:
    if (friedman := table["friedman"]) is None:
        return ""
    ranks = sorted(friedman["ranks"].items(), key=lambda item: item[1])
    names = {method["method"]: method["name"] for method in table["methods"]}
    best = ", ".join(f"{names[method]} {rank:.1f}" for method, rank in ranks[:5])
    p = f"p = {friedman['p']:.1g}"
    return f"Friedman's test of the methods of the paper and their rivals: {p}; the best mean ranks: {best}.\n"


def _tests(table: dict[str, Any], tested: str) -> Iterator[Sequence[str]]:
    names = {method["method"]: method["name"] for method in table["methods"]}
    yield [f"{names[tested]} against", "mean difference", "tasks won", "tied", "lost", "p", "draws: better", "worse"]
    for test in (test for test in table["tests"] if test["tested"] == tested):
        p = "" if test["p"] is None else f"{test['p_holm']:.3f}"
        counts = [str(test[key]) for key in ("won", "tied", "lost")]
        draws = test["draws"]
        within = [f"{draws[key]} of {draws['tasks']}" if draws["tasks"] else "" for key in ("better", "worse")]
        yield [_name(names[test["method"]]), f"{100 * test['difference']:+.1f}", *counts, p, *within]


def _repeated(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """How many target rows were dropped because the source has them too."""
    for row in rows:
        protocol = row["protocol"] or {}
        if "n_also_in_source" in protocol:
            yield (
                f"{row['task']}: of {protocol['n_target']:,} target rows {protocol['n_also_in_source']} are also rows "
                f"of the source, {protocol['n_with_other_label']} of them with another label. They are dropped here.\n"
            )


def _number(cell: dict[str, Any] | None) -> str:
    if cell is None or cell["mean"] is None:
        return ""
    sd = "" if cell["sd"] is None or 100 * cell["sd"] < 0.05 else f"±{100 * cell['sd']:.1f}"
    paper = "" if cell["paper"] is None else f" ({100 * cell['paper']:.1f})"
    return f"{100 * cell['mean']:.1f}{sd}{paper}"


def _protocols(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """One line per corpus and preprocessing, with the sizes of its tasks."""
    tasks: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if protocol := row["protocol"]:
            sides = (f"{side} {_sizes(protocol[side])}" for side in ("source", "target"))
            size = f"{row['task']} ({protocol['n_words']:,} words; {'; '.join(sides)})"
            tasks.setdefault((protocol["corpus"], protocol["preprocessing"]), []).append(size)
    for (corpus, preprocessing), sizes in tasks.items():
        yield f"- {corpus}: {preprocessing}. {', '.join(sizes)}."


def _sizes(classes: dict[str, int]) -> str:
    return ", ".join(f"{label} {n:,}" for label, n in classes.items())
