"""The JavaScript library that draws the charts of a page: Vega, Vega-Lite and Vega-Embed as one script.

`hatch_build.py` writes the script to `PATH` when the package is built or installed, so that pages do not need
vl-convert. This module is also run by the build, without the other modules of labelferry.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

PATH = Path(__file__).parent / "templates" / "vega.js"


@cache
def chart_library() -> str:
    """Read the script, or make it if the file is missing and vl-convert is installed."""
    if PATH.exists():
        return PATH.read_text(encoding="utf-8")
    try:
        return make_chart_library()
    except ImportError:
        raise FileNotFoundError(
            f"{PATH} is missing, and pages with charts need it. Make it with `pip install -e .` in the checkout."
        ) from None


def make_chart_library() -> str:
    """Make the script with vl-convert, without network access. It takes a second or two."""
    import altair as alt
    import vl_convert

    version = ".".join(alt.SCHEMA_VERSION.split(".")[:2])
    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    return script
