"""Everything that the report page shows: the summary, the story and the documents; or a page without any words."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from .documents import label_values, list_documents
from .story import tell

if TYPE_CHECKING:
    from ..labelling.labelling import Labelling

# Keys of the summary that contain no words of documents. Names of classes and files are kept.
WITHOUT_WORDS = (
    *("title", "created", "version", "method", "n_source", "n_target", "n_labelled"),
    *("estimated_balanced_accuracy", "estimated_accuracy", "sources", "confidence", "comparison"),
    *("diagnosis", "settings", "timings", "other_languages"),
)
POINT = ("x", "y", "label", "domain", "confidence", "row", "none_of_these")
CLASS = ("class", "source", "target", "share", "low", "high", "confidence", "to_review")


def page_values(
    result: Labelling, *, texts: bool = True, labelled: str | PathLike[str] | None = None
) -> dict[str, Any]:
    """The dict of `report.render_page`.

    Parameters
    ----------
    result : Labelling
        The labels.
    texts : bool, default=True
        Whether the page contains texts, words and the user's columns. Without them it can be sent to people who must
        not read the documents.
    labelled : path, default=None
        The file to which the labels were written, for the commands on the page.

    Returns
    -------
    values : dict
        Plain values.
    """
    summary, result = result.summary(), result.documents  # the other rows of the target have no predicted label
    more = {"story": tell(result, labelled), "rerun": rerun(labelled)}
    if texts:
        return {**summary, **more, "documents": list_documents(result, result._inputs)}
    return {**without_words(summary), **more, "documents": without_texts(result), "no_texts": True}


def without_words(summary: dict[str, Any]) -> dict[str, Any]:
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
    documents = list_documents(result, result._inputs)
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
