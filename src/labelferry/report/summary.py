"""A labelling as plain dicts: the summary that --json prints, and what the page shows, with or without words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from os import PathLike
from typing import Any

import numpy as np

from .. import __version__
from ..assessment import changed_words, divergence, gap, risk, vocabulary_overlap
from ..assessment.words import target_words
from ..core.domains import Domains
from ..inputs.features import Features
from ..inputs.inputs import Inputs
from ..labelling.class_table import class_table
from ..labelling.diagnose import source_rows
from ..labelling.labelling import Labelling
from ..labelling.outlook import usable_outlook
from ..labelling.verdict import messages_of, verdict_of
from ..linalg.matrix import Array, word_counts
from ..text.detect import count_languages
from .documents import label_values, list_documents, own_columns, shown_value
from .projection import MAX_CHARACTERS, projection
from .story import tell

N_REVIEW = 100  # documents in the review list
N_WORDS = 20
N_TOPICS = 12
N_BINS = 20
N_EXAMPLES = 3  # documents per group that no class explains
LEAST_SHOWN = 0.005  # weight of a method that counts
MAX_READ = 1000  # of a group, to find its examples
# Keys of the summary that contain no words of documents. Names of classes and files are kept.
WITHOUT_WORDS = (
    *("title", "created", "version", "method", "n_source", "n_target", "n_labelled"),
    *("estimated_balanced_accuracy", "estimated_accuracy", "usable", "sources", "confidence", "comparison"),
    *("diagnosis", "settings", "timings", "other_languages"),
)
POINT = ("x", "y", "label", "domain", "confidence", "row", "none_of_these")
CLASS = ("class", "source", "target", "share", "low", "high", "confidence", "to_review")


def summarize(result: Labelling, inputs: Inputs, features: Features, domains: Domains) -> dict[str, Any]:
    """The dict of `report.render_page`."""
    Xs, Xt = domains.labelled()[0], features.Xt
    kl = divergence(Xs, Xt)
    return {
        "title": f"Labels for {inputs.target.name}",
        "created": datetime.now().isoformat(" ", "minutes"),
        "version": __version__,
        "verdict": verdict_of(result).as_dict(),
        "method": {
            "name": result.method,
            "what": str(type(result.estimator).__doc__).partition("\n")[0],
            "why": why(result),
        },
        "estimated_balanced_accuracy": result.estimated_balanced_accuracy,
        "estimated_accuracy": result.estimated_accuracy,
        "usable": usable_outlook(result),
        "changed": result.assessment.changed,
        "proportions": {
            "known": result.assessment.proportions.known,
            "given": result.assessment.proportions.given,
            "classes": [
                {**row, "class": str(row["class"])} for row in result.assessment.proportions.rows(domains.classes)
            ],
        },
        "n_source": int(np.concatenate(features.learned).sum()),
        "n_target": Xt.shape[0],
        "n_labelled": int(result.predicted.sum()),
        "sources": source_rows(inputs, features, domains),
        "classes": class_rows(result, features, domains),
        "projection": projection(result, inputs, domains),
        "confidence": confidence(result),
        "topics": topics(result, features),
        "typical_words": result.typical,
        "none_of_these": none_of_these(result, inputs),
        "other_languages": count_languages(result.other_language),
        "changed_words": changed_words(Xs, Xt, features.words, N_WORDS, shown=features.shown),
        "review": review(result, inputs),
        "comparison": members(result),
        "opinions": result.opinions,
        "diagnosis": {
            "vocabulary_overlap": vocabulary_overlap(Xs, Xt),
            "gap": gap(Xs, Xt),
            "divergence": kl,
            "risk": risk(kl),
        },
        "settings": {name: value for name, value in result.settings.items() if value is not None},
        "messages": messages_of(result),
        "timings": [{"stage": stage, "seconds": seconds} for stage, seconds in result.seconds.items()],
    }


def class_rows(result: Labelling, features: Features, domains: Domains) -> list[dict[str, Any]]:
    """The rows of `class_table` with the number of labelled documents and words of the new ones, as dicts."""
    codes = np.where(result.predicted, np.searchsorted(domains.classes, result.labels), -1)
    n_source = np.bincount(domains.labelled()[1][np.concatenate(features.learned)], minlength=domains.n_classes)
    words: list[list[str]] = [[] for _ in range(domains.n_classes)]
    if features.vectorizer is not None:
        words = target_words(features.Xt, codes, domains.n_classes, features.words, shown=features.shown)
    return [
        {
            "class": str(row.label),
            "source": n,
            "target": row.documents,
            "share": row.share,
            "low": row.low,
            "high": row.high,
            "confidence": row.confidence,
            "to_review": row.to_review,
            "words": typical,
        }
        for row, n, typical in zip(class_table(result), n_source.tolist(), words, strict=True)
    ]


def why(result: Labelling) -> str:
    if result.method != "AutoTransfer":
        return "It was chosen by the user."
    used = [member["method"] for member in result.members if member["weight"] > 0]
    return f"A weighted combination of {len(used)} methods: {', '.join(used)}."


def confidence(result: Labelling) -> dict[str, Any]:
    low, predicted = 1 / len(result.estimator.classes_), result.predicted
    edges = np.linspace(low, 1, N_BINS + 1)
    counts, _ = np.histogram(np.clip(result.confidence[predicted], low, 1), bins=edges)
    return {
        "threshold": threshold(result),
        "bins": [
            {"from": float(a), "to": float(b), "documents": int(n)}
            for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
        ],
        "below": int(result.needs_review[predicted].sum()),
    }


def threshold(result: Labelling) -> float | None:
    """The confidence below which labels should be reviewed; None if none or all of them should."""
    if result.settings["min_confidence"] is not None:
        return float(result.settings["min_confidence"])
    kept = result.confidence[~result.needs_review]
    return float(kept.min()) if 0 < len(kept) < result.predicted.sum() else None


def topics(result: Labelling, features: Features) -> list[dict[str, Any]]:
    """The topics of the method, if it has topics; `common` has only words that labelled and new documents use."""
    if not hasattr(result.estimator, "topics_table"):
        return []
    in_sources = sum(word_counts(X) for X in features.Xs)
    shared = set(np.asarray(features.words)[(in_sources > 0) & (word_counts(features.Xt) > 0)].tolist())
    return [
        {
            "class": str(topic["class"]),
            "weight": topic["lean"],
            "common": [word for word in topic["common"] if word in shared],
            "domains": topic["domains"],
        }
        for topic in result.estimator.topics_table(features.words, shown=features.shown)[:N_TOPICS]
    ]


def review(result: Labelling, inputs: Inputs) -> list[dict[str, Any]]:
    """The labels to review, the least confident first."""
    order, records = np.argsort(result.confidence, kind="stable"), inputs.documents.numbers
    order = order[(result.needs_review & result.predicted)[order]]
    return [
        {
            "row": int(records[i]),
            "text": inputs.texts[i][:MAX_CHARACTERS],
            **label_values(result, i),
            "evidence": result.evidence[i],
        }
        for i in order[:N_REVIEW].tolist()
    ]


def none_of_these(result: Labelling, inputs: Inputs) -> list[dict[str, Any]]:
    """One dict per group of documents that no class explains: their number, typical words and typical examples."""
    records, names = inputs.documents.numbers, own_columns(inputs.target, inputs.columns.text_target)

    def example(i: int) -> dict[str, Any]:
        own = [shown_value(inputs.target.columns[name][i]) for name in names]
        return {"row": int(records[i]), "own": own, "text": inputs.texts[i][:MAX_CHARACTERS]}

    def typical(rows: Array, words: list[str]) -> list[int]:
        def few_words(i: int) -> int:
            return -sum(word in inputs.texts[i].lower() for word in words)

        return sorted(rows[:MAX_READ].tolist(), key=few_words)[:N_EXAMPLES]

    return [
        {"documents": len(rows), "words": words, "examples": [example(i) for i in typical(rows, words)]}
        for group, words in enumerate(result.group_words)
        if len(rows := np.flatnonzero(result.groups == group))
    ]


def members(result: Labelling) -> list[dict[str, Any]]:
    """The fitted methods, with the share of the labels on which each agrees with the answer."""
    assessment = result.assessment
    equal = (assessment.members.codes == assessment.proba.argmax(axis=1)).mean(axis=1)
    rows = [
        {
            "method": member["method"],
            "agreement": float(share),
            "score": member["weight"],
            "level": member["level"] if i else None,  # the first is SourceLR
            "seconds": member["seconds"],
            "accuracy": None,
            "chosen": member["weight"] >= LEAST_SHOWN,
        }
        for i, (member, share) in enumerate(zip(result.members, equal, strict=True))
    ]
    if result.method != "AutoTransfer" and result.method not in assessment.members.names:
        own = {"agreement": 1.0, "score": 1.0, "level": None, "seconds": None, "accuracy": None, "chosen": True}
        rows.insert(0, {"method": result.method, **own})
    return rows


def page_values(
    result: Labelling,
    summary: Mapping[str, Any],
    *,
    texts: bool = True,
    labelled: str | PathLike[str] | None = None,
    job: str | None = None,
) -> dict[str, Any]:
    """The dict of `render_page`, from the `summary` of a result.

    Without `texts` it has no text, no word and none of the user's columns, so that the page can be sent to people who
    must not read the documents. `labelled` is the file of the labels and `job` their review job, for the commands on
    the page.
    """
    result = result.documents  # the other rows of the target have no predicted label
    usable = usable_outlook(result, in_job=job is not None)  # one forecast for the bar and the sentence
    more = {"story": tell(result, labelled, job), "rerun": rerun(labelled), "usable": usable}
    if texts:
        return {**summary, **more, "documents": list_documents(result, result.inputs)}
    return {**without_words(summary), **more, "documents": without_texts(result), "no_texts": True}


def without_words(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The summary without texts and without words of the documents: what is not named here is left out."""
    return {
        **{name: summary[name] for name in WITHOUT_WORDS},
        "verdict": {name: summary["verdict"][name] for name in ("level", "sentence")},
        "classes": [{name: row[name] for name in CLASS} for row in summary["classes"]],
        "projection": {
            **summary["projection"],
            "points": [{name: point[name] for name in POINT} for point in summary["projection"]["points"]],
        },
        "none_of_these": [{"documents": group["documents"]} for group in summary["none_of_these"]],
    }


def without_texts(result: Labelling) -> dict[str, Any]:
    """The list of documents without their texts, fingerprints and other columns."""
    documents = list_documents(result, result.inputs)
    kept = ("row", *label_values(result, 0))
    return {**documents, "columns": [], "rows": [{name: row[name] for name in kept} for row in documents["rows"]]}


def rerun(labelled: str | PathLike[str] | None) -> dict[str, str]:
    """How labels learn from corrections."""
    if labelled is None:
        return {"sentence": "The labels learn from the corrections with", "command": 'result.update("corrections.csv")'}
    return {
        "sentence": "The labels learn from the corrections if you run your command again with this option:",
        "command": "--answers corrections.csv",
    }
