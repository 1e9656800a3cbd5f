"""The JavaScript library that draws the charts of a page: Vega, Vega-Lite and Vega-Embed as one script.

Released wheels contain the script: `make dist` writes it to `PATH`. A source install makes it with vl-convert when a
page is rendered; without vl-convert its pages have no charts.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

PATH = Path(__file__).parent / "templates" / "vega.js"
NO_CHARTS = (
    "This page has no charts, because labelferry was installed from source without vl-convert-python: "
    "`pip install vl-convert-python` adds them to the next page."
)


@cache
def chart_library() -> str | None:
    """Read the script, or make it; None if the file and vl-convert are missing."""
    if PATH.exists():
        return PATH.read_text(encoding="utf-8")
    try:
        return make_chart_library()
    except ModuleNotFoundError as missing:
        if missing.name != "vl_convert":
            raise
        return None


def make_chart_library() -> str:
    """Make the script with vl-convert, without network access. It takes two or three seconds."""
    import altair as alt
    import vl_convert

    version = ".".join(alt.SCHEMA_VERSION.split(".")[:2])
    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    return script


if __name__ == "__main__":  # the build of a release
    PATH.write_text(make_chart_library(), encoding="utf-8", newline="\n")
