"""Python calls with documents in any container and options of any type: an answer, or an error in one line."""

from __future__ import annotations

from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

import labelferry

from .choices import JSON_VALUES, Choices
from .rules import REFUSED, attempt, require

N_DOCUMENTS = 12
CONTAINERS = (
    *("list", "tuple", "array", "objects", "series", "pandas", "polars", "generator", "dict", "set", "bytes", "scalar"),
    *("nested", "none", "empty", "index", "categorical", "sparse", "nullable"),
)
OPTIONS = (
    *("method", "seed", "text", "label", "target_error", "class_prior", "language", "ngrams", "analyzer", "sublinear"),
    *("min_documents", "stem", "html", "headers", "signatures", "max_memory", "features", "use_target_labels"),
    *("merge_labels", "domain", "dask"),
)
VALUES: tuple[Any, ...] = (
    *(
        *JSON_VALUES,
        "5G",
        "auto",
        "text",
        "label",
        "german",
        b"x",
        (),
        (1, 2),
        1 + 2j,
        object,
        len,
        np.nan,
        np.arange(3),
    ),
    *(np.float64(0.1), np.int64(3), np.array("x"), {"a": 0.5}, {1, 2}, Path("/missing"), "\ud800", -5, 1e-9),
)
CALLS = ("label", "diagnose", "compare", "model.label", "model.proba", "model.assess")


class ArgumentCase(NamedTuple):
    """A function, the containers of the labelled and the new documents, one odd cell, and options."""

    call: str
    source: str = "list"
    target: str = "list"
    cell: tuple[str, int, Any] | None = None  # of "source", "target" or "labels"; position; value
    options: tuple[tuple[str, Any], ...] = ()


def decode(choices: Choices) -> ArgumentCase:
    """A call with a few odd arguments."""
    call, source, target = choices.pick(CALLS), choices.pick(CONTAINERS), choices.pick(CONTAINERS)
    if not choices.flag(4):
        source = choices.pick(("list", "pandas", "polars"))
    where = choices.pick(("source", "target", "labels"))
    cell = (where, choices.below(N_DOCUMENTS), choices.pick(VALUES)) if choices.flag() else None
    options = tuple((choices.pick(OPTIONS), choices.pick(VALUES)) for _ in range(choices.below(3)))
    return ArgumentCase(call, source, target, cell, options)


def check(case: ArgumentCase, folder: Path) -> str:
    """Call the function."""
    texts, labels, new = (list(values) for values in documents())
    if case.cell is not None:
        where, position, value = case.cell
        {"source": texts, "labels": labels, "target": new}[where][position] = value
    try:
        given, source = contained(case.target, new, None), contained(case.source, texts, labels)
    except Exception:  # of pandas or polars, which cannot contain it
        return REFUSED
    if case.call.startswith("model"):
        outcome, answer = attempt(lambda: getattr(model(), case.call.partition(".")[2])(given))
        require(outcome == REFUSED or answer is not None, "no answer")
        return outcome
    function = getattr(labelferry, case.call)
    options = {"method": "sourcelr"} if case.call == "label" else {}
    options |= {"methods": "sourcelr,sourcenb"} if case.call == "compare" else {}
    options |= {} if case.source in ("pandas", "polars", "dict") else {"label": labels}
    options |= {name: value for name, value in case.options if name in signature(function).parameters}
    outcome, answer = attempt(lambda: function(source, given, **options))
    if outcome != REFUSED and case.call == "label":
        n = len(answer.labels)
        named = np.array([label is not None for label in answer.labels.tolist()])  # the others have no text
        require(bool((np.isfinite(answer.confidence) == named).all()), "confidence is missing")
        require(case.target in ("set", "empty") or n == N_DOCUMENTS, f"{n} labels")
    return outcome


@cache
def documents() -> tuple[list[Any], list[Any], list[Any]]:
    """Labelled texts, labels and new texts."""
    demo = labelferry.load_demo()
    rows = [i for c in sorted(set(demo.y_source)) for i in (demo.y_source == c).nonzero()[0][: N_DOCUMENTS // 3]]
    return [demo.texts_source[i] for i in rows], [str(demo.y_source[i]) for i in rows], demo.texts_target[:N_DOCUMENTS]


@cache
def model() -> Any:
    """A fitted model."""
    import tempfile

    from labelferry.labelling.model import load_model

    texts, labels, new = documents()
    path = Path(tempfile.mkdtemp(prefix="labelferry-fuzz-")) / "model.npz"
    labelferry.label(texts, new, label=labels, method="sourcelr").save(path)
    return load_model(path)


def contained(kind: str, texts: list[Any], labels: list[Any] | None) -> Any:
    """The texts in a container; frames contain the labels too."""
    columns = {"text": texts} | ({} if labels is None else {"label": labels})
    return {
        "list": lambda: texts,
        "tuple": lambda: tuple(texts),
        "array": lambda: np.array([str(text) for text in texts]),
        "objects": lambda: objects(texts),
        "series": lambda: pd.Series(texts),
        "pandas": lambda: pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()}),
        "polars": lambda: pl.DataFrame({name: list(map(str, values)) for name, values in columns.items()}),
        "generator": lambda: (text for text in texts),
        "dict": lambda: columns,
        "set": lambda: {str(text) for text in texts},
        "bytes": lambda: [str(text).encode("utf-8", "replace") for text in texts],
        "scalar": lambda: 5,
        "nested": lambda: [[text] for text in texts],
        "none": lambda: None,
        "empty": lambda: [],
        "index": lambda: pd.Index([str(text) for text in texts]),
        "categorical": lambda: pd.Series([str(text) for text in texts], dtype="category"),
        "sparse": lambda: sp.eye_array(len(texts)),
        "nullable": lambda: pd.DataFrame({"text": pd.array([str(text) for text in texts], dtype="string")}),
    }[kind]()


def objects(values: list[Any]) -> np.ndarray:
    """An array of objects, whatever they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def seeds() -> list[bytes]:
    """Every call with every container."""
    return [bytes([i, 0, j, 1, 0]) for i in range(len(CALLS)) for j in range(len(CONTAINERS))]


PAST = {
    "memory as text": ArgumentCase("label", options=(("max_memory", "5G"),)),
    "no method": ArgumentCase("label", options=(("method", None),)),
    "a text that is None": ArgumentCase("model.label", cell=("target", 0, None)),
    "new documents in a dict": ArgumentCase("label", target="dict"),
    "labels of 70 bits": ArgumentCase("label", cell=("labels", 0, 2**70)),
}
