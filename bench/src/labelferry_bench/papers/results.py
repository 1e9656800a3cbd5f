"""The page of results: all tables and figures as measured, with the protocol of each task."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labelferry import __version__
from labelferry.files import write_text

from .gallery import write_figures
from .kept import PAGE, keep
from .measure_study import study_records
from .run import Begin, Cell, Done, Record, cell_of, ignore
from .sections import markdown_table, section
from .studies import studies
from .table import AS_PUBLISHED, OURS
from .tabulate import recorded_table, run_table, table_records
from .tasks import TABLES

INTRODUCTION = """\
# Results

`labelferry bench results`, version {version}, wrote this page from the
[records](../bench/src/labelferry_bench/papers/records.jsonl.gz) of these runs:
{origin}
The remarks, the findings of the figures, the column *why* and what was chosen on what are written by hand. The command
above a table runs it; with `--no-run` it prints the records. The tests run ten random records of less than a second
again, others every day. [Figures and studies](#figures-and-studies) are below the tables.

{summary}
## How to read the tables

- A number is the mean accuracy in percent; ± is the sample standard deviation over the seeds. The number of the paper
  is in brackets. The seconds are CPU seconds.
- A seed draws the documents of a sampled table and starts the methods that are random. The column *seeds* has their
  number. The ± of a mean over tasks is the mean of their ±; below .05 it is left out.
- *As published* is the form of the paper, as far as it is known; the other row has our defaults. `SourceLR` is run in
  the form of the papers only, `SourceLR(C='cv', class_weight=None, weighting='given')`; its default is stronger.
- The records are made with `OPENBLAS_CORETYPE=Haswell`. With those of SkylakeX 7 of 9,140 differed, by one
  label each.
- The papers do not publish their vocabularies and samples: this may account for a difference of one or two points.
- tf-idf is (1 + log tf) idf. On the tasks of CDSC, TCL and GCMF, and those made from them, the idf is log(N / df), as
  in textbooks. Elsewhere it is labelferry's own, log((1 + N) / (1 + df)) + 1. No paper prints a formula; those of GCMF,
  RSP and the hybrid graph do not mention tf-idf. log(N / df) is that of Salton and Buckley (1988), whom TCL's paper
  cites; GCMF has the same tasks as TCL. Scores were seen before it was chosen: CDSC and TCL gain by it. The table
  `cdsc-text` has both. labelferry keeps its own: `AutoTransfer` has .668 with it and .666 with log(N / df), over 120
  tasks of 19 corpora (`python -m benchmarks.idf`).
- Tests compare our default of the method of a paper with one form of each rival: as published, if the table has that
  row. Some rivals are better in their defaults. p is that of Wilcoxon's signed-rank test over the tasks: a pair is one
  task, the means over its seeds. It is two-sided and adjusted by Holm for the number of rivals. A method that wins all
  tasks has p = .031 (six tasks) or .004 (nine tasks) before the adjustment. So with six tasks no p can be below .05
  after it; with nine tasks the smallest is .004 times the number of rivals.
- The last two columns of the tests are tests within a task, where a pair is one seed: the number of tasks on which the
  method is significantly better or worse (paired t-test, .05, Holm). In the tables of GCMF and TCL all documents are
  used, and a seed is a start: there these columns say nothing about other documents.

## What was chosen on what

No method uses labels of the target. But some *defaults* were chosen by people who knew the labels of some of these
tasks. A default is unbiased only on tasks that are not in its row:

"""
TWO_POINTS = 2.0
SUMMARY = """\
Means over the tasks that were run and that the paper prints. *Here* and the two columns after it are our defaults; the
last columns are the form of the paper.
"""
OWN_METHODS = {
    "cdsc": ("CDSC",),
    "hybrid": ("HybridLabelPropagation", "HybridSimilarityPropagation"),
    "rsp": (OURS,),
    "gcmf": ("GCMF",),
    "tcl": ("TCL",),
}
THREE = "comp vs sci, rec vs talk, sci vs talk"
# The defaults that were chosen with labels known; the docstring of a method has the numbers.
# Method, what was chosen, on which tasks of 20 Newsgroups and other corpora, checked on which others.
CHOSEN_ON = (
    ("CDSC", "k, lambda, tau", "rec vs talk, rec vs sci, comp vs talk of `cdsc`", "the other three, `untuned`"),
    (
        "GCMF",
        "number of iterations",
        f"{THREE}, three Amazon pairs",
        "Reuters: better than 100 on two tasks, level on orgs vs people",
    ),
    (
        "HybridLabelPropagation, HybridSimilarityPropagation",
        "start, reading, weighting, tau",
        "all six of `hybrid`",
        "`cdsc`, `untuned`",
    ),
    ("RSP", 'the rule of `risk="auto"`', "all of `rsp`, `rsp-office`, `hybrid`, `cdsc`, `reuters`", "`untuned`"),
    ("TCL", "`weighting`", "comp vs sci, rec vs talk, orgs vs people of `tcl`", "the other six, `untuned`"),
    ("TCL", "alpha = .7", "all of `tcl`: newsgroups alone choose it, and so does Reuters", "`untuned`, `amazon`"),
    ("TCL", "order of normalization", "all of `tcl`", "none"),
    ("TSVM", "C", f"{THREE}, three Amazon pairs", "the other three"),
    ("LapSVM", "number of neighbors", "all six of `gcmf`", "none"),
    ("MSDA", "p, C", THREE, "the other three"),
    ("KDEWeighting", "dimensions", THREE, "the other three"),
    ("ITCC", "word clusters, starts", THREE, "the other three"),
    ("CoCC", "dimensions, starts", THREE, "the other three"),
    ("NMFClustering", "weighting", THREE, "the other three"),
    ("SpectralClassifier, NormalizedCut, SpectralCoclustering", "tau", "all six of `cdsc`", "none"),
)


def write_results(
    page: Path,
    folder: Path,
    *,
    jobs: int = 1,
    run: bool = True,
    begin: Begin = ignore,
    done: Done = ignore,
) -> None:
    """Run all tables and figures and write the page. Cells that `folder` has a record of are not run again.

    Parameters
    ----------
    page : Path
        The Markdown file to write. The pictures are written to the folder "figures" beside it.
    folder : Path
        Folder of records and results.
    jobs : int, default=1
        Number of parallel processes; -1 uses all cores.
    run : bool, default=True
        If False, no table is run: the page has what the folder or the kept file has records of.
    begin : callable
        Called once per table with the number of cells.
    done : callable
        Called with each record when it is available.
    """
    names = [name for name, table in TABLES.items() if table.on_page]
    if run:
        for name in names:
            run_table(name, folder, jobs=jobs, begin=begin, done=done)
    tables = [recorded_table(name, folder) for name in names]
    page.parent.mkdir(parents=True, exist_ok=True)
    figures = write_figures(page.parent / "figures", folder, run=run, jobs=jobs, begin=begin, done=done)
    records: dict[Cell, Record] = {}  # one per cell: figures and tables share some
    for found in (study_records(name, folder) for name in studies()):
        records |= found
    for found in (table_records(name, folder) for name in names):
        records |= found
    if page.resolve() == PAGE:
        keep(records.values())
    introduction = INTRODUCTION.format(version=__version__, origin=origin(records), summary=summary(tables))
    write_text(page, introduction + chosen_on() + forms(tables) + "".join(map(section, tables)) + figures)


def forms(tables: Sequence[dict[str, Any]]) -> str:
    """The parameters behind the names of rows."""
    named = {m["name"]: m["method"] for table in tables for m in table["methods"] if m["name"] != m["method"]}
    lines = [["row", "method"]]
    for name, method in named.items():
        on_counts = any(TABLES[table["table"]].gets_counts(method) for table in tables)
        lines += [[name, f"`{method}`" + ", on counts" * on_counts]]
    return "\n".join(["\n## Forms of the papers, and ablations\n", markdown_table(lines).replace("---:", "---")])


def origin(records: Mapping[Cell, Record]) -> str:
    """The commits of the records, those of most records first, and how many records are of the present code."""
    counted = Counter(record.get("commit") or "unknown" for record in records.values())
    commits = ", ".join(f"{n:,} at commit {name}" for name, n in counted.most_common())
    same = sum(cell == cell_of(record) for cell, record in records.items())
    if same == len(records):
        return f"{commits}.\nIn all of them the code of the method is that of this page."
    unchanged = f"In {same:,} of the {len(records):,} records the code of the method is that of this page"
    return f"{commits}.\n{unchanged}; in the others a module was edited since."


def summary(tables: Sequence[dict[str, Any]]) -> str:
    """One line per method of a paper: its means, the tasks near print and below it in both forms, and why."""
    lines = [
        [
            *("paper", "method", "in print", "here", "at most two points below print", "more than two below"),
            *("as published", "as published, within two points", "why"),
        ]
    ]
    lines += [_in_short(table, own) for table in tables for own in OWN_METHODS.get(table["table"], ())]
    return "\n".join(["\n## Summary\n", SUMMARY, markdown_table(lines).replace("---:", "---")])


def _in_short(table: dict[str, Any], own: str) -> list[str]:
    """The line of one method in the summary; means over the tasks that the paper prints."""
    names = [method["method"] for method in table["methods"]]

    def cells(method: str) -> list[dict[str, Any]]:
        every = [{"task": row["task"], **(row["cells"][names.index(method)] or {})} for row in table["rows"]]
        return [cell for cell in every if cell.get("difference") is not None]

    here, published = (cells(method) if method in names else [] for method in (own, AS_PUBLISHED[own]))
    published = published if len(published) == len(here) else []  # a mean over other tasks would mislead
    low = [f"{cell['task']} {points:+.1f}" for cell in here if (points := _points(cell)) < -TWO_POINTS]
    near = sum(abs(_points(cell)) <= TWO_POINTS for cell in published)
    return [
        f"[{table['title']}](#{anchor(table['title'])})",
        f"`{own.partition('(')[0]}`",
        _mean(here, "paper"),
        _mean(here, "mean"),
        f"{len(here) - len(low)} of {len(here)}",
        ", ".join(low),
        _mean(published, "mean"),
        f"{near} of {len(published)}" if published else "",
        TABLES[table["table"]].why,
    ]


def _points(cell: dict[str, Any]) -> float:
    """The difference from print in points, as the page shows it."""
    return round(100 * float(cell["difference"]), 1)


def _mean(cells: Sequence[dict[str, Any]], key: str) -> str:
    return f"{100 * np.mean([cell[key] for cell in cells]):.1f}" if cells else ""


def anchor(title: str) -> str:
    """The name of a heading in links."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def chosen_on() -> str:
    """Which defaults were chosen with labels of which tasks known, as a table in Markdown."""
    head = ("method", "default", "chosen with the labels of", "checked on")
    lines = [head, ("---",) * len(head), *((f"`{m}`".replace(", ", "`, `"), *rest) for m, *rest in CHOSEN_ON)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
