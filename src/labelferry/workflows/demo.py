"""The demo as a plain dict: a method labels the tickets of a new product, compared with the source-only classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..baselines import SourceLR
from ..core.classifier import TransductiveClassifier
from ..core.registry import estimators, find
from ..datasets import Demo, load_demo

__all__ = ["run_demo"]

# One topic a class reads best and costs TCL nothing here: its accuracy is .97 with 3 to 50 topics. Other methods keep
# their own default: MTrick with 3 topics falls to .55 for some seeds.
DEFAULT_TOPICS = {"TCL": 3}


def run_demo(method: str = "tcl", *, seed: int = 0, n_topics: int | None = None, n_words: int = 7) -> dict[str, Any]:
    """Label the demo's target with the estimator called `method` and compare with SourceLR; see `labelferry demo`."""
    demo = load_demo()
    classes = np.unique(demo.y_source)
    est = make_estimator(method, seed, n_topics)
    labels = est.transfer(demo.X_source, demo.y_source, demo.X_target)
    confidence = est.transduction_proba_.max(axis=1)
    baseline = SourceLR()
    source_only = baseline.transfer(demo.X_source, demo.y_source, demo.X_target)
    right, right_before = labels == demo.y_target, source_only == demo.y_target
    seen_before = in_some_document(demo.X_source)
    surest = np.argsort(-confidence, kind="stable")[: len(labels) // 2]
    name = type(est).__name__
    return {
        "method": name,
        "other_methods": sorted(other.lower() for other in estimators() if other not in (name, "SourceLR")),
        "n_source": len(demo.texts_source),
        "n_target": len(demo.texts_target),
        "new_words": float(1 - seen_before[demo.X_target.nonzero()[1]].mean()),
        "classes": [{"class": str(c), "tickets": int((demo.y_target == c).sum())} for c in classes],
        "results": [
            {
                "method": type(e).__name__,
                "what": str(type(e).__doc__).partition("\n")[0],
                "right": int(ok.sum()),
                "accuracy": float(ok.mean()),
                "by_class": [float(ok[demo.y_target == c].mean()) for c in classes],
            }
            for e, ok in ((baseline, right_before), (est, right))
        ],
        "surer_half": float(right[surest].mean()),
        "other_half": float(np.delete(right, surest).mean()),
        "examples": [
            {
                "text": demo.texts_target[i],
                "truth": str(demo.y_target[i]),
                "source_only": str(source_only[i]),
                "transfer": str(labels[i]),
                "confidence": float(confidence[i]),
            }
            for i in pick_examples(right_before, right, confidence, demo.y_target)
        ],
        "topics": topics(est, demo, n_words),
    }


def make_estimator(method: str, seed: int, n_topics: int | None) -> TransductiveClassifier:
    """The registered estimator of that name, in upper or lower case, with its seed and number of topics set."""
    cls = find(method)
    if cls is SourceLR:
        raise ValueError("sourcelr is what the demo compares the others with. Name another method, such as tcl.")
    settings = {"random_state": seed, "n_topics": DEFAULT_TOPICS.get(cls.__name__) if n_topics is None else n_topics}
    parameters = cls().get_params()
    if n_topics is not None and "n_topics" not in parameters:
        raise ValueError(f"{cls.__name__} has no parameter n_topics; got {n_topics}. Leave the number of topics out.")
    return cls(**{name: value for name, value in settings.items() if name in parameters and value is not None})


def in_some_document(X: Any) -> np.ndarray:
    """True for the words that stand in at least one document."""
    return np.bincount(X.nonzero()[1], minlength=X.shape[1]) > 0


def pick_examples(right_before: np.ndarray, right: np.ndarray, confidence: np.ndarray, truth: np.ndarray) -> list[int]:
    """Tickets worth reading: of each class the surest that only transfer got right; then its surest mistake."""
    rescued = right & ~right_before
    order = np.argsort(-confidence, kind="stable")
    picks = [[i for i in order if rescued[i] and truth[i] == c][:1] for c in np.unique(truth)]
    picks.append([i for i in order if not right[i]][:1])
    return [int(i) for pick in picks for i in pick]


def topics(est: Any, demo: Demo, n_words: int) -> list[dict[str, Any]]:
    """Each topic's heaviest words that both products use, and those that only one does; empty without topics.

    A topic ranks all words, in its common part too. Told apart by where they occur, they show what carries labels over.
    """
    if not hasattr(est, "topics_table"):
        return []
    in_old, in_new = ({str(word) for word in demo.words[in_some_document(X)]} for X in (demo.X_source, demo.X_target))

    def only(ranked: list[str], allowed: set[str]) -> list[str]:
        return [word for word in ranked if word in allowed][:n_words]

    return [
        {
            "class": str(row["class"]),
            "both": only(row["common"], in_old & in_new),
            "old": only(row["domains"]["source"], in_old - in_new),
            "new": only(row["domains"]["target"], in_new - in_old),
        }
        for row in est.topics_table(demo.words, n_words=len(demo.words))
    ]
