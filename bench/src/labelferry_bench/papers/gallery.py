"""The figures of the papers for the page of results: pictures in a folder beside the page, and the text about them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labelferry.files import atomic_write

from .figures import PICTURES
from .measure_study import measure_study, recorded_study
from .plots import plot_curves
from .run import Begin, Done, ignore
from .sections import markdown_table
from .studies import studies

DPI = 90
TABLES_OF_WORDS = ("tcl-t3",)  # shown as text, not as a picture
ORDER = ("cdsc", "hybrid", "rsp", "gcmf", "tcl")


def write_figures(
    folder: Path, records: Path, *, run: bool = True, jobs: int = 1, begin: Begin = ignore, done: Done = ignore
) -> str:
    """Draw all figures and return the section of the page about them."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = ["\n## Figures and studies\n", INTRODUCTION]
    for name in sorted([*PICTURES, *studies()], key=lambda name: (ORDER.index(name.partition("-")[0]), name)):
        if name in PICTURES:
            parts += _picture(name, folder)
        else:
            if run:
                measure_study(name, records, jobs=jobs, begin=begin, done=done)
            parts += _study(name, folder, recorded_study(name, records))
    return "\n".join(parts)


INTRODUCTION = """\
A figure of a paper is a curve or a picture without printed numbers, so it is compared by its form. Each command
`labelferry bench figure NAME` draws one and writes its numbers as CSV. Each has one draw or start (seed 0).
"""


def _picture(name: str, folder: Path) -> Iterator[str]:
    """Draw a picture of a single fit, or write it as a table of words."""
    drawn = PICTURES[name]
    figure, numbers = drawn.draw(0)
    yield f"### {drawn.source}\n\n`labelferry bench figure {name}`\n"
    if name in TABLES_OF_WORDS:
        yield markdown_table(numbers.tolist()).replace("---:", "---")
    else:
        with atomic_write(folder / f"{name}.png") as draft:
            figure.savefig(draft, format="png", dpi=DPI, bbox_inches="tight")
        yield f"![{drawn.source}](figures/{name}.png)\n"
    yield f"{drawn.finding}\n"


def _study(name: str, folder: Path, result: dict[str, Any] | None) -> Iterator[str]:
    study = studies()[name]
    yield f"### {study.source}: {study.title}\n\n`labelferry bench figure {name}`\n"
    if result is None:
        yield "Not run for this page.\n"
        return
    from matplotlib import rc_context

    with atomic_write(folder / f"{name}.svg") as draft, rc_context({"svg.hashsalt": name}):  # the same file each time
        plot_curves(result).savefig(draft, format="svg", bbox_inches="tight", metadata={"Date": None})
    yield f"![{study.source}, {study.title}](figures/{name}.svg)\n"
    shown = {curve["label"] for curve in result["curves"]}
    if left_out := [curve.label for curve in study.curves if curve.label not in shown]:
        yield f"Not run for this page: {', '.join(left_out)}.\n"
    yield f"{study.finding}\n"
