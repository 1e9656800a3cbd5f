"""The methods: how a user's choice becomes an estimator, and a list of all of them."""

from __future__ import annotations

import inspect
import re
from typing import Any

from ..core.classifier import TransductiveClassifier
from ..core.costs import CLASSES, ENTRIES, load_costs
from ..core.method_spec import make_method
from ..core.registry import AUTO, estimators, find

CHEAP, MEDIUM = 0.5, 2.0  # largest ratios of the seconds to those of SourceLR
REFERENCE = "SourceLR"
USE = "Use it "  # how the sentence of a docstring begins that says when to use the method


def make_labeller(method: str | TransductiveClassifier, seed: int) -> TransductiveClassifier:
    """The estimator of `make_method`, set to predict classes of the source also if its clusters are others."""
    estimator = make_method(method, seed)
    return estimator.set_params(cluster_labels="classes") if "cluster_labels" in estimator.get_params() else estimator


def cluster_messages(estimator: TransductiveClassifier) -> list[str]:
    """What RSP knows about its clusters: how similar each is to the most similar class; none for other methods."""
    # The documents of a cluster with a low similarity are not marked: of four newsgroup topics, two that were in the
    # source had similarities of .08 and .05, and one that was not had .19.
    clusters = sorted(getattr(estimator, "correspondence_", ()), key=lambda cluster: cluster["strength"])
    if not clusters:
        return []
    listed = "; ".join(f"{c['size']} documents, {c['nearest']!r} {c['strength']:.2f}" for c in clusters)
    return [
        "clusters of the new documents, their most similar class and the similarity (up to 1), lowest first: "
        f"{listed}. A low similarity may mean a class that the labelled documents lack: read some of these documents"
    ]


def list_methods(name: str | None = None) -> list[dict[str, Any]]:
    """List the methods that `label`, `compare`, `demo` and the bench accept.

    Returns per method: `name` (what to write), `class`, `summary`, `use` (when to use it), `cost` ("cheap",
    "medium", "expensive" or "not measured", relative to SourceLR), `ratio` (its seconds divided by those of
    SourceLR, for 100,000 values and two classes; None if not measured) and `parameters` (per parameter `name`,
    `type` and `meaning`). All texts are those of the docstrings.
    """
    classes = estimators().values() if name is None else [find(name)]
    return sorted((describe(cls) for cls in classes), key=lambda row: (row["name"] != AUTO, row["name"]))


def describe(cls: type[TransductiveClassifier]) -> dict[str, Any]:
    """One row of `list_methods`."""
    text = inspect.getdoc(cls) or ""
    head = text.partition("\nParameters\n---")[0].split("\n\n")
    use = next((" ".join(part.split()) for part in head[1:] if part.lstrip().startswith(USE)), "")
    seconds = {name: cost.of(ENTRIES, CLASSES) for name, cost in load_costs().methods.items()}
    ratio = seconds[cls.__name__] / seconds[REFERENCE] if cls.__name__ in seconds else None
    return {
        "name": AUTO if cls is find(AUTO) else cls.__name__.lower(),
        "class": cls.__name__,
        "summary": " ".join(head[0].split()),
        "use": use,
        "cost": cost_class(ratio),
        "ratio": ratio,
        "parameters": read_parameters(text),
    }


def cost_class(ratio: float | None) -> str:
    """The ratio in words."""
    if ratio is None:
        return "not measured"
    return "cheap" if ratio <= CHEAP else "medium" if ratio <= MEDIUM else "expensive"


def read_parameters(docstring: str) -> list[dict[str, str]]:
    """The section Parameters of a docstring in numpydoc form, without indentation."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", docstring, re.M | re.S)
    if section is None:
        return []
    entries = re.findall(r"^(\w[\w, ]*) : ([^\n]*)\n((?:[ ]+[^\n]*\n?|\n)*)", section[1], re.M)
    return [{"name": name, "type": kind, "meaning": " ".join(meaning.split())} for name, kind, meaning in entries]
