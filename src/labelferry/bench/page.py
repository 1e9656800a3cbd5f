"""A table of the bench as one HTML page: no scripts, no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .. import __version__
from ..files import write_text
from ..report.templates import new_environment
from . import best_in_words, in_percent


def write_bench_page(table: dict[str, Any], path: Path) -> None:
    write_text(path, bench_page(table))


def bench_page(table: dict[str, Any]) -> str:
    """The page for a table as `bench.run_table` gives it."""
    best = [best_in_words(found) for found in table["best"]]
    page = new_environment({"in_percent": in_percent}).get_template("bench.html")
    return page.render(table=table, best=best, version=__version__)
