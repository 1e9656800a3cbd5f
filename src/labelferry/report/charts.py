"""Charts of a report page: plain rows in, Vega-Lite specifications out.

Colors are variables of the style sheet of the page, so a chart follows the light, the dark and the printed page. Texts
of documents are data only, never names of fields or expressions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import altair as alt

from .highlight import clip

N_COLORS = 8  # classes with their own color, --class-1 to --class-8; further classes share --class-other
SHAPES = ("circle", "triangle-up", "square", "diamond", "triangle-down", "cross")  # of the target, then of the sources
MAX_WORDS = 24  # words that a chart can show on one screen
TEXT_LENGTH = 200  # characters of a document in a tooltip
NO_CLASS, NO_CLASS_CODE = "may fit no class", N_COLORS + 1  # of documents that are marked none_of_these
SETS = {"source": "labelled documents", "target": "new documents"}

Spec = dict[str, Any]
Rows = list[dict[str, Any]]


class Entry(NamedTuple):
    """An entry of a legend: its name, its color or shape, its number of documents, and its code in the rows."""

    name: str
    look: str
    documents: int
    code: int


def make_charts(report: dict[str, Any]) -> dict[str, Spec]:
    """Make the specification of every chart the report has rows for, by the name of the section."""
    makers: dict[str, Callable[[Any], Spec | None]] = {
        "projection": projection_chart,
        "confidence": confidence_chart,
        "changed_words": words_chart,
    }
    charts = {name: make(report[name]) for name, make in makers.items() if report.get(name)}
    return {name: spec for name, spec in charts.items() if spec is not None}


def projection_chart(projection: dict[str, Any]) -> Spec | None:
    """Draw documents as points. Colors are classes, shapes are domains; the target is filled and drawn last."""
    points = with_coordinates(projection)
    classes, domains = class_legend(points), domain_legend(points)
    class_code = {entry.name: entry.code for entry in classes}
    domain_code = {entry.name: entry.code for entry in domains}
    rows: Rows = [
        {
            "x": float(f"{point['x']:.4g}"),
            "y": float(f"{point['y']:.4g}"),
            "c": class_code.get(_class(point), N_COLORS),
            "d": domain_code[_name(point.get("domain"))],
            "text": clip(str(point.get("text") or ""), TEXT_LENGTH),
            "label": _name(point.get("label")),
            "from": SETS["target"] if point.get("domain") == "target" else _name(point.get("domain")),
            "confidence": "" if point.get("confidence") is None else f"{point['confidence']:.0%}",
            "row": "" if point.get("row") is None else str(point["row"]),
        }
        for point in points
    ]
    if not rows:
        return None
    rows.sort(key=lambda row: -row["d"])
    colors = [entry.code for entry in classes], [f"var({entry.look})" for entry in classes]
    shapes = [entry.code for entry in domains], [entry.look for entry in domains]
    chart = (
        alt.Chart(alt.NamedData("rows"))
        .mark_point(size=38, strokeWidth=1.2, strokeOpacity=0.9)
        .transform_filter("indexof(hidden_classes, datum.c) < 0 && indexof(hidden_domains, datum.d) < 0")
        .encode(
            x=_position(alt.X("x:Q"), [row["x"] for row in rows]),
            y=_position(alt.Y("y:Q"), [row["y"] for row in rows]),
            fill=alt.Fill("c:N").scale(domain=colors[0], range=colors[1]).legend(None),
            stroke=alt.Stroke("c:N").scale(domain=colors[0], range=colors[1]).legend(None),
            shape=alt.Shape("d:N").scale(domain=shapes[0], range=shapes[1]).legend(None),
            fillOpacity=alt.condition("datum.d === 0", alt.value(0.65), alt.value(0.0)),
            tooltip=[
                alt.Tooltip("text:N").title("Text"),
                alt.Tooltip("label:N").title("Label"),
                alt.Tooltip("confidence:N").title("Confidence"),
                alt.Tooltip("from:N").title("From"),
                alt.Tooltip("row:N").title("Record"),
            ],
        )
        .add_params(alt.param(name="hidden_classes", value=[]), alt.param(name="hidden_domains", value=[]))
    )
    return _spec(chart.properties(height=440), rows=rows)


def with_coordinates(projection: dict[str, Any] | None) -> Rows:
    """Return the points that have both coordinates."""
    return complete_rows((projection or {}).get("points"), "x", "y")


def class_legend(points: Rows) -> list[Entry]:
    """List the classes by their number of documents; the rare ones of many are one entry, and so is NO_CLASS."""
    counts = Counter(_class(point) for point in points if not point.get("none_of_these")).most_common()
    kept = counts if len(counts) <= N_COLORS else counts[: N_COLORS - 1]
    legend = [Entry(name, f"--class-{code + 1}", n, code) for code, (name, n) in enumerate(kept)]
    if rest := counts[len(kept) :]:
        name = f"{len(rest)} other labels"
        legend.append(Entry(name, "--class-other", sum(n for _, n in rest), N_COLORS))
    if n_marked := sum(bool(point.get("none_of_these")) for point in points):
        legend.append(Entry(NO_CLASS, "--class-none", n_marked, NO_CLASS_CODE))
    return legend


def domain_legend(points: Rows) -> list[Entry]:
    """List the target first, with code 0, then the sources in their order."""
    counts = Counter(_name(point.get("domain")) for point in points)
    names = [name for name in counts if name != "target"]
    legend = [Entry("target", SHAPES[0], counts["target"], 0)] if "target" in counts else []
    rest = SHAPES[1:]
    return legend + [Entry(name, rest[i % len(rest)], counts[name], i + 1) for i, name in enumerate(names)]


def confidence_chart(confidence: dict[str, Any]) -> Spec | None:
    """Draw a histogram of the confidence of the labels, and the threshold for review."""
    threshold = confidence.get("threshold")
    rows = [
        {
            "from": row["from"],
            "to": row["to"],
            "documents": row["documents"],
            "below": threshold is not None and row["to"] <= threshold + 1e-9,
            "range": f"{row['from']:.0%} to {row['to']:.0%}",
        }
        for row in complete_rows(confidence.get("bins"), "from", "to", "documents")
    ]
    if not rows:
        return None
    start, end = min(row["from"] for row in rows), max(row["to"] for row in rows)
    places = [start, end] if threshold is None else [start, end, threshold]
    x = alt.X("from:Q").bin("binned").title("confidence in the label").axis(format=".0%", tickCount=6, grid=False)
    bars = (
        alt.Chart(alt.NamedData("rows"))
        .mark_bar(binSpacing=2)
        .encode(
            x=x.scale(domain=[min(places), max(places)], nice=False),
            x2="to:Q",
            y=alt.Y("documents:Q").title("new documents").axis(tickCount=4, tickMinStep=1),
            fill=alt.Fill("below:N").scale(domain=[True, False], range=["var(--warn)", "var(--target)"]).legend(None),
            tooltip=[
                alt.Tooltip("range:N").title("Confidence"),
                alt.Tooltip("documents:Q").title("Documents").format(","),
            ],
        )
    )
    if threshold is None:
        return _spec(bars.properties(height=220), rows=rows)
    # The text is on the side of the line that has more space.
    left = threshold > (start + end) / 2
    line = alt.Chart(alt.NamedData("line")).encode(x=alt.X("at:Q"))
    note = line.mark_text(align="right" if left else "left", dx=-6 if left else 6, dy=-8, fill="var(--ink)")
    chart = (
        bars
        + line.mark_rule(strokeWidth=1.5, strokeDash=[4, 3], stroke="var(--ink)")
        + note.encode(text="note:N", y=alt.value(0))
    )
    return _spec(
        chart.properties(height=220), rows=rows, line=[{"at": threshold, "note": f"review below {threshold:.0%}"}]
    )


def words_chart(changed_words: Rows) -> Spec | None:
    """Draw one line per word, from its share of the labelled documents to its share of the new documents."""
    shown = complete_rows(changed_words, "word", "source", "target")[:MAX_WORDS]
    shown.sort(key=lambda row: row["source"] - row["target"])
    if not shown:
        return None
    rows = [{"word": str(row["word"]), "source": row["source"], "target": row["target"]} for row in shown]
    ends = [{"word": row["word"], "set": name, "share": row[key]} for row in rows for key, name in SETS.items()]
    y = alt.Y("word:N").title(None).sort(None).axis(grid=True, ticks=False, domain=False, labelPadding=10)
    x_title, sets = "share of documents", list(SETS.values())
    lines = (
        alt.Chart(alt.NamedData("rows"))
        .mark_rule(strokeWidth=2, stroke="var(--line-strong)")
        .encode(y=y, x=alt.X("source:Q").title(x_title).axis(format="~%", tickCount=5), x2="target:Q")
    )
    dots = (
        alt.Chart(alt.NamedData("ends"))
        .mark_point(size=70, filled=True, opacity=1)
        .encode(
            y=y,
            x=alt.X("share:Q").title(x_title),
            fill=alt.Fill("set:N").scale(domain=sets, range=["var(--source)", "var(--target)"]).legend(None),
            shape=alt.Shape("set:N").scale(domain=sets, range=["circle", "diamond"]).legend(None),
            tooltip=[
                alt.Tooltip("word:N").title("Word"),
                alt.Tooltip("set:N").title("In"),
                alt.Tooltip("share:Q").title("Share").format(".2~%"),
            ],
        )
    )
    return _spec((lines + dots).properties(height=22 * len(rows)), rows=rows, ends=ends)


def complete_rows(rows: Rows | None, *keys: str) -> Rows:
    """Return the rows that have a value for every key."""
    return [row for row in rows or [] if all(row.get(key) is not None for key in keys)]


def _class(point: dict[str, Any]) -> str:
    """The class by which a point is colored."""
    return NO_CLASS if point.get("none_of_these") else _name(point.get("label"))


def _name(value: Any) -> str:
    return "none" if value is None else str(value)


def _position(channel: Any, values: list[float]) -> Any:
    """Make an axis that does not change when points are hidden."""
    low, high = min(values), max(values)
    margin = 0.04 * (high - low) or 1.0
    return channel.axis(None).scale(domain=[low - margin, high + margin], nice=False, zero=False)


def _spec(chart: Any, **datasets: Rows) -> Spec:
    """Return the validated specification with its rows; it is as wide as the page allows."""
    spec = (
        chart.properties(
            width="container", background="transparent", autosize=alt.AutoSizeParams(type="fit-x", contains="padding")
        )
        .configure(
            aria=False,  # the page has one description per chart; screen readers should not read thousands of points
            font="system-ui, sans-serif",
            padding=4,
        )
        .configure_view(stroke=None)
        .configure_axis(
            labelColor="var(--muted)",
            titleColor="var(--muted)",
            titleFontWeight="normal",
            titlePadding=8,
            labelFontSize=12,
            titleFontSize=12,
            labelLimit=130,
            gridColor="var(--line)",
            domainColor="var(--line-strong)",
            tickColor="var(--line-strong)",
        )
        .to_dict()
    )
    del spec["$schema"]
    return {**spec, "datasets": datasets}
