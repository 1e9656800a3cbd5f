"""The methods of a paper, as printed and as we ran them, and the best methods of both, by their means over a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .table import AS_PUBLISHED, PrintedTable, Table
from .tasks import TASKS

Pairs = Sequence[tuple[PrintedTable, dict[str, Any]]]  # printed table and row of our table, per task


def best_per_corpus(
    table: Table, tasks: Sequence[str], methods: Sequence[str], rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Compare like with like: each method of the paper with the same method here, in its default and printed form."""
    by_corpus: dict[str, list[tuple[PrintedTable, dict[str, Any]]]] = {}
    for task, row in zip(tasks, rows, strict=True):
        printed = table.printed_row(row["task"])
        if printed and not row["missing"]:
            by_corpus.setdefault(TASKS[task].corpus, []).append((printed, row))
    result = []
    for corpus, pairs in by_corpus.items():
        printed_means, our_means = _printed_means(pairs), _our_means(methods, pairs)
        own = [
            {
                "column": column,
                "printed": printed_means[column],
                "default": our_means.get(pairs[0][0].column_to_method[column] or ""),
                "as_published": our_means.get(AS_PUBLISHED.get(pairs[0][0].column_to_method[column] or "", "")),
            }
            for column in pairs[0][0].columns[-table.n_own :]
        ]
        here = {table.name_of(method): mean for method, mean in our_means.items()}
        best = {"best_published": _top(printed_means), "best_here": _top(here)}
        result.append({"corpus": corpus, "tasks": len(pairs), "own": own, **best})
    return result


def best_rivals(table: Table, result: dict[str, Any]) -> dict[str, float]:
    """Per task the best mean of the methods that the paper compares its own with, in either form."""
    rivals = {column for printed in table.accuracies for column in printed.columns[: -table.n_own]}
    return {
        row["task"]: max(means)
        for row in result["rows"]
        if (
            means := [
                cell["mean"]
                for method, cell in zip(result["methods"], row["cells"], strict=True)
                if method["published_as"] in rivals and cell and cell["mean"] is not None
            ]
        )
    }


def best_in_words(best: dict[str, Any]) -> str:
    """Write an element of `table["best"]` as text.

    Parameters
    ----------
    best : dict
        An element of `table["best"]` as `run_table` returns it.

    Returns
    -------
    text : str
        The methods of the paper as printed and as we ran them, and the best methods of both.
    """
    words: str = f"{best['corpus']} ({best['tasks']} task" + "s" * (best["tasks"] > 1) + "): "
    words += "; ".join(_own_in_words(own) for own in best["own"])
    if best["best_published"]["method"] not in {own["column"] for own in best["own"]}:
        words += f". Best published: {_mean_in_words(best['best_published'])}"
    if best["best_here"]:
        words += f". Best of all methods here: {_mean_in_words(best['best_here'])}"
    return words + "."


def _own_in_words(own: dict[str, Any]) -> str:
    forms = [("here", own["default"]), ("in the form of the paper", own["as_published"])]
    ours = [
        f"{form} {100 * mean:.1f} ({100 * (mean - own['printed']):+.1f})" for form, mean in forms if mean is not None
    ]
    return ", ".join([f"{own['column']} in print {100 * own['printed']:.1f}", *ours])


def _printed_means(pairs: Pairs) -> dict[str, float]:
    first = pairs[0][0]
    transfer = [column for column in first.columns if column not in first.no_transfer]
    return {
        column: float(np.mean([printed.accuracy(row["task"], column) for printed, row in pairs])) for column in transfer
    }


def _our_means(methods: Sequence[str], pairs: Pairs) -> dict[str, float]:
    """Means of the methods that ran on all these tasks."""
    means = {}
    for i, method in enumerate(methods):
        cells = [row["cells"][i] for _, row in pairs]
        scores = [cell["mean"] for cell in cells if cell and cell["mean"] is not None]
        if len(scores) == len(pairs):
            means[method] = float(np.mean(scores))
    return means


def _top(means: dict[str, float]) -> dict[str, Any] | None:
    best = max(means, key=means.__getitem__, default=None)
    return None if best is None else {"method": best, "mean": means[best]}


def _mean_in_words(top: dict[str, Any]) -> str:
    return f"{top['method']} with {100 * top['mean']:.1f}"
