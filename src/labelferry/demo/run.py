"""The demo as a plain dict: `label` labels the tickets of a new product, compared with the source-only classifier."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from ..api import label
from ..baselines.source_lr import SourceLR
from ..core.classifier import TransductiveClassifier
from ..core.method_spec import describe_method, parse_method
from ..core.registry import AUTO
from ..files import atomic_write
from ..inputs.methods import make_labeller
from ..linalg.matrix import Array
from . import load_demo

__all__ = ["run_demo", "save_demo"]


def save_demo(folder: Path) -> list[Path]:
    """Write labelled.csv (text, label) and new.csv (text) into a folder; a file that exists is not replaced."""
    demo = load_demo()
    tables: dict[str, list[tuple[str, ...]]] = {
        "labelled.csv": [("text", "label"), *zip(demo.texts_source, demo.y_source, strict=True)],
        "new.csv": [("text",), *((text,) for text in demo.texts_target)],
    }
    if there := [folder / name for name in tables if (folder / name).exists()]:
        raise ValueError(f"{there[0]} exists. Choose another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        with atomic_write(folder / name) as draft, draft.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    return [folder / name for name in tables]


def run_demo(method: str | TransductiveClassifier = AUTO, *, seed: int = 0) -> dict[str, Any]:
    """Label the target of the demo as `label` does, and compare these labels and those of SourceLR with the true ones.

    `method`: as in `labelferry.label`: "tcl", "tcl(n_topics=4)", "auto", or an estimator.
    """
    demo = load_demo()
    classes = np.unique(demo.y_source)
    estimator = make_labeller(method, seed)
    if isinstance(estimator, SourceLR):
        raise ValueError("sourcelr is the method with which the demo compares. Name another method, such as tcl.")
    result = label(demo.texts_source, demo.texts_target, label=demo.y_source.tolist(), method=estimator, seed=seed)
    labels, confidence, source_only = result.labels, result.confidence, np.array(result.columns()["source_only"])
    is_correct, is_correct_before = labels == demo.y_target, source_only == demo.y_target
    in_source = occurs(demo.X_source)
    return {
        "call": str(parse_method(method)) if isinstance(method, str) else describe_method(method),
        "n_source": len(demo.texts_source),
        "n_target": len(demo.texts_target),
        "new_words": float(1 - in_source[demo.X_target.nonzero()[1]].mean()),
        "classes": [{"class": str(c), "tickets": int((demo.y_target == c).sum())} for c in classes],
        "results": [
            {
                "method": cls.__name__,
                "correct": int(correct.sum()),
                "accuracy": float(correct.mean()),
                "by_class": [float(correct[demo.y_target == c].mean()) for c in classes],
            }
            for cls, correct in ((SourceLR, is_correct_before), (type(estimator), is_correct))
        ],
        "examples": [
            {
                "text": demo.texts_target[i],
                "truth": str(demo.y_target[i]),
                "source_only": str(source_only[i]),
                "transfer": str(labels[i]),
                "confidence": float(confidence[i]),
            }
            for i in choose_examples(is_correct_before, is_correct, confidence)
        ],
    }


def occurs(X: Any) -> Array:
    """True for the words that occur in at least one document."""
    return np.bincount(X.nonzero()[1], minlength=X.shape[1]) > 0


def choose_examples(is_correct_before: Array, is_correct: Array, confidence: Array) -> list[int]:
    """The most confident label that only transfer predicts correctly, and the most confident wrong label."""
    order = np.argsort(-confidence, kind="stable")
    better, wrong = is_correct & ~is_correct_before, ~is_correct
    return [int(i) for mask in (better, wrong) for i in order[mask[order]][:1]]
