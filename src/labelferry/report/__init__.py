"""Results as plain dicts, ready to be printed, templated or written as JSON; and pictures of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Looked up on first use: the demo needs no bench, and the bench no pictures.
_HOME = {
    "run_demo": "demo",
    "plot_projection": "plots",
    "plot_similarity": "plots",
    "draw_figure": "figures",
    "figure_names": "figures",
    "write_bench_page": "bench_page",
    "render_page": "page",
    "write_page": "page",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
