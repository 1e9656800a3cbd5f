"""Everything that the report page shows: the summary, the story and the documents; or a page without any words."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from ..labelling.labelling import Labelling
from .documents import label_values, list_documents
from .story import tell

# Keys of the summary that contain no words of documents. Names of classes and files are kept.
WITHOUT_WORDS = (
    *("title", "created", "version", "method", "n_source", "n_target", "n_labelled"),
    *("estimated_balanced_accuracy", "estimated_accuracy", "sources", "confidence", "comparison"),
    *("diagnosis", "settings", "timings", "other_languages"),
)
POINT = ("x", "y", "label", "domain", "confidence", "row", "none_of_these")
CLASS = ("class", "source", "target", "share", "low", "high", "confidence", "to_review")


def page_values(
    result: Labelling, summary: Mapping[str, Any], *, texts: bool = True, labelled: str | PathLike[str] | None = None
) -> dict[str, Any]:
    """The dict of `render_page`, from the `summary` of a result.

    Without `texts` it has no text, no word and none of the user's columns, so that the page can be sent to people who
    must not read the documents. `labelled` is the file of the labels, for the commands on the page.
    """
    result = result.documents  # the other rows of the target have no predicted label
    more = {"story": tell(result, labelled), "rerun": rerun(labelled)}
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
    return {
        **documents,
        "columns": [],
        "rows": [{name: row[name] for name in kept} for row in documents["rows"]],
    }


def rerun(labelled: str | PathLike[str] | None) -> dict[str, str]:
    """How labels learn from corrections."""
    if labelled is None:
        return {"sentence": "The labels learn from the corrections with", "command": 'result.update("corrections.csv")'}
    return {
        "sentence": "The labels learn from the corrections if you run your command again with this option:",
        "command": "--answers corrections.csv",
    }
