"""A report as one HTML page that needs nothing else: no network, no server, no other file.

Texts of documents, names of classes and words are hostile until shown otherwise. The template escapes them all; inside
JSON no character is left that could end a script; and the page's own policy lets run only the two scripts whose hashes
it names, without eval, and lets nothing load or leave. Vega's expressions are interpreted rather than compiled.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from math import isfinite
from typing import Any

from jinja2 import ChainableUndefined, Environment
from markupsafe import Markup

from .charts import class_legend, clip, domain_legend, make_charts, placed
from .templates import new_environment

LEVELS = {"safe": "Safe to use", "doubtful": "Use with care", "unsafe": "Do not rely on it"}
MAX_REVIEW = 100  # documents in the table; the file of labels has them all
NOTHING = "\N{EN DASH}"


def render_page(report: dict[str, Any]) -> str:
    """The page of a report. Sections whose key is missing or empty are left out.

    >>> page = render_page({"title": "Labels for <new>", "verdict": {"level": "safe", "sentence": "All is well."}})
    >>> "Labels for &lt;new&gt;" in page and "Safe to use" in page
    True
    """
    check_report(report)
    charts = make_charts(report)
    points = placed(report.get("projection"))
    style = _source("page.css")
    scripts = [chart_library(), _source("page.js")] if charts else []
    allowed = " ".join(_hash(script) for script in scripts) or "'none'"
    page = (
        _environment()
        .get_template("page.html")
        .render(
            report=report,
            charts=charts,
            classes=class_legend(points),
            domains=domain_legend(points),
            level=(report.get("verdict") or {}).get("level"),
            levels=LEVELS,
            max_review=MAX_REVIEW,
            style=Markup(style),
            scripts=[Markup(script) for script in scripts],
            policy=f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; "
            "img-src data:; base-uri 'none'; form-action 'none'",
        )
    )
    return page.encode("utf-8", "replace").decode()  # half a surrogate pair in a text must not stop the page


def render_card(report: dict[str, Any]) -> str:
    """The verdict and the counts per class as a fragment of HTML, for a notebook cell."""
    check_report(report)
    return _environment().get_template("card.html").render(report=report, levels=LEVELS)


def check_report(report: dict[str, Any]) -> None:
    """Refuse what is not JSON, and verdicts the page has no sign for."""
    try:
        json.dumps(report, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise ValueError(
            f"report must hold plain JSON values only: {problem}. Convert numpy numbers with .item() or .tolist() and "
            "replace NaN by None."
        ) from None
    level = (report.get("verdict") or {}).get("level")
    if level is not None and level not in LEVELS:
        raise ValueError(f"report['verdict']['level'] must be one of {', '.join(LEVELS)}; got {level!r}.")


@cache
def chart_library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script. Takes a second or two, once a process."""
    import altair as alt
    import vl_convert

    version = ".".join(alt.SCHEMA_VERSION.split(".")[:2])
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)


@cache
def _environment() -> Environment:
    filters = {"count": _count, "percent": _percent, "number": _number, "seconds": _seconds, "plain": _plain}
    environment = new_environment(filters | {"clip": clip}, ChainableUndefined)
    environment.policies["json.dumps_function"] = _json
    return environment


def _source(name: str) -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _json(value: Any, **_: Any) -> str:
    """JSON in the text's own letters; jinja's filter then escapes <, >, & and the apostrophe."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _count(value: Any) -> str:
    return f"{value:,.0f}" if _is_number(value) else NOTHING


def _percent(value: Any) -> str:
    """Whole percents, with decimals where whole ones would say nothing."""
    if not _is_number(value):
        return NOTHING
    return f"{value:.0%}" if value == 0 or abs(value) >= 0.01 else f"{value:.2%}"


def _number(value: Any) -> str:
    return f"{value:.3g}" if _is_number(value) else NOTHING


def _seconds(value: Any) -> str:
    if not _is_number(value):
        return NOTHING
    return f"{value:.1f} s" if value < 60 else f"{value // 60:.0f} min {value % 60:.0f} s"


def _plain(value: Any) -> str:
    """A setting as people write it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
