"""A report as one HTML page that needs no network, no server and no other file; and a short form for notebooks.

Texts of documents, names of classes and words are untrusted. The template escapes them all; inside JSON no character is
left that could end a script. The content policy of the page allows only the scripts whose hashes it contains, no eval,
no loading and no sending. Vega's expressions are interpreted rather than compiled.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from math import ceil, floor, isfinite
from typing import Any

from jinja2 import ChainableUndefined, Environment
from markupsafe import Markup

from ..certificate.interval import percent
from .charts import class_legend, domain_legend, make_charts, with_coordinates
from .highlight import clip
from .templates import new_environment
from .vega import NO_CHARTS, chart_library

# Titles of the levels of a verdict. The keys are those of `labelferry.assessment.verdict.LEVELS`.
LEVELS = {"safe": "Safe", "doubtful": "Doubtful", "unsafe": "Unsafe"}  # as on the terminal
MAX_DOCUMENTS = 400  # in the list; the file of labels contains them all
MAX_TEXT = 20_000  # characters of a text
PREVIEW = 200  # characters of a text before it is unfolded
NO_VALUE = "\N{EN DASH}"


def render_page(report: dict[str, Any]) -> str:
    """Render the page of a report. Sections whose key is missing or empty are omitted.

    Parameters
    ----------
    report : dict
        Plain JSON values, as `Labelling.summary` returns them.

    Returns
    -------
    page : str
        HTML.

    Examples
    --------
    >>> page = render_page({"title": "Labels for <new>", "verdict": {"level": "safe", "sentence": "All is well."}})
    >>> "Labels for &lt;new&gt;" in page and "Safe" in page
    True
    """
    check_report(report)
    report = _bounded(report)
    charts = make_charts(report)
    library = chart_library() if charts else None
    no_charts = NO_CHARTS if charts and library is None else None
    charts = charts if library else {}
    points = with_coordinates(report.get("projection"))
    contents = _contents(report, charts)
    style = _source("base.css") + _source("page.css")
    scripts = [library] if library else []
    scripts += [_source("page.js")] if contents else []
    scripts += [_source("documents.js")] if (report.get("documents") or {}).get("rows") else []
    allowed = " ".join(_hash(script) for script in scripts) or "'none'"
    page = _environment().get_template("page.html")
    html = page.render(
        report=report,
        charts=charts,
        no_charts=no_charts,
        classes=class_legend(points),
        domains=domain_legend(points),
        totals=(report.get("projection") or {}).get("documents") or {},
        contents=contents,
        level=(report.get("verdict") or {}).get("level"),
        levels=LEVELS,
        max_text=MAX_TEXT,
        preview_length=PREVIEW,
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        policy=f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'",
    )
    return _without_surrogates(html)


def render_card(report: dict[str, Any]) -> str:
    """Render the verdict and the numbers of documents per class as a fragment of HTML, for a notebook cell.

    Parameters
    ----------
    report : dict
        Plain JSON values, as `Labelling.summary` returns them.

    Returns
    -------
    card : str
        HTML without scripts.

    Examples
    --------
    >>> card = render_card({"classes": [{"class": "<refund>", "source": 120, "target": 35}]})
    >>> "&lt;refund&gt;" in card
    True
    """
    check_report(report)
    level = (report.get("verdict") or {}).get("level")
    card = _environment().get_template("card.html").render(report=report, level=level, levels=LEVELS)
    return _without_surrogates(card)


def check_report(report: dict[str, Any]) -> None:
    """Raise ValueError if the report is not plain JSON or its verdict has an unknown level."""
    try:
        json.dumps(report, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise ValueError(
            f"report must contain plain JSON values only: {problem}. Convert numpy numbers with .item() or .tolist() "
            "and replace NaN by None."
        ) from None
    level = (report.get("verdict") or {}).get("level")
    if level is not None and level not in LEVELS:
        raise ValueError(f"report['verdict']['level'] must be one of {', '.join(LEVELS)}; got {level!r}.")


def _bounded(report: dict[str, Any]) -> dict[str, Any]:
    """The report with at most MAX_DOCUMENTS documents, so that the size of a page is bounded."""
    documents = report.get("documents") or {}
    if len(documents.get("rows") or []) <= MAX_DOCUMENTS:
        return report
    return {**report, "documents": {**documents, "rows": documents["rows"][:MAX_DOCUMENTS]}}


def _contents(report: dict[str, Any], charts: dict[str, Any]) -> list[tuple[str, str]]:
    """The id and the name of every section below the verdict that the page has."""
    sections = (
        ("classes", "Classes", report.get("classes")),
        ("none-of-these", "No class", report.get("none_of_these")),
        ("documents", "Documents", (report.get("documents") or {}).get("rows")),
        ("projection", "Map", charts.get("projection")),
        ("confidence", "Confidence", report.get("confidence")),
        ("words", "Words", charts.get("changed_words")),
        ("difference", "Difference", report.get("diagnosis") or report.get("sources")),
        ("comparison", "Methods", report.get("comparison") or report.get("method")),
        ("settings", "Settings", report.get("settings") or report.get("timings") or report.get("messages")),
    )
    return [(id_, name) for id_, name, content in sections if content]


def preview(pieces: list[list[Any]], length: int = PREVIEW) -> list[list[Any]]:
    """The beginning of a text in pieces, with an ellipsis."""
    beginning: list[list[Any]] = []
    for text, is_marked in pieces:
        if len(text) > length:
            cut = text[: max(length, 0)]
            return [*beginning, [(cut.rpartition(" ")[0] or cut).rstrip() + "…", False]]
        beginning.append([text, is_marked])
        length -= len(text)
    return beginning


def _without_surrogates(html: str) -> str:
    """Replace half surrogate pairs, which texts of documents may contain and UTF-8 cannot encode."""
    return html.encode("utf-8", "replace").decode()


@cache
def _environment() -> Environment:
    own = (_count, _percent, _number, _seconds, _plain, clip, preview)
    filters: dict[str, Any] = {function.__name__.lstrip("_"): function for function in own}
    filters |= {
        "about": partial(_percent, digits=0),
        "at_least": partial(_percent, rounding=floor),
        "at_most": partial(_percent, rounding=ceil),
    }
    environment = new_environment(filters, ChainableUndefined)
    environment.policies["json.dumps_function"] = _json
    return environment


def _source(name: str) -> str:
    """Read a file of the templates."""
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _json(value: Any, **_: Any) -> str:
    """Write JSON without \\u escapes of letters; the filter of jinja then escapes <, >, & and the apostrophe."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _hash(text: str) -> str:
    """Return the hash of a script or style as the content policy writes it."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _count(value: Any) -> str:
    """Format a number of documents."""
    return f"{value:,.0f}" if _is_number(value) else NO_VALUE


def _percent(value: Any, rounding: Callable[[float], int] = round, digits: int | None = None) -> str:
    """Format a proportion."""
    return percent(value, rounding, digits) if _is_number(value) else NO_VALUE


def _number(value: Any) -> str:
    """Format a number with three digits."""
    return f"{value:.3g}" if _is_number(value) else NO_VALUE


def _seconds(value: Any) -> str:
    """Format a duration."""
    if not _is_number(value):
        return NO_VALUE
    return f"{value:.1f} s" if value < 60 else f"{value // 60:.0f} min {value % 60:.0f} s"


def _plain(value: Any) -> str:
    """Format a setting."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
