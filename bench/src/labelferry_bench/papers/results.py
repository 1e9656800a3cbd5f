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
Only the remarks are written by hand. The command above a table runs it; with `--no-run` it prints the records. The
tests run ten random records again, others every day. [Figures and studies](#figures-and-studies) are below the tables.

{summary}
## How to read the tables

- A number is the mean accuracy in percent; ± is the sample standard deviation over the seeds. The number of the paper
  is in brackets. The seconds are CPU seconds.
- A seed draws the documents of a sampled table and starts the methods that are random. The column *seeds* has their
  number. Where a range is printed, rows without any randomness have fewer.
- *As published* is the form of the paper, as far as it is known; the other row has our defaults. Of `SourceLR` there is
  only the form of the papers, `SourceLR(C='cv', class_weight=None, weighting='given')`; its default is stronger.
- The papers do not publish their vocabularies and samples: this may account for a difference of one or two points.
- tf-idf is (1 + log tf) idf. On the tasks of CDSC, TCL and GCMF the idf is log(N / df), as in textbooks. Elsewhere it
  is labelferry's own, log((1 + N) / (1 + df)) + 1. No paper prints a formula, and those of RSP and of the hybrid graph
  do not mention tf-idf. log(N / df) was tried, beside other weightings, because TCL's paper cites it. Scores were seen
  before it was chosen: CDSC and TCL gain by it, RSP would lose (see its remarks). The table `cdsc-text` has both.
- Tests compare the method of a paper with each rival. p is that of Wilcoxon's signed-rank test over the tasks: a pair
  is one task, the means over its seeds. It is two-sided and adjusted by Holm for the number of rivals. A method that
  wins all tasks has p = .031 (six tasks) or .004 (nine tasks) before the adjustment; so after it no p here can be below
  .05. The last two columns are tests within a task, where a pair is one seed: the number of tasks on which the method
  is significantly better or worse (paired t-test, .05, Holm).

## What was chosen on what

No method uses labels of the target. But some *defaults* were chosen by people who knew the labels of some of these
tasks. A default is unbiased only on tasks that are not in its row:

"""
TWO_POINTS = 0.02
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
    ("CDSC", "k, lambda, tau", "rec vs talk, rec vs sci, comp vs talk of `cdsc`", "the other three"),
    ("GCMF", "number of iterations", f"{THREE}, three Amazon pairs", "Reuters: not confirmed on orgs vs people"),
    (
        "HybridLabelPropagation, HybridSimilarityPropagation",
        "start, reading, weighting, tau",
        "all six of `hybrid`",
        "`cdsc`, `untuned`",
    ),
    ("RSP", 'the rule of `risk="auto"`', "all of `rsp`, `rsp-office`, `hybrid`, `cdsc`, `reuters`", "none"),
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
    unchanged = f"In {same:,} of the {len(records):,} records the code of the method is that of this page"
    return f"{commits}.\n{unchanged}; in the others a module was edited since."


def summary(tables: Sequence[dict[str, Any]]) -> str:
    """One line per method of a paper: in print and here, the tasks within two points, and why others are not."""
    lines = [["paper", "method", "in print", "here", "as published", "within two points", "below", "why"]]
    lines += [_in_short(table, own) for table in tables for own in OWN_METHODS.get(table["table"], ())]
    return "\n".join(["\n## Summary\n", markdown_table(lines).replace("---:", "---")])


def _in_short(table: dict[str, Any], own: str) -> list[str]:
    """The line of one method in the summary; means over the tasks that the paper prints."""
    names = [method["method"] for method in table["methods"]]

    def cells(method: str) -> list[tuple[str, dict[str, Any]]]:
        every = [(row["task"], row["cells"][names.index(method)]) for row in table["rows"] if method in names]
        return [(task, c) for task, c in every if c and c["mean"] is not None and c["paper"] is not None]

    here, published = cells(own), cells(AS_PUBLISHED[own])
    published = published if len(published) == len(here) else []  # a mean over other tasks would mislead
    low = [f"{task} {100 * c['difference']:+.1f}" for task, c in here if c["difference"] < -TWO_POINTS]
    means = [[c["paper"] for _, c in here], [c["mean"] for _, c in here], [c["mean"] for _, c in published]]
    return [
        f"[{table['title']}](#{anchor(table['title'])})",
        f"`{own.partition('(')[0]}`",
        *(f"{100 * np.mean(values):.1f}" if values else "" for values in means),
        f"{len(here) - len(low)} of {len(here)}",
        ", ".join(low),
        TABLES[table["table"]].why,
    ]


def anchor(title: str) -> str:
    """The name of a heading in links."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def chosen_on() -> str:
    """Which defaults were chosen with labels of which tasks known, as a table in Markdown."""
    head = ("method", "default", "chosen with the labels of", "checked on")
    lines = [head, ("---",) * len(head), *((f"`{m}`".replace(", ", "`, `"), *rest) for m, *rest in CHOSEN_ON)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
