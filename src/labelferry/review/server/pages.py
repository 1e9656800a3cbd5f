"""Templates to responses. All values are escaped; styles and scripts are files of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from math import ceil, floor
from typing import Any

from jinja2 import Environment
from starlette.responses import Response

from ...certificate.interval import percent as certificate_percent
from ...report.highlight import clip, pieces
from ...report.templates import new_environment

N_COLORS = 8  # classes with a color of their own in base.css
NO_VALUE = "\N{EN DASH}"
# Files that a browser may load: (package, path, media type). The colors are those of the report page.
STATIC = {
    "base.css": ("labelferry.report", "templates/base.css", "text/css"),
    "review.css": ("labelferry.review.server", "static/review.css", "text/css"),
    "review.js": ("labelferry.review.server", "static/review.js", "text/javascript"),
    "icon.svg": ("labelferry.review.server", "static/icon.svg", "image/svg+xml"),
}


def page(template: str, status: int = 200, **values: Any) -> Response:
    """Render a template as a response. Half surrogate pairs, which UTF-8 cannot contain, become question marks."""
    text = environment().get_template(template).render(**values)
    return Response(text.encode("utf-8", "replace"), status, media_type="text/html; charset=utf-8")


@cache
def environment() -> Environment:
    """The jinja environment, made once."""
    own = (percent, at_least, at_most, count, clip, clock, pieces, color, confidence, seconds)
    return new_environment({filter_.__name__: filter_ for filter_ in own}, package="labelferry.review.server")


@cache
def static_file(name: str) -> tuple[bytes, str]:
    """Content and media type of a file in STATIC; raises KeyError for other names."""
    package, path, media_type = STATIC[name]
    return resources.files(package).joinpath(path).read_bytes(), media_type


def percent(value: float | None, digits: int = 0) -> str:
    """0.93 as 93%; a dash if there is no value."""
    return NO_VALUE if value is None else f"{100 * value:.{digits}f}%"


def confidence(value: float) -> str:
    """The confidence of a label. It is never certain."""
    return ">99%" if value >= 0.995 else percent(value)


def at_least(value: float) -> str:
    """The lower end of an interval in percent, rounded down."""
    return certificate_percent(value, floor)


def at_most(value: float) -> str:
    """The upper end of an interval in percent, rounded up."""
    return certificate_percent(value, ceil)


def count(value: int | None) -> str:
    """12345 as 12,345."""
    return NO_VALUE if value is None else f"{value:,}"


def color(label: str | None, classes: Sequence[str]) -> str:
    """Name of the color of a class: class-1 to class-8, then class-other."""
    code = classes.index(label) if label in classes else N_COLORS
    return f"class-{code + 1}" if code < N_COLORS else "class-other"


def seconds(value: float) -> str:
    """A time in words: 7 s, 4 min, 2.5 h."""
    if value < 90:
        return f"{max(value, 1):.0f} s"
    return f"{value / 60:.0f} min" if value < 5400 else f"{value / 3600:.1f} h"


def clock(time: Any) -> str:
    """A time as 2026-11-16 14:05."""
    return str(time)[:16].replace("T", " ")
