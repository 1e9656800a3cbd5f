"""A labelling as one plain dict: what the page shows, and what --json prints."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import __version__
from ..diagnosis import changed_words, divergence, gap, risk, vocabulary_overlap
from ..linalg.matrix import Array, stack_rows, take_rows
from ..methods import TCL
from .panel import TARGET, stack
from .projection import axes

if TYPE_CHECKING:
    from .labelling import Labelling

N_POINTS = 2000  # documents shown as points; more than that is a cloud
N_REVIEW = 100  # documents listed to be looked at first
N_WORDS = 20
N_TOPICS = 12
N_BINS = 20
TEXT = 300  # characters of a text


def summarize(result: Labelling, *, comparison: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """The dict of `report.render_page`."""
    inputs, found = result.inputs, result.features
    Xs = stack_rows(found.Xs)
    kl = divergence(Xs, found.Xt)
    return {
        "title": f"Labels for {inputs.target.name}",
        "created": datetime.now().isoformat(" ", "minutes"),
        "version": __version__,
        "verdict": result.verdict.as_dict(),
        "method": {
            "name": result.method,
            "what": str(type(result.estimator).__doc__).partition("\n")[0],
            "why": why(result),
        },
        "estimated_accuracy": result.estimated_accuracy,
        "n_source": Xs.shape[0],
        "n_target": found.Xt.shape[0],
        "sources": [
            {"name": source.name, "documents": len(source.texts), "gap": gap(X, found.Xt)}
            for source, X in zip(inputs.sources, found.Xs, strict=True)
        ],
        "classes": class_counts(result),
        "projection": projection(result, Xs),
        "confidence": confidence(result),
        "topics": topics(result),
        "typical_words": result.typical,
        "changed_words": changed_words(Xs, found.Xt, found.words, N_WORDS),
        "review": review(result),
        "comparison": list(comparison) or members(result),
        "diagnosis": {
            "vocabulary_overlap": vocabulary_overlap(Xs, found.Xt),
            "gap": gap(Xs, found.Xt),
            "divergence": kl,
            "risk": risk(kl),
        },
        "settings": {name: value for name, value in result.settings.items() if value is not None},
        "said": [*inputs.said, *found.said],
        "timings": [{"stage": stage, "seconds": seconds} for stage, seconds in result.seconds.items()],
    }


def why(result: Labelling) -> str:
    if result.settings["method"].lower() != "auto":
        return "It was asked for."
    used = [member["method"] for member in result.members if member["weight"] > 0]
    return f"A blend of the {len(used)} methods of the panel that agree: {', '.join(used)}."


def class_counts(result: Labelling) -> list[dict[str, Any]]:
    given = np.concatenate([source.labels for source in result.inputs.sources])
    return [
        {"class": str(c), "source": int((given == c).sum()), "target": int((result.labels == c).sum())}
        for c in result.estimator.classes_
    ]


def projection(result: Labelling, Xs: Any) -> dict[str, Any]:
    """Points of a sample of the documents, half of the source and half of the target where there are enough."""
    inputs, found = result.inputs, result.features
    classes = result.estimator.classes_
    given = np.concatenate([source.labels for source in inputs.sources])
    X, codes = stack_rows([Xs, found.Xt]), np.searchsorted(classes, np.concatenate([given, result.labels]))
    is_target = np.arange(X.shape[0]) >= Xs.shape[0]
    directions, names = axes(X, codes, is_target)
    rng = np.random.default_rng(0)
    rows = np.concatenate([_sample(np.flatnonzero(side), N_POINTS // 2, rng) for side in (~is_target, is_target)])
    points = np.asarray(take_rows(X, rows) @ directions)
    texts = [text for source in inputs.sources for text in source.texts]
    called = [f"{source.name} (old)" if source.name == TARGET else source.name for source in inputs.sources]
    domain = [name for name, source in zip(called, inputs.sources, strict=True) for _ in source.texts]

    def point(i: int, x: float, y: float) -> dict[str, Any]:
        shown = {"x": x, "y": y, "label": str(classes[codes[i]])}
        if not is_target[i]:
            return {**shown, "domain": domain[i], "confidence": None, "row": None, "text": texts[i][:TEXT]}
        t = i - len(texts)
        sure, line = float(result.confidence[t]), int(inputs.target.lines[t])
        return {**shown, "domain": TARGET, "confidence": sure, "row": line, "text": inputs.texts[t][:TEXT]}

    return {
        "axes": list(names),
        "points": [point(int(i), float(x), float(y)) for i, (x, y) in zip(rows, points, strict=True)],
    }


def confidence(result: Labelling) -> dict[str, Any]:
    low = 1 / len(result.estimator.classes_)
    edges = np.linspace(low, 1, N_BINS + 1)
    counts, _ = np.histogram(np.clip(result.confidence, low, 1), bins=edges)
    return {
        "threshold": threshold(result),
        "bins": [
            {"from": float(a), "to": float(b), "documents": int(n)}
            for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
        ],
        "below": int(result.needs_review.sum()),
    }


def threshold(result: Labelling) -> float | None:
    """The confidence below which labels are to be reviewed; None where none is, or all are."""
    if result.settings["min_confidence"] is not None:
        return result.settings["min_confidence"]
    kept = result.confidence[~result.needs_review]
    return float(kept.min()) if 0 < len(kept) < len(result.confidence) else None


def topics(result: Labelling) -> list[dict[str, Any]]:
    """Topics of the method, or TCL's where it has none and TCL says much the same."""
    estimator = result.estimator
    if not hasattr(estimator, "topics_table"):
        said = {member["method"]: member["level"] for member in result.members}
        if said.get("TCL") != "safe":
            return []
        n_topics = min(N_TOPICS, len(result.features.words))
        estimator = TCL(n_topics, random_state=result.settings["seed"])
        estimator.fit(*stack(result.inputs, result.features), target=TARGET)
    found = estimator.topics_table(result.features.words)
    return [
        {
            "class": str(topic["class"]),
            "weight": topic["lean"],
            "common": topic["common"],
            "domains": topic["domains"],
        }
        for topic in found[:N_TOPICS]
    ]


def review(result: Labelling) -> list[dict[str, Any]]:
    """The least certain documents first."""
    order = np.argsort(result.confidence, kind="stable")[:N_REVIEW]
    return [
        {
            "row": int(result.inputs.target.lines[i]),
            "text": result.inputs.texts[i][:TEXT],
            "label": str(result.labels[i]),
            "confidence": float(result.confidence[i]),
            "alternative": str(result.alternative[i]),
            "evidence": result.evidence[i],
        }
        for i in order
        if result.needs_review[i]
    ]


def members(result: Labelling) -> list[dict[str, Any]]:
    """The methods that were fitted, side by side."""
    found = result.outcome.found
    alike = (found.codes == found.proba.argmax(axis=1)).mean(axis=1)
    return [
        {
            "method": member["method"],
            "agreement": float(share),
            "score": member["weight"],
            "level": member["level"],
            "seconds": member["seconds"],
            "accuracy": None,
            "chosen": member["weight"] > 0,
        }
        for member, share in zip(result.members, alike, strict=True)
    ]


def _sample(rows: Array, n: int, rng: np.random.Generator) -> Array:
    return rows if len(rows) <= n else np.sort(rng.choice(rows, n, replace=False))
