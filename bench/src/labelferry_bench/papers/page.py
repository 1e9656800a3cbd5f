"""A table of the bench as one HTML page, without scripts and without network access."""

from __future__ import annotations

from typing import Any

from labelferry import __version__
from labelferry.report.templates import new_environment

from .best import best_in_words
from .output import in_percent


def bench_page(table: dict[str, Any]) -> str:
    """Render the page of a table as `bench.run_table` returns it."""
    environment = new_environment({"in_percent": in_percent}, package="labelferry_bench.papers")
    template = environment.get_template("bench.html")
    return template.render(table=table, best=[best_in_words(best) for best in table["best"]], version=__version__)
