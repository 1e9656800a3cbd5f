"""The demo as a plain dict: `label` labels the tickets of a new product, compared with the source-only classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api import Result, label
from ..baselines.source_lr import SourceLR
from ..core.classifier import TransductiveClassifier
from ..core.method_spec import describe_method, parse_method
from ..core.registry import AUTO, estimators
from ..inputs.methods import make_labeller
from ..linalg.matrix import Array
from . import load_demo

__all__ = ["run_demo"]

# One topic per class is easiest to read and does not reduce the accuracy of TCL here: it is .97 with 3 to 50 topics.
# Other methods keep their own default: MTrick with 3 topics falls to .55 for some seeds.
DEFAULT_TOPICS = {"TCL": 3}


def run_demo(
    method: str | TransductiveClassifier = AUTO, *, seed: int = 0, n_topics: int | None = None, n_words: int = 7
) -> dict[str, Any]:
    """Label the target of the demo as `label` does, and compare these labels and those of SourceLR with the true ones.

    `method`: as in `labelferry.label`: "tcl", "tcl(n_topics=4)", "auto", or an estimator.
    """
    demo = load_demo()
    classes = np.unique(demo.y_source)
    estimator = make_estimator(method, seed, n_topics)
    result = label(demo.texts_source, demo.texts_target, label=demo.y_source.tolist(), method=estimator, seed=seed)
    labels, confidence, source_only = result.labels, result.confidence, np.array(result.columns()["source_only"])
    is_correct, is_correct_before = labels == demo.y_target, source_only == demo.y_target
    in_source = occurs(demo.X_source)
    confident = np.argsort(-confidence, kind="stable")[: len(labels) // 2]
    name = type(estimator).__name__
    return {
        "method": name,
        "call": str(parse_method(method)) if isinstance(method, str) else describe_method(method),
        "other_methods": sorted(
            AUTO if other == "AutoTransfer" else other.lower()
            for other in estimators()
            if other not in (name, "SourceLR")
        ),
        "n_source": len(demo.texts_source),
        "n_target": len(demo.texts_target),
        "new_words": float(1 - in_source[demo.X_target.nonzero()[1]].mean()),
        "classes": [{"class": str(c), "tickets": int((demo.y_target == c).sum())} for c in classes],
        "results": [
            {
                "method": cls.__name__,
                "description": str(cls.__doc__).partition("\n")[0],
                "correct": int(correct.sum()),
                "accuracy": float(correct.mean()),
                "by_class": [float(correct[demo.y_target == c].mean()) for c in classes],
            }
            for cls, correct in ((SourceLR, is_correct_before), (type(estimator), is_correct))
        ],
        "confident_half": float(is_correct[confident].mean()),
        "other_half": float(np.delete(is_correct, confident).mean()),
        "examples": [
            {
                "text": demo.texts_target[i],
                "truth": str(demo.y_target[i]),
                "source_only": str(source_only[i]),
                "transfer": str(labels[i]),
                "confidence": float(confidence[i]),
            }
            for i in choose_examples(is_correct_before, is_correct, confidence, demo.y_target)
        ],
        "has_topics": hasattr(result.estimator, "topics_table"),
        "topics": topics(result, n_words),
    }


def make_estimator(method: str | TransductiveClassifier, seed: int, n_topics: int | None) -> TransductiveClassifier:
    """The estimator of `make_labeller`; its number of topics is `n_topics`, or that of DEFAULT_TOPICS by its name."""
    if isinstance(method, str) and n_topics is None:
        spec = parse_method(method)
        if "n_topics" not in spec.parameters:
            n_topics = DEFAULT_TOPICS.get(spec.name)
    estimator = make_labeller(method, seed)
    name = type(estimator).__name__
    if isinstance(estimator, SourceLR):
        raise ValueError("sourcelr is the method with which the demo compares. Name another method, such as tcl.")
    if n_topics is None:
        return estimator
    if "n_topics" not in estimator.get_params():
        raise ValueError(f"{name} has no parameter n_topics; got {n_topics}. Omit the number of topics.")
    estimator.set_params(n_topics=n_topics)
    return estimator


def occurs(X: Any) -> Array:
    """True for the words that occur in at least one document."""
    return np.bincount(X.nonzero()[1], minlength=X.shape[1]) > 0


def choose_examples(is_correct_before: Array, is_correct: Array, confidence: Array, truth: Array) -> list[int]:
    """Per class the most confident label that only transfer predicts correctly; then the most confident wrong label."""
    only_transfer = is_correct & ~is_correct_before
    order = np.argsort(-confidence, kind="stable")
    examples = [[i for i in order if only_transfer[i] and truth[i] == c][:1] for c in np.unique(truth)]
    examples.append([i for i in order if not is_correct[i]][:1])
    return [int(i) for first in examples for i in first]


def topics(result: Result, n_words: int) -> list[dict[str, Any]]:
    """Per topic the words with the highest weight: those of both products, and those of only one.

    A topic ranks all words, also in its common part. Grouped by where they occur, they show how labels are transferred.
    Without topics, the typical words of each class are grouped.
    """
    features, estimator = result.features, result.estimator
    shown = True if features.shown is None else features.shown  # no stop words
    in_old, in_new = ({str(word) for word in features.words[occurs(X) & shown]} for X in (features.Xs[0], features.Xt))
    if hasattr(estimator, "topics_table"):
        table = [
            (row["class"], row["common"], row["domains"]["source"], row["domains"]["target"])
            for row in estimator.topics_table(features.words, n_words=len(features.words))
        ]
    else:
        table = [(name, words, words, words) for name, words in result.typical.items()]

    def only(ranked: list[str], allowed: set[str]) -> list[str]:
        return [word for word in ranked if word in allowed][:n_words]

    return [
        {
            "class": str(name),
            "both": only(common, in_old & in_new),
            "old": only(old, in_old - in_new),
            "new": only(new, in_new - in_old),
        }
        for name, common, old, new in table
    ]
