"""Charts of a report page: plain rows in, Vega-Lite specifications out.

Colours are variables of the page's style sheet, so that a drawn chart follows the light, the dark and the printed page.
What documents say enters as data only, never as the name of a field or as an expression.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import altair as alt

N_COLOURS = 8  # classes with a colour of their own, --class-1 to --class-8; further ones share --class-other
SHAPES = ("circle", "triangle-up", "square", "diamond", "triangle-down", "cross")  # the target's, then the sources'
MAX_WORDS = 24  # as many words as a chart can show without a second screen
TEXT_LENGTH = 200  # characters of a document under the pointer
SETS = {"source": "labelled documents", "target": "new documents"}

Spec = dict[str, Any]
Rows = list[dict[str, Any]]


class Entry(NamedTuple):
    """A line of a legend: what the page writes, the colour or shape it stands for, its documents, its code in rows."""

    name: str
    look: str
    documents: int
    code: int


def make_charts(report: dict[str, Any]) -> dict[str, Spec]:
    """The specification of every chart the report has rows for, by the section's name."""
    makers: dict[str, Callable[[Any], Spec | None]] = {
        "classes": class_chart,
        "projection": projection_chart,
        "confidence": confidence_chart,
        "changed_words": words_chart,
    }
    charts = {name: make(report[name]) for name, make in makers.items() if report.get(name)}
    return {name: spec for name, spec in charts.items() if spec is not None}


def class_chart(classes: Rows) -> Spec | None:
    """Bars, one a class and set: its share of the set's documents, with their number beside it."""
    totals = {key: sum(row.get(key) or 0 for row in classes) for key in SETS}
    rows = [
        {
            "class": str(row.get("class")),
            "set": name,
            "documents": row[key],
            "share": row[key] / totals[key],
            "number": f"{row[key]:,}",
        }
        for row in classes
        for key, name in SETS.items()
        if totals[key] and row.get(key) is not None
    ]
    if not rows:
        return None
    bars = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X("share:Q")
        .title("share of documents")
        .axis(format=".0%", tickCount=5)
        .scale(domain=[0, 1.2 * max(row["share"] for row in rows)], nice=False),
        y=alt.Y("class:N").title(None).sort(None).scale(paddingInner=0.3),
        yOffset=alt.YOffset("set:N").sort(None),
        tooltip=[alt.Tooltip("class:N").title("Label"), alt.Tooltip("set:N").title("In"), _count(), _percent("share")],
    )
    chart = bars.mark_bar(cornerRadiusEnd=2).encode(fill=_set_colour(alt.Fill("set:N"))) + bars.mark_text(
        align="left", dx=5, fontSize=11, fill="var(--muted)"
    ).encode(text="number:N")
    return _spec(chart.properties(height=46 * len(classes)), rows=rows)


def projection_chart(projection: dict[str, Any]) -> Spec | None:
    """Documents as points: colour is the class, shape the domain; the target's are filled and drawn last."""
    points = placed(projection)
    classes, domains = class_legend(points), domain_legend(points)
    class_code = {entry.name: entry.code for entry in classes}
    domain_code = {entry.name: entry.code for entry in domains}
    rows: Rows = [
        {
            "x": float(f"{point['x']:.4g}"),
            "y": float(f"{point['y']:.4g}"),
            "c": class_code.get(_name(point.get("label")), N_COLOURS),
            "d": domain_code[_name(point.get("domain"))],
            "text": clip(str(point.get("text") or ""), TEXT_LENGTH),
            "label": _name(point.get("label")),
            "from": SETS["target"] if point.get("domain") == "target" else _name(point.get("domain")),
            "sure": "" if point.get("confidence") is None else f"{point['confidence']:.0%}",
            "row": "" if point.get("row") is None else str(point["row"]),
        }
        for point in points
    ]
    if not rows:
        return None
    rows.sort(key=lambda row: -row["d"])
    titles = [str(title) for title in projection.get("axes") or ["first axis", "second axis"]]
    colours = [entry.code for entry in classes], [f"var({entry.look})" for entry in classes]
    shapes = [entry.code for entry in domains], [entry.look for entry in domains]
    chart = (
        alt.Chart(alt.NamedData("rows"))
        .mark_point(size=38, strokeWidth=1.2, strokeOpacity=0.9)
        .transform_filter("indexof(hidden_classes, datum.c) < 0 && indexof(hidden_domains, datum.d) < 0")
        .encode(
            x=_position(alt.X("x:Q"), titles[0], [row["x"] for row in rows]),
            y=_position(alt.Y("y:Q"), titles[-1], [row["y"] for row in rows]),
            fill=alt.Fill("c:N").scale(domain=colours[0], range=colours[1]).legend(None),
            stroke=alt.Stroke("c:N").scale(domain=colours[0], range=colours[1]).legend(None),
            shape=alt.Shape("d:N").scale(domain=shapes[0], range=shapes[1]).legend(None),
            fillOpacity=alt.condition("datum.d === 0", alt.value(0.65), alt.value(0.0)),
            tooltip=[
                alt.Tooltip("text:N").title("Text"),
                alt.Tooltip("label:N").title("Label"),
                alt.Tooltip("sure:N").title("Confidence"),
                alt.Tooltip("from:N").title("From"),
                alt.Tooltip("row:N").title("Row"),
            ],
        )
        .add_params(alt.param(name="hidden_classes", value=[]), alt.param(name="hidden_domains", value=[]))
    )
    return _spec(chart.properties(height=440), rows=rows)


