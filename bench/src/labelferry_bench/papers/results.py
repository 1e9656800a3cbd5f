"""The page of results: all tables and figures as measured, with the protocol of each task."""

from __future__ import annotations

from pathlib import Path

from labelferry import __version__
from labelferry.files import write_text

from .gallery import write_figures
from .run import Begin, Done, ignore
from .sections import section
from .tabulate import recorded_table, run_table
from .tasks import TABLES

INTRODUCTION = f"""\
# Results

Written by `labelferry bench results`, version {__version__}, from the records of its runs; only the remarks are written
by hand. A number is the mean accuracy in percent over the seeds; ± is the standard deviation over the seeds. The column
*seeds* has their number; it is 1 if neither the task nor the method is random. A seed draws the documents of a sampled
table and starts the methods that are random. The number of the paper is in brackets. If the default of a method differs
from its paper, there are two rows: *as published* is the form of the paper, as far as it is known. The vocabularies and
samples of the papers are not published: the protocol may account for a difference of one or two points. Each table ends
with our protocol. The papers report ten runs (GCMF, TCL) and twenty (hybrid graph); where the column *seeds* has a
smaller number, there was no time for more. The seconds were measured on a machine with other work, and are good for
comparisons within a table only. [Figures and studies](#figures-and-studies) are below the tables.

No method uses labels of the target. But some *defaults* were chosen by people who knew the labels of some of these
tasks. A default is unbiased only on tasks that are not in its row:

"""
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
        "`cdsc-500`",
    ),
    ("RSP", 'the rule of `risk="auto"`', "all of `rsp`, `rsp-office`, `hybrid`, `cdsc`, `reuters`", "none"),
    ("TCL", "`weighting`", "comp vs sci, rec vs talk, orgs vs people of `tcl`", "the other six, four Amazon pairs"),
    ("TCL", "alpha = .9, order of normalization", "all of `tcl`", "none"),
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
    n_seeds: int | None = None,
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
    n_seeds : int, default=None
        Largest number of seeds per table; None for the number of each table.
    jobs : int, default=1
        Number of parallel processes; -1 uses all cores.
    run : bool, default=True
        If False, no table is run: the page has what the folder has records of, made by the present code.
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
        tables = [table for name in TABLES if (table := recorded_table(name, folder))]
    absent = [name for name in TABLES if name not in {table["table"] for table in tables}]
    not_run = f"\nNot run for this page: {', '.join(absent)} (`labelferry bench table NAME`).\n" if absent else ""
    page.parent.mkdir(parents=True, exist_ok=True)
    figures = write_figures(page.parent / "figures", folder, run=run, jobs=jobs, begin=begin, done=done)
    write_text(page, INTRODUCTION + chosen_on() + not_run + "".join(map(section, tables)) + figures)


def chosen_on() -> str:
    """Which defaults were chosen with labels of which tasks known, as a table in Markdown."""
    head = ("method", "default", "chosen with the labels of", "checked on")
    lines = [head, ("---",) * len(head), *((f"`{m}`".replace(", ", "`, `"), *rest) for m, *rest in CHOSEN_ON)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
