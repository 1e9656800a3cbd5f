"""Tables with difficult cells through all of `labelferry label`: every row comes back, or one line says why not."""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from labelferry import load_demo
from labelferry.tables import read_table

from .choices import JSON_VALUES, Choices
from .rules import FINE, require, run_command

INPUTS = (".csv", ".tsv", ".jsonl", ".json")
OUTPUTS = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".csv.gz")
METHODS = ("sourcelr", "emnaivebayes", "sourcenb", "tcl(n_topics=3, max_iter=3)")
COLUMNS = ("id", "label", "confidence", "evidence", "reason", "n", "text ", "TEXT", "domain", "\x1b[2J", "=1")
N_DOCUMENTS = 12


class TableCase(NamedTuple):
    """Cells that replace those of good files: (row, column) to value; and further columns of the new documents."""

    source: str
    target: str
    out: str
    method: str = "sourcelr"
    source_cells: tuple[tuple[int, str, Any], ...] = ()
    target_cells: tuple[tuple[int, str, Any], ...] = ()
    options: tuple[str, ...] = ("--text", "text", "--label", "label")
    report: bool = False


def decode(choices: Choices) -> TableCase:
    """A few cells, labels or texts are replaced."""

    def value() -> Any:
        return choices.text() if choices.flag() else choices.pick(JSON_VALUES)

    source, target, out = choices.pick(INPUTS), choices.pick(INPUTS), choices.pick(OUTPUTS)
    method = choices.pick(METHODS)
    options: list[str] = ["--text", "text", "--label", "label"] if not choices.flag(4) else []
    options += choices.some(["--skip-bad", "--merge-labels", "--use-target-labels", "--json", "-q", "--strict"], 2)
    repeated = 1 + choices.below(N_DOCUMENTS)
    in_source = [
        (choices.below(N_DOCUMENTS), choices.pick(("text", "label", "id")), value()) for _ in range(choices.below(5))
    ]
    if choices.flag(4):  # one label, renamed everywhere
        name = value()
        in_source += [(i, "label", name) for i in range(0, N_DOCUMENTS, repeated)]
    in_target = [
        (choices.below(N_DOCUMENTS), choices.pick(("text", *COLUMNS)), value()) for _ in range(choices.below(5))
    ]
    return TableCase(source, target, out, method, tuple(in_source), tuple(in_target), tuple(options), choices.flag(4))


def check(case: TableCase, folder: Path) -> str:
    """Label the files and count the rows."""
    source, target = folder / f"old{case.source}", folder / f"new{case.target}"
    out, page = folder / f"out{case.out}", folder / "page.html"
    source.write_bytes(written(with_cells(good("source"), case.source_cells), case.source))
    target.write_bytes(written(with_cells(good("target"), case.target_cells), case.target))
    report = ["--report", page] if case.report else []
    arguments = ["label", source, target, "-o", out, "--method", case.method, *case.options, *report]
    outcome = run_command(arguments, folder, [out, page])
    if outcome == FINE:
        skipped = read_table(target, skip_bad=True)
        n_rows = len(skipped)
        require(n_rows + len(skipped.bad) >= N_DOCUMENTS, f"{n_rows} rows of {N_DOCUMENTS} were read")
        require(len(read_table(out, limit=10**8)) == n_rows, "the output has fewer or more rows than the input")
        require(not case.report or page.stat().st_size > 1000, "there is no report")
    return outcome


@cache
def good(which: str) -> dict[str, list[Any]]:
    """Columns of good documents."""
    demo = load_demo()
    if which == "source":
        rows = [i for c in sorted(set(demo.y_source)) for i in (demo.y_source == c).nonzero()[0][: N_DOCUMENTS // 3]]
        return {"text": [demo.texts_source[i] for i in rows], "label": [str(demo.y_source[i]) for i in rows]}
    return {"text": demo.texts_target[:N_DOCUMENTS]}


def with_cells(columns: dict[str, list[Any]], cells: tuple[tuple[int, str, Any], ...]) -> dict[str, list[Any]]:
    """The columns with other cells; new columns are empty elsewhere."""
    columns = {name: list(values) for name, values in columns.items()}
    for row, name, value in cells:
        columns.setdefault(name, [None] * N_DOCUMENTS)[row] = value
    return columns


def written(columns: dict[str, list[Any]], suffix: str) -> bytes:
    """The table in a format, by the standard library."""
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if suffix == ".jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    if suffix == ".json":
        return json.dumps(rows).encode()
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t" if suffix == ".tsv" else ",")
    writer.writerow(columns)
    writer.writerows([["" if v is None else v for v in row.values()] for row in rows])
    return text.getvalue().encode("utf-8", "surrogatepass")


def seeds() -> list[bytes]:
    """Some decisions of every kind."""
    return [
        bytes([i, j, k, 0, 0, 0, 1, 2, i, 1, 1, k])
        for i, j, k in ((0, 0, 0), (1, 2, 4), (2, 1, 5), (3, 3, 2), (0, 2, 3), (2, 0, 6))
    ]


PAST = {
    "escape sequences in a label": TableCase(
        ".csv", ".csv", ".csv", source_cells=tuple((i, "label", "\x1b]0;t\x07") for i in range(4))
    ),
    "an infinite number beside the texts": TableCase(
        ".jsonl", ".jsonl", ".jsonl", target_cells=((0, "n", float("inf")), (1, "n", float("nan")))
    ),
    "labels of 70 bits": TableCase(".jsonl", ".csv", ".csv", source_cells=tuple((i, "label", 2**70) for i in range(4))),
    "70 bits to Parquet": TableCase(".csv", ".jsonl", ".parquet", target_cells=((0, "n", 2**70),)),
    "half a character to CSV": TableCase(".csv", ".jsonl", ".csv", target_cells=((0, "n", "\ud800"),)),
    "a very long word": TableCase(".csv", ".csv", ".csv", target_cells=((0, "text", "a" * 100_000),)),
}