def placed(projection: dict[str, Any] | None) -> Rows:
    """The points that have a place on both axes."""
    return complete((projection or {}).get("points"), "x", "y")


def class_legend(points: Rows) -> list[Entry]:
    """Classes by their number of documents, the rare ones of many as one entry."""
    counts = Counter(_name(point.get("label")) for point in points).most_common()
    kept = counts if len(counts) <= N_COLOURS else counts[: N_COLOURS - 1]
    legend = [Entry(name, f"--class-{code + 1}", n, code) for code, (name, n) in enumerate(kept)]
    if rest := counts[len(kept) :]:
        name = f"{len(rest)} other labels"
        legend.append(Entry(name, "--class-other", sum(n for _, n in rest), N_COLOURS))
    return legend


def domain_legend(points: Rows) -> list[Entry]:
    """The target first, under code 0, then the sources as they come."""
    counts = Counter(_name(point.get("domain")) for point in points)
    names = [name for name in counts if name != "target"]
    legend = [Entry("target", SHAPES[0], counts["target"], 0)] if "target" in counts else []
    rest = SHAPES[1:]
    return legend + [Entry(name, rest[i % len(rest)], counts[name], i + 1) for i, name in enumerate(names)]


def confidence_chart(confidence: dict[str, Any]) -> Spec | None:
    """Histogram of how sure the labels are, and the line below which people should look."""
    threshold = confidence.get("threshold")
    rows = [
        {
            "from": row["from"],
            "to": row["to"],
            "documents": row["documents"],
            "below": threshold is not None and row["to"] <= threshold + 1e-9,
            "range": f"{row['from']:.0%} to {row['to']:.0%}",
        }
        for row in complete(confidence.get("bins"), "from", "to", "documents")
    ]
    if not rows:
        return None
    start, end = min(row["from"] for row in rows), max(row["to"] for row in rows)
    x = alt.X("from:Q").bin("binned").title("confidence in the label").axis(format=".0%", tickCount=6, grid=False)
    bars = (
        alt.Chart(alt.NamedData("rows"))
        .mark_bar(binSpacing=2)
        .encode(
            x=x.scale(domain=[min(start, _or(threshold, start)), max(end, _or(threshold, end))], nice=False),
            x2="to:Q",
            y=alt.Y("documents:Q").title("new documents").axis(tickCount=4, tickMinStep=1),
            fill=alt.Fill("below:N").scale(domain=[True, False], range=["var(--warn)", "var(--target)"]).legend(None),
            tooltip=[alt.Tooltip("range:N").title("Confidence"), _count()],
        )
    )
    if threshold is None:
        return _spec(bars.properties(height=220), rows=rows)
    # The label stands on the side of the line that has more room.
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
    """A line a word, from its share of the labelled documents to its share of the new ones."""
    shown = complete(changed_words, "word", "source", "target")[:MAX_WORDS]
    shown.sort(key=lambda row: row["source"] - row["target"])
    if not shown:
        return None
    rows = [{"word": str(row["word"]), "source": row["source"], "target": row["target"]} for row in shown]
    ends = [{"word": row["word"], "set": name, "share": row[key]} for row in rows for key, name in SETS.items()]
    y = alt.Y("word:N").title(None).sort(None).axis(grid=True, ticks=False, domain=False, labelPadding=10)
    x_title = "share of documents"
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
            fill=_set_colour(alt.Fill("set:N")),
            shape=alt.Shape("set:N").scale(domain=list(SETS.values()), range=["circle", "diamond"]).legend(None),
            tooltip=[alt.Tooltip("word:N").title("Word"), alt.Tooltip("set:N").title("In"), _percent("share", ".2~%")],
        )
    )
    return _spec((lines + dots).properties(height=22 * len(rows)), rows=rows, ends=ends)


def complete(rows: Rows | None, *keys: str) -> Rows:
    """The rows that have a value under every key."""
    return [row for row in rows or [] if all(row.get(key) is not None for key in keys)]


def clip(text: str, length: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _name(value: Any) -> str:
    return "none" if value is None else str(value)


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


def _count() -> alt.Tooltip:
    return alt.Tooltip("documents:Q").title("Documents").format(",")


def _percent(field: str, form: str = ".1%") -> alt.Tooltip:
    return alt.Tooltip(f"{field}:Q").title("Share").format(form)


def _set_colour(channel: Any) -> Any:
    return channel.scale(domain=list(SETS.values()), range=["var(--source)", "var(--target)"]).legend(None)


def _position(channel: Any, title: str, values: list[float]) -> Any:
    """An axis that stays as it is when points are hidden."""
    low, high = min(values), max(values)
    margin = 0.04 * (high - low) or 1.0
    return (
        channel.title(title)
        .axis(tickCount=5, labels=False, ticks=False)
        .scale(domain=[low - margin, high + margin], nice=False, zero=False)
    )


def _spec(chart: Any, **datasets: Rows) -> Spec:
    """The validated specification, its rows beside it; as wide as the page lets it."""
    spec = (
        chart.properties(
            width="container",
            background="transparent",
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        )
        .configure(
            aria=False,  # the page describes each chart as a whole; thousands of announced points would help nobody
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
